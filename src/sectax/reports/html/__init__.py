"""A report as one HTML file that needs no network and no script, to be opened, sent, printed and kept."""

from sectax.reports.html.render import render, render_picture

__all__ = ["render", "render_picture"]
