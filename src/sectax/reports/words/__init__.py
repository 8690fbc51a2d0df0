"""Sentences: the verdict in words, what to do, the summary of what was found, and the plan before a run."""
