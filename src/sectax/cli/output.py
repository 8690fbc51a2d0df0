"""Prints results: a report for people, JSON for programs."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sectax.cli.streams import Printed
from sectax.model.errors import WrongUse

if TYPE_CHECKING:
    from sectax.workflow.present import Result
    from sectax.workflow.shown import Shown

_NARROWEST = 60
_WIDEST = 160


def is_colourful() -> bool:
    """Whether stdout is a terminal that wants colour (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns to print in."""
    return max(_NARROWEST, min(shutil.get_terminal_size((100, 24)).columns, _WIDEST))


def is_ascii() -> bool:
    """Whether stdout, as its locale has it, lacks the sign that takes more room in ASCII; others take one letter."""
    try:
        "±".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return True
    return False


def rendered(result: Result, *, as_json: bool, show_all: bool = False, ascii_only: bool = False) -> str:
    """One result, as a report for this terminal or as one JSON document."""
    from sectax.workflow.present import View, render

    view = View(width(), is_colourful(), show_all, ascii_only=ascii_only or is_ascii())
    return render(result, "json" if as_json else "terminal", view)


def shown(run_file: str, *, as_json: bool, show_all: bool, ascii_only: bool) -> Shown:
    """Where the report of a run is kept, in the form in which this terminal gets it."""
    from sectax.workflow.shown import Shown

    form = {"json": as_json, "all": show_all, "width": width(), "colour": is_colourful()}
    return Shown(run_file, form | {"ascii": ascii_only or is_ascii()})


def print_text(text: str) -> None:
    """What `rendered` gave."""
    click.echo(text, nl=False, color=is_colourful())


def refuse_existing(out: str, option: str) -> None:
    """Say that a file is there already before hours go into what would be written to it.

    Raises:
        WrongUse: it is, or its folder is not there.
    """
    path = Path(out)
    if path.exists() or path.is_symlink():
        raise WrongUse(f"{out} exists already", f"name another file with {option}, or move that one away")
    if not path.parent.is_dir():
        raise WrongUse(f"there is no folder {path.parent}", f"make it, or name another file with {option}")


def write_document(text: str, out: str, option: str) -> None:
    """Write a file that is not there yet.

    Raises:
        WrongUse: it cannot be written, or it is there already: it could be the run itself.
    """
    try:
        with Path(out).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        hint = f"name another file with {option}, or move that one away"
        raise WrongUse(f"{out} exists already", hint) from error
    except OSError as error:
        raise WrongUse(f"{out} cannot be written: {error.strerror}", f"name another file with {option}") from error


def print_result(
    result: Result, *, as_json: bool, show_all: bool = False, page: str | None = None, ascii_only: bool = False
) -> str:
    """Print one result, as a report for this terminal or as one JSON document, and give back what was printed.

    Args:
        ascii_only: write nothing but ASCII, whatever the locale says.
        page: the file to which it is written as a page too; its name follows on stderr.
    Raises:
        WrongUse: the page cannot be written.
    """
    if page is not None:
        refuse_existing(page, "--html")
    text = rendered(result, as_json=as_json, show_all=show_all, ascii_only=ascii_only)
    print_text(text)
    if page is not None:
        from sectax.workflow.present import render

        try:
            write_document(render(result, "html"), page, "--html")
        except WrongUse as error:
            raise error from Printed()
        click.echo(f"page: {page}", err=True)
    return text
