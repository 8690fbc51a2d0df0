"""`sectax report RUN --format …`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import run_file
from sectax.model.analysed import RunReport
from sectax.model.errors import WrongUse
from sectax.workflow.analyse import analyse_file
from sectax.workflow.present import FORMATS, TABLES, View, render


@click.command("report")
@run_file
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="markdown",
    show_default=True,
)
@click.option("--table", type=click.Choice(TABLES), help="Of the CSV.  [default: findings]")
@click.option("--out", type=click.Path(), metavar="FILE", help="Where to write it; stdout where left out.")
def command(run_file: str, format_: str, table: str | None, out: str | None) -> None:
    """Write the results of a run, from its file alone."""
    if table is not None and format_ != "csv":
        raise WrongUse(f"--table is of a CSV, and --format is {format_}", "leave it out, or --format csv")
    text = render(RunReport(analyse_file(Path(run_file)), run_file), format_, View(table=table or "findings"))
    if out is None:
        # A document: UTF-8 here as in a file, whatever the locale says.
        click.echo(text.encode(), nl=False)
        return
    try:
        # Never over a file that is there: it could be the run itself.
        with Path(out).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise WrongUse(f"{out} exists already", "name another file with --out, or move that one away") from error
    except OSError as error:
        raise WrongUse(f"{out} cannot be written: {error.strerror}", "name another file with --out") from error
    click.echo(out)
