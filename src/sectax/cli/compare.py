"""`sectax compare RUN RUN|published:ID`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli import options
from sectax.cli.output import Form, print_result
from sectax.workflow.compare import compare


@click.command("compare")
@options.run_file
@click.argument("target", metavar="RUN|published:ID", callback=options.named_run)
@options.fail_if
@options.form(options.everything, options.html, options.in_ascii, options.as_json)
def command(run_file: str, target: str, fail_if: tuple[str, ...], form: Form) -> None:
    """Compare a run with another run, or with a published study.

    Effects and their shapes stand side by side. There is no verdict across sessions. --fail-if asks how much an effect
    (a treatment beside the baseline of its own run) grew from the first run to the second.
    """
    compared, answers = compare(Path(run_file), target, options.conditions(fail_if))
    print_result(compared, form)
    if answers:
        options.leave_with(answers)
