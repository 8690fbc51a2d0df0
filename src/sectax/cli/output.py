"""Prints results: a report for people, JSON for programs."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sectax.cli.streams import Printed
from sectax.model.errors import WrongUse
from sectax.parts.kept import Kept

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


def is_ascii() -> bool:
    """Whether stdout, as its locale has it, lacks the sign that takes more room in ASCII; others take one letter."""
    try:
        "±".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return True
    return False


_CONVERTER = "rsvg-convert"


@dataclass(frozen=True)
class Form:
    """How a result is to be printed.

    Attributes:
        json_: one document instead of a report.
        show_all: side results, warnings in full, and how it was measured.
        ascii_only: nothing but ASCII, whatever the locale says.
        html: the file to which the result is written as a page too.
        picture: the file to which its picture is written too, SVG or PNG by the end of its name.
    """

    json_: bool = False
    show_all: bool = False
    ascii_only: bool = False
    html: str | None = None
    picture: str | None = None

    def refuse_existing(self) -> None:
        """Raises `WrongUse` where a file that would be written exists already."""
        for out, option in ((self.html, "--html"), (self.picture, "--picture")):
            if out is not None:
                refuse_existing(out, option)


def rendered(result: Result, form: Form) -> str:
    """One result, as a report for this terminal or as one JSON document."""
    from sectax.workflow.present import View, render

    view = View(width(), is_colourful(), form.show_all, ascii_only=form.ascii_only or is_ascii())
    return render(result, "json" if form.json_ else "terminal", view)


class Shown(Kept):
    """The report of a finished run in one form, kept until its file, or sectax itself, changes.

    Judging it again takes a second.
    """

    def __init__(self, run_file: str, form: Form) -> None:
        """Args: *run_file*, as it was typed, for the report names it."""
        path = os.path.realpath(run_file)
        self._watched = (path, f"{path}-wal", f"{path}-journal")
        looks = {"json": form.json_, "all": form.show_all, "width": width(), "colour": is_colourful()}
        looks["ascii"] = form.ascii_only or is_ascii()
        super().__init__("show", {"path": path, "typed": run_file, **looks})

    def keep_report(self, text: str) -> None:
        """Keep the report of a run that is finished: how another one stands also depends on who is measuring."""
        self.keep(text, self._watched)


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
    path = Path(out)
    try:
        with path.open("x", encoding="utf-8") as file:
            try:
                file.write(text)
                file.flush()
            except BaseException:  # half a file helps nobody
                path.unlink(missing_ok=True)
                raise
    except FileExistsError as error:
        hint = f"name another file with {option}, or move that one away"
        raise WrongUse(f"{out} exists already", hint) from error
    except OSError as error:
        raise WrongUse(f"{out} cannot be written: {error.strerror}", f"name another file with {option}") from error


def print_result(result: Result, form: Form) -> str:
    """Print one result in this form, and give back what was printed. Names of files that are written follow on stderr.

    Raises:
        WrongUse: a file cannot be written.
    """
    form.refuse_existing()
    text = rendered(result, form)
    print_text(text)
    if form.html is not None or form.picture is not None:
        from sectax.workflow.present import render

        try:
            if form.html is not None:
                write_document(render(result, "html"), form.html, "--html")
                click.echo(f"page: {form.html}", err=True)
            if form.picture is not None:
                write_picture(render(result, "svg"), form.picture)
                click.echo(f"picture: {form.picture}", err=True)
        except WrongUse as error:
            raise error from Printed()
    return text


def write_step_summary(result: Result, lines: Sequence[str]) -> None:
    """Append the result and what became of its limits to the summary of a step, where a CI asks for it.

    The file is named by `$GITHUB_STEP_SUMMARY`. A summary that cannot be written fails no run.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    from sectax.workflow.present import brief_markdown

    limits = "".join(f"- {line}\n" for line in lines)
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{brief_markdown(result)}\n{limits}")
    except OSError as error:
        click.echo(f"the summary of this step cannot be written: {error.strerror}", err=True)


def write_picture(svg: str, out: str) -> None:
    """Write a picture, as PNG where the name says so.

    Raises:
        WrongUse: it cannot be written, or nothing here makes a PNG of it.
    """
    if Path(out).suffix != ".png":
        write_document(svg, out, "--picture")
        return
    import shutil
    import subprocess

    if shutil.which(_CONVERTER) is None:
        raise WrongUse(f"PNG needs {_CONVERTER}", "apt-get install librsvg2-bin, or --picture FILE.svg")
    refuse_existing(out, "--picture")
    done = subprocess.run([_CONVERTER, "--output", out], input=svg.encode(), capture_output=True, check=False)
    if done.returncode:
        raise WrongUse(f"{_CONVERTER} could not write {out}", "write FILE.svg instead")
