"""Prints results: a report for people, JSON for programs."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sectax.workflow.present import Result

_NARROWEST = 60
_WIDEST = 160


def is_colourful() -> bool:
    """Whether stdout is a terminal that wants colour (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns to print in."""
    return max(_NARROWEST, min(shutil.get_terminal_size((100, 24)).columns, _WIDEST))


def rendered(result: Result, *, as_json: bool, show_all: bool = False) -> str:
    """One result, as a report for this terminal or as one JSON document."""
    from sectax.workflow.present import View, render

    return render(result, "json" if as_json else "terminal", View(width(), is_colourful(), show_all))


def print_text(text: str) -> None:
    """What `rendered` gave."""
    click.echo(text, nl=False, color=is_colourful())


def print_result(result: Result, *, as_json: bool, show_all: bool = False) -> None:
    """Both at once."""
    print_text(rendered(result, as_json=as_json, show_all=show_all))
