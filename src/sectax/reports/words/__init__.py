"""Sentences: verdicts, the decision, the summary, and the plan before a run."""
