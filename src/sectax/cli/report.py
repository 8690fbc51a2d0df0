"""`sectax report RUN --format …`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import run_file
from sectax.model.errors import WrongUse
from sectax.workflow.analyse import analyse_file
from sectax.workflow.present import FORMATS, as_report


@click.command("report")
@run_file
@click.option("--format", "format_", type=click.Choice(FORMATS), default="markdown", show_default=True)
@click.option("--table", type=click.Choice(("findings", "treatments")), default="findings", help="Of the CSV.")
@click.option("--out", type=click.Path(), metavar="FILE", help="Where to write it; stdout where left out.")
def command(run_file: str, format_: str, table: str, out: str | None) -> None:
    """Write the results of a run, from its file alone."""
    text = as_report(analyse_file(Path(run_file)), run_file, format_, table)
    if out is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        Path(out).write_text(text, encoding="utf-8")
    except OSError as error:
        raise WrongUse(f"{out} cannot be written: {error.strerror}", "name another file with --out") from error
    click.echo(out)
