"""Print results: a report for people, JSON for programs."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from sectax.cli import picture
from sectax.cli.streams import Printed, forget_reader
from sectax.model.errors import WrongUse
from sectax.parts.cache_entry import CacheEntry

if TYPE_CHECKING:
    from sectax.cli.present import Result, View

_NARROWEST = 40
_WIDEST = 160


def is_colourful() -> bool:
    """Whether stdout is a terminal with colour (see no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Number of columns to print in."""
    return max(_NARROWEST, min(shutil.get_terminal_size((100, 24)).columns, _WIDEST))


def say(line: str) -> None:
    """Print a line, wrapped and indented on a terminal."""
    if sys.stdout.isatty():
        line = textwrap.fill(line, width(), subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    click.echo(line)


def is_ascii() -> bool:
    """Whether the encoding of stdout lacks `±`."""
    try:
        "±".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return True
    return False


# The file for the summary of a CI step, as named by GitHub.
_STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


@dataclass(frozen=True)
class Form:
    """How to print a result.

    Attributes:
        json_: one JSON document instead of a report.
        show_all: secondary comparisons, warnings in full, and how it was measured.
        ascii_only: ASCII only, whatever the locale.
        html: also write a page to this file.
        picture: also write a picture to this file, SVG or PNG by its suffix.
    """

    json_: bool = False
    show_all: bool = False
    ascii_only: bool = False
    html: str | None = None
    picture: str | None = None

    @classmethod
    def taken_from(cls, values: dict[str, Any]) -> Self:
        """Remove the fields of a form from the values of a command's options."""
        return cls(**{field.name: values.pop(field.name) for field in fields(cls) if field.name in values})

    def refuse_existing(self) -> None:
        """Raise `WrongUse` if an output file exists, or cannot be written here."""
        for out, option in ((self.html, "--html"), (self.picture, "--picture")):
            if out is not None:
                refuse_existing(out, option)
        if self.picture is not None:
            picture.refuse_unconvertible(self.picture)


def view(form: Form) -> View:
    """The view for this terminal."""
    from sectax.cli.present import View

    return View(width(), is_colourful(), form.show_all, ascii_only=form.ascii_only or is_ascii())


def rendered(result: Result, form: Form) -> str:
    """Render a result as a report for this terminal, or as one JSON document."""
    from sectax.cli.present import render

    return render(result, "json" if form.json_ else "terminal", view(form))


class Shown(CacheEntry):
    """The cached report of a finished run, since judging it again takes a second."""

    def __init__(self, run_file: str, form: Form) -> None:
        """Args: *run_file* as typed, since the report names it."""
        path = os.path.realpath(run_file)
        self._watched = (path, f"{path}-wal", f"{path}-journal")
        looks = {"json": form.json_, "all": form.show_all, "width": width(), "colour": is_colourful()}
        looks["ascii"] = form.ascii_only or is_ascii()
        super().__init__("show", {"path": path, "typed": run_file, **looks})

    def keep_report(self, text: str) -> None:
        """Cache the report of a finished run."""
        self.keep(text, self._watched)


def print_text(text: str) -> None:
    """Print a rendered result; a closed pipe does not change the exit status."""
    try:
        click.echo(text, nl=False, color=is_colourful())
    except BrokenPipeError:
        forget_reader()


def refuse_existing(out: str, option: str) -> None:
    """Refuse an output file that exists, before the measurement starts.

    Raises:
        WrongUse: it exists, or its folder does not.
    """
    path = Path(out)
    if out == "-":
        raise WrongUse(
            f"{option} needs the name of a file, and cannot write to -",
            f"use {option} FILE; ./- is a file of this name",
        )
    if path.exists() or path.is_symlink():
        raise WrongUse(f"{out} exists already", f"name another file with {option}, or move that one away")
    if not path.parent.is_dir():
        raise WrongUse(f"there is no folder {path.parent}", f"make it, or name another file with {option}")
    from sectax.record.errors import is_made_by_kernel  # imports SQLite

    if is_made_by_kernel(path.parent):
        raise WrongUse(f"{path.parent} is made by the kernel and takes no files", f"name another file with {option}")
    if not os.access(path.parent, os.W_OK):
        raise WrongUse(f"{out} cannot be written: its folder is read-only", f"name another file with {option}")


def write_document(content: str | bytes, out: str, option: str) -> None:
    """Write a new file.

    Raises:
        WrongUse: it cannot be written, or exists already: it could be the run itself.
    """
    path = Path(out)
    try:
        with path.open("xb") as file:
            try:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
            except BaseException:  # leave no partial file
                path.unlink(missing_ok=True)
                raise
    except FileExistsError as error:
        hint = f"name another file with {option}, or move that one away"
        raise WrongUse(f"{out} exists already", hint) from error
    except OSError as error:
        refuse_existing(out, option)  # for a better reason
        raise WrongUse(f"{out} cannot be written: {error.strerror}", f"name another file with {option}") from error


def print_result(result: Result, form: Form, *, summarises: bool = False) -> str:
    """Print a result, write its files, and return the printed text.

    The names of the written files follow on stderr.

    Args:
        summarises: also write the result to the summary of a CI step.
    Raises:
        WrongUse: a file cannot be written.
    """
    from sectax.cli.present import as_markdown, document, on_terminal

    form.refuse_existing()
    text = rendered(result, form) if form.json_ else ""
    summarises = summarises and _STEP_SUMMARY in os.environ
    if not form.json_ or summarises:
        laid_out = document(result, show_all=form.show_all)
        text = text or on_terminal(laid_out, view(form))
        if summarises:
            append_step_summary(f"{as_markdown(laid_out)}\n")
    print_text(text)
    if form.html is not None or form.picture is not None:
        from sectax.cli.present import render

        try:
            if form.html is not None:
                write_document(render(result, "html"), form.html, "--html")
                click.echo(f"page: {form.html}", err=True)
            if form.picture is not None:
                write_document(picture.content(render(result, "svg"), form.picture), form.picture, "--picture")
                click.echo(f"picture: {form.picture}", err=True)
        except WrongUse as error:
            raise error from Printed()
    return text


def append_step_summary(text: str) -> None:
    """Append Markdown to a CI step's summary, if any; failing is not an error."""
    if _STEP_SUMMARY not in os.environ:
        return
    try:
        with open(os.environ[_STEP_SUMMARY], "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        click.echo(f"the summary of this step cannot be written: {error.strerror}", err=True)
