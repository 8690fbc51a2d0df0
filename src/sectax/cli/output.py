"""Prints results: a report for people, JSON for programs."""

from __future__ import annotations

import os
import shutil
import sys

import click

from sectax.workflow.present import Result, View, render

_NARROWEST = 60
_WIDEST = 160


def is_colourful() -> bool:
    """Whether stdout is a terminal that wants colour (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns to print in."""
    return max(_NARROWEST, min(shutil.get_terminal_size((100, 24)).columns, _WIDEST))


def print_result(result: Result, *, as_json: bool, show_all: bool = False) -> None:
    """One result, as a report for this terminal or as one JSON document."""
    colour = is_colourful()
    text = render(result, "json" if as_json else "terminal", View(width(), colour, show_all))
    click.echo(text, nl=False, color=colour)
