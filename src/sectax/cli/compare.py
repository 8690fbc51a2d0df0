"""`sectax compare RUN RUN|published:ID`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import (
    as_json,
    conditions,
    everything,
    fail_if,
    form,
    html,
    in_ascii,
    leave_with,
    named_run,
    run_file,
)
from sectax.cli.output import Form, print_result
from sectax.workflow.compare import compare


@click.command("compare")
@run_file
@click.argument("target", metavar="RUN|published:ID", callback=named_run)
@fail_if
@form(everything, html, in_ascii, as_json)
def command(run_file: str, target: str, fail_if: tuple[str, ...], form: Form) -> None:
    """Compare a run with another run, or with a published study.

    Effects and their shapes stand side by side. There is no verdict across sessions. --fail-if asks how much an effect
    (a treatment beside the baseline of its own run) grew from the first run to the second.
    """
    compared, answers = compare(Path(run_file), target, conditions(fail_if))
    print_result(compared, form)
    leave_with(answers)
