"""The report for people at a terminal: `render` for a run, `render_published` and `render_runs` for comparisons."""

from sectax.reports.terminal.compared import render_published, render_runs
from sectax.reports.terminal.report import render

__all__ = ["render", "render_published", "render_runs"]
