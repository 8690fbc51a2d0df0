"""`sectax compare RUN RUN|published:ID`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from sectax import published
from sectax.analysis.compare import compare_runs, compare_with_published
from sectax.analysis.conditions import conclude_change
from sectax.cli import options
from sectax.cli.output import Form, print_result
from sectax.model.compared import PublishedComparison, RunComparison
from sectax.model.condition import Concluded, Condition
from sectax.model.errors import WrongUse
from sectax.run.analyse import analyse_file
from sectax.run.conditions import settled

PUBLISHED = "published:"


def compare(
    run_file: Path, target: str, conditions: Sequence[Condition]
) -> tuple[PublishedComparison | RunComparison, tuple[Concluded, ...]]:
    """Compare a run with `published:ID` or with another run file.

    Returns:
        The comparison, and whether an effect changed from the first run to the second by more than a condition allows.

    Raises:
        WrongUse: conditions beside a published study, whose figures have no intervals; a metric that is not compared.
    """
    if str(run_file).startswith(PUBLISHED):
        first = target if not target.startswith(PUBLISHED) else "RUN"
        raise WrongUse(
            f"{run_file} is where a run file must be", f"the run comes first: sectax compare {first} {run_file}"
        )
    published.refuse_bare(target)
    if target.startswith(PUBLISHED):
        if conditions:
            raise WrongUse("--fail-if needs intervals, and a published study has none", "compare two runs of your own")
        study = published.load(target.removeprefix(PUBLISHED))
        return replace(compare_with_published(analyse_file(run_file), study), path=str(run_file)), ()
    a, b = analyse_file(run_file), analyse_file(Path(target))
    if a.measured.run_id == b.measured.run_id:
        raise WrongUse(f"{run_file} and {target} are the same run, {a.measured.run_id}", "name another run")
    compared = compare_runs(a, b)
    if valued := next((condition for condition in conditions if not condition.is_share), None):
        raise WrongUse(f"{valued.text}: two runs are compared by effects alone", "sectax gate RUN judges one of them")
    conditions = settled(conditions, a.measured.plan)
    pending = any(side.measured.blocks_pending for side in (a, b))
    answers = conclude_change(conditions, compared, pending=pending)
    return replace(compared, conditions=answers, paths=(str(run_file), target)), answers


@click.command("compare")
@options.run_file
@click.argument("target", metavar="RUN|published:ID", callback=options.named_run)
@options.fail_if
@options.form(options.everything, options.html, options.in_ascii, options.as_json)
def command(run_file: str, target: str, fail_if: tuple[str, ...], form: Form) -> None:
    """Compare a run with another run, or with a published study.

    Effects and their shapes are shown side by side, without a verdict across sessions. --fail-if limits how much an
    effect (a treatment against the baseline of its own run) grew from the first run to the second.
    """
    compared, answers = compare(Path(run_file), target, options.conditions(fail_if))
    print_result(compared, form)
    if answers:
        options.exit_with_status(answers)
