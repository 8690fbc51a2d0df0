"""`sectax resume RUN`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import as_json, everything, run_file
from sectax.cli.progress import TerminalProgress
from sectax.cli.run import finish
from sectax.workflow import run as workflow


@click.command("resume")
@run_file
@everything
@as_json
def command(run_file: str, show_all: bool, json_: bool) -> None:
    """Go on with a run that was interrupted; its finished blocks stay."""
    finish(workflow.resume(Path(run_file), TerminalProgress()), as_json=json_, show_all=show_all)
