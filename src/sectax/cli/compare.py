"""`sectax compare RUN RUN|published:ID`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import as_json, run_file
from sectax.cli.output import print_result
from sectax.workflow.compare import compare


@click.command("compare")
@run_file
@click.argument("target", metavar="RUN|published:ID")
@as_json
def command(run_file: str, target: str, json_: bool) -> None:
    """Compare a run with another run, or with a published study.

    Effects and their shapes stand side by side. There is no verdict across sessions.
    """
    print_result(compare(Path(run_file), target), as_json=json_)
