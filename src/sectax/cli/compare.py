"""`sectax compare RUN RUN|published:ID`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import as_json, run_file
from sectax.cli.output import is_colourful, width
from sectax.workflow import present
from sectax.workflow.compare import compare


@click.command("compare")
@run_file
@click.argument("target", metavar="RUN|published:ID")
@as_json
def command(run_file: str, target: str, json_: bool) -> None:
    """Compare a run with another run, or with a published study.

    Effects and their shapes stand side by side. There is no verdict across sessions.
    """
    comparison = compare(Path(run_file), target)
    if json_:
        click.echo(present.comparison_as_document(comparison))
    else:
        text = present.comparison_as_tables(comparison, width=width(), colour=is_colourful())
        click.echo(text, nl=False, color=is_colourful())
