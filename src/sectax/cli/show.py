"""`sectax show RUN`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import as_json, conditions, everything, fail_if, in_ascii, leave_with, run_file
from sectax.cli.output import print_text, rendered, shown


@click.command("show")
@run_file
@everything
@fail_if
@in_ascii
@as_json
def command(run_file: str, show_all: bool, fail_if: tuple[str, ...], ascii_only: bool, json_: bool) -> None:
    """Print the results of a run, from its file alone."""
    kept = shown(run_file, as_json=json_, show_all=show_all, ascii_only=ascii_only)
    if not fail_if and (text := kept.recall()) is not None:
        print_text(text)
        return
    from sectax.model.analysed import RunReport
    from sectax.workflow.analyse import analyse_file
    from sectax.workflow.conditions import concluded

    asked = conditions(fail_if)
    analysed = analyse_file(Path(run_file))
    answers = concluded(analysed, asked)
    text = rendered(RunReport(analysed, run_file), as_json=json_, show_all=show_all, ascii_only=ascii_only)
    if analysed.measured.state == "finished":
        kept.keep(text)
    print_text(text)
    leave_with(answers, analysed.measured.plan)
