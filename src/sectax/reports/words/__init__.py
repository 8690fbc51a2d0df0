"""Sentences: the verdict in words, the summary that ends a report, and the plan before a run."""

from sectax.reports.words.claims import interval, point, verdict
from sectax.reports.words.plans import bill, calibrated, how_long, plan
from sectax.reports.words.summaries import answer_of, summary

__all__ = ["answer_of", "bill", "calibrated", "how_long", "interval", "plan", "point", "summary", "verdict"]
