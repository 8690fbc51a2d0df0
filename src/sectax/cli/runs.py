"""`sectax runs [FOLDER]`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import FileName, as_json, print_json
from sectax.run.files import runs, usual_folder
from sectax.text.printable import printable

_SECONDS = len("2026-11-22T05:37")  # of a time, without its seconds


@click.command("runs")
@click.argument("folder", metavar="[FOLDER]", required=False, type=FileName(path_type=Path))
@as_json
def command(folder: Path | None, json_: bool) -> None:
    """List the run files of a folder (this one, or runs/ in it) with their answers, the newest at the end.

    The newest can be named `last` wherever a run file is expected, as in: sectax show last
    """
    listing = runs(folder or usual_folder())
    if json_:
        print_json(listing)
        return
    if not listing.runs:
        click.echo(f"no run files (*.sectax) in {printable(listing.folder)}", err=True)
    for run in listing.runs:
        click.echo(printable(run.name))
        if run.unreadable:
            click.echo(f"  cannot be read: {printable(run.unreadable)}")
            continue
        started = run.started[:_SECONDS].replace("T", " ")
        click.echo("  " + printable(f"{run.experiment}, {started} UTC, {run.state}: {run.answer}"))
