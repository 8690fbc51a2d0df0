"""`sectax show RUN`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import as_json, everything, run_file
from sectax.cli.output import print_result
from sectax.model.analysed import RunReport
from sectax.workflow.analyse import analyse_file


@click.command("show")
@run_file
@everything
@as_json
def command(run_file: str, show_all: bool, json_: bool) -> None:
    """Print the results of a run, from its file alone."""
    print_result(RunReport(analyse_file(Path(run_file)), run_file), as_json=json_, show_all=show_all)
