"""Prints documents: tables for people, JSON for programs."""

from __future__ import annotations

import os
import shutil
import sys

import click

from sectax.model.analysed import Analysed
from sectax.workflow import present

_NARROWEST = 60
_WIDEST = 160


def is_colourful() -> bool:
    """Whether stdout is a terminal that wants colour (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns to print in."""
    return max(_NARROWEST, min(shutil.get_terminal_size((100, 24)).columns, _WIDEST))


def print_analysed(analysed: Analysed, path: str, *, as_json: bool, show_all: bool, trouble: str = "") -> None:
    """One run, as tables or as one JSON document; `trouble` is why its record could not go on."""
    if as_json:
        click.echo(present.as_document(analysed, path, trouble))
    else:
        text = present.as_tables(analysed, path, width=width(), colour=is_colourful(), show_all=show_all)
        click.echo(text, nl=False, color=is_colourful())
