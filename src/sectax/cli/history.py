"""`sectax history FOLDER`."""

from __future__ import annotations

import click

from sectax.cli.options import as_json, everything, form, html, in_ascii
from sectax.cli.output import Form, print_result
from sectax.gate.history import history


@click.command("history")
@click.argument("source", metavar="FOLDER|BRANCH", default=".")
@form(everything, html, in_ascii, as_json)
def command(source: str, form: Form) -> None:
    """Show how a cost changed from run to run: the run files of a folder, or of a branch, by commit.

    Runs of different machines are separate lines. Where a level changed is a hint, not a
    verdict: look at the runs around it.
    """
    print_result(history(source), form)
