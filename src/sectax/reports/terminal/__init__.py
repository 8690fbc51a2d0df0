"""A report as plain or coloured text of a given width."""

from sectax.reports.terminal.render import render

__all__ = ["render"]
