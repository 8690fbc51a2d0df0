"""Sentences: the verdict in words, what to do, the summary of what was found, and the plan before a run."""

from sectax.reports.words.decisions import answers, decision
from sectax.reports.words.plans import answered_by, bill, calibrated, how_long, plan, varied
from sectax.reports.words.summaries import answer_of, how_many_decided, summary

__all__ = [
    "answer_of",
    "answered_by",
    "answers",
    "bill",
    "calibrated",
    "decision",
    "how_long",
    "how_many_decided",
    "plan",
    "summary",
    "varied",
]
