"""`sectax show RUN`."""

from __future__ import annotations

from pathlib import Path

import click

from sectax.cli.options import as_json, conditions, everything, exit_with_status, fail_if, form, in_ascii, run_file
from sectax.cli.output import Form, Shown, print_text, rendered
from sectax.cli.streams import Printed
from sectax.model.errors import NothingMeasured


@click.command("show")
@run_file
@form(everything, fail_if, in_ascii, as_json)
def command(run_file: str, fail_if: tuple[str, ...], form: Form) -> None:
    """Print the results of a run, from its file alone."""
    report_cache = Shown(run_file, form)
    if not fail_if and (text := report_cache.recall()) is not None:
        print_text(text)
        return
    from sectax.model.analysed import RunReport
    from sectax.run.analyse import analyse_file
    from sectax.run.conditions import concluded, was_measured

    limits = conditions(fail_if)
    analysed = analyse_file(Path(run_file))
    answers = concluded(analysed, limits or analysed.measured.plan.stopping.conditions)
    text = rendered(RunReport(analysed, run_file, conditions=answers), form)
    if analysed.measured.state == "finished" and not answers:
        report_cache.keep_report(text)
    print_text(text)
    if limits and analysed.measured.state == "finished" and not was_measured(analysed):
        raise NothingMeasured("no comparison could be measured", "see the reasons above") from Printed()
    if limits:
        exit_with_status(answers)
