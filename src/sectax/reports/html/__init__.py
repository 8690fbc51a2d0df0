"""A report as one HTML file without scripts or network access."""

from sectax.reports.html.render import render, render_picture

__all__ = ["render", "render_picture"]
