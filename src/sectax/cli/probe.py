"""`sectax probe check COMMAND`."""

from __future__ import annotations

import itertools
import shlex

import click

from sectax.cli.options import as_json
from sectax.model.errors import ExitStatus, WrongUse
from sectax.subjects.probe.conformance import CheckResult
from sectax.workflow.probe_check import check

_MARKS = {"passed": "pass", "failed": "FAIL", "skipped": "skip"}


@click.group("probe")
def group() -> None:
    """Check that a probe keeps to the protocol."""


@group.command("check")
@click.argument("command", metavar="COMMAND")
@as_json
def check_command(command: str, json_: bool) -> None:
    """Run the conformance suite on a probe: the name of a registered one, or the command line of any program."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise WrongUse(f"the command is badly quoted: {error}", "balance the quotes") from error
    if not words:
        raise WrongUse("the command is empty", "as in: sectax probe check 'ruby probe.rb'")
    results: list[CheckResult] = []
    for case, made in itertools.groupby(check(words), key=lambda result: result.case):
        of_case = list(made)
        results += of_case
        if not json_:
            _show(case, of_case)
    failed = [result for result in results if result.status == "failed"]
    if json_:
        import msgspec

        click.echo(msgspec.json.encode({"schema": "sectax/probe-check/1", "checks": results}).decode())
    else:
        skipped = sum(result.status == "skipped" for result in results)
        click.echo(f"{len(results) - len(failed) - skipped} passed, {len(failed)} failed, {skipped} skipped")
    if failed:
        raise click.exceptions.Exit(ExitStatus.GATE_MISSED)


def _show(case: str, results: list[CheckResult]) -> None:
    """The checks of the conversation one by one; those of a case in one line, and under it what went wrong."""
    for result in results:
        if not case or result.status == "failed":
            click.echo(f"{_MARKS[result.status]}  {result.id:<24} {result.message}")
        if result.hint and result.status == "failed":
            click.echo(f"      → {result.hint}")
    if not case:
        return
    passed = sum(result.status == "passed" for result in results)
    failed = sum(result.status == "failed" for result in results)
    if passed or failed:
        click.echo(f"{_MARKS['failed' if failed else 'passed']}  {case}: {passed} passed, {failed} failed")
    else:
        click.echo(f"{_MARKS['skipped']}  {case}: {results[0].message}")
