"""A report as a Markdown document (GitHub's tables), to be pasted where others read it."""

from sectax.reports.markdown.render import render

__all__ = ["render"]
