"""Sentences: the verdict in words, the summary that ends a report, and the plan before a run."""

from sectax.reports.words.advice import advice
from sectax.reports.words.bills import bill
from sectax.reports.words.claims import effect, interval, verdict
from sectax.reports.words.plans import calibrated, how_long, plan
from sectax.reports.words.summaries import summary

__all__ = ["advice", "bill", "calibrated", "effect", "how_long", "interval", "plan", "summary", "verdict"]
