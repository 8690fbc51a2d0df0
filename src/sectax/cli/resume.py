"""`sectax resume RUN`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import as_json, everything, progress, quiet, run_file, verbose
from sectax.cli.run import finish
from sectax.workflow import run as workflow


@click.command("resume")
@run_file
@quiet
@verbose
@everything
@as_json
def command(run_file: str, quiet: bool, verbose: bool, show_all: bool, json_: bool) -> None:
    """Continue a run that was interrupted; its finished blocks stay."""
    outcome = workflow.resume(Path(run_file), progress(quiet, verbose))
    finish(outcome, as_json=json_, show_all=show_all)
