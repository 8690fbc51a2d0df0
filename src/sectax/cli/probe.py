"""`sectax probe new FOLDER` and `sectax probe check COMMAND`."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click

from sectax.cli.options import FileName, as_json, print_json
from sectax.experiments import registry
from sectax.experiments.interface import HasProbeCases
from sectax.experiments.on_probe.conformance import Case, CheckResult, check_probe, claimed_operations
from sectax.model.errors import ExitStatus, WrongUse
from sectax.parts import probes
from sectax.run.environment import machine_load
from sectax.text.near import did_you_mean

# Seconds on an idle processor. A cold JVM needs 2 s for five PBKDF2.
_PATIENCE_S = 10.0
_MARKS = {"passed": "pass", "failed": "FAIL", "skipped": "skip"}


@click.group("probe")
def group() -> None:
    """Create a probe, or check that one follows the protocol."""


@group.command("new", short_help="Copy a complete probe to begin with.")
@click.argument("folder", metavar="FOLDER", type=FileName(path_type=Path))
def new_command(folder: Path) -> None:
    """Copy a complete probe into a new folder, to change it or to translate it into another language."""
    probes.copy_template(folder)
    click.echo(f"{folder / 'probe.py'} passes this check as it is; change it, or translate it into another language:")
    named = str(folder)
    word = named if os.sep in named or named not in probes.names() else f".{os.sep}{named}"
    click.echo(f"  sectax probe check {shlex.quote(word)}")


@group.command("check", short_help="Check that a probe follows the protocol.")
@click.argument("command", metavar="COMMAND")
@as_json
def check_command(command: str, json_: bool) -> None:
    """Check that a probe follows the protocol.

    COMMAND is its name, as in sectax list, a folder with its probe.toml, or any command line.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise WrongUse("the command is badly quoted", "balance the quotes") from error
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
        print_json({"schema": "sectax/probe-check/1", "checks": results})
    else:
        click.echo(_sum(results))
    if failed:
        raise click.exceptions.Exit(ExitStatus.GATE_MISSED)


def _sum(results: list[CheckResult]) -> str:
    """A summary of all checks, with missing operations counted separately."""
    by_case = [list(of_case) for _, of_case in itertools.groupby(results, key=lambda result: result.case)]
    not_offered = [of_case for of_case in by_case if of_case[0].case and of_case[0].status == "skipped"]
    number = {status: sum(result.status == status for result in results) for status in ("passed", "failed", "skipped")}
    skipped = number["skipped"] - sum(map(len, not_offered))
    parts = [f"{number['passed']} passed", f"{number['failed']} failed", f"{skipped} skipped"]
    return ", ".join([*parts, *([f"{len(not_offered)} operations not offered"] if not_offered else [])])


def _show(case: str, results: list[CheckResult]) -> None:
    """Print protocol checks, those of a case in one line with its failures."""
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


def check(words: list[str]) -> Iterator[CheckResult]:
    """Check a registered probe, by name, one in a folder, or any command line.

    Raises:
        WrongUse: there is neither such a probe nor such a program.
    """
    registered = len(words) == 1 and words[0] in probes.names()
    if registered or (len(words) == 1 and Path(words[0]).is_dir()):
        probe = probes.load(words[0] if registered else f"{Path(words[0]).name}={Path(words[0]).resolve()}")
        if not registered:
            _make(probe)
        argv, folder = probe.command(), str(probe.folder)
    else:
        if shutil.which(words[0]) is None:
            raise WrongUse(f"{words[0]!r} is neither a probe nor a program", did_you_mean(words[0], probes.names()))
        argv, folder = tuple(words), os.getcwd()
    load = machine_load()
    patience_s = _PATIENCE_S * max(1.0, load.load / load.cpus)
    return check_probe(argv, folder, cases=_cases(claimed_operations(argv, folder, patience_s)), patience_s=patience_s)


def _make(probe: probes.Probe) -> None:
    """Build a probe of a folder, as a run does. Raises `WrongUse` for what is missing, `SetUpFailed`."""
    lack = probes.missing(probe)
    if lack is not None and not lack.makable:
        raise WrongUse(lack.reason, lack.hint)
    if lack is not None:
        probes.set_up(probe, lambda text: click.echo(text, err=True))


def _cases(claimed: frozenset[str] | None) -> list[Case]:
    """The cases of experiments with an operation of the probe; all if unknown."""
    experiments = (registry.load(name) for name in registry.names())
    return [
        case
        for experiment in experiments
        if isinstance(experiment, HasProbeCases) and (claimed is None or claimed & set(experiment.operations))
        for case in experiment.probe_cases()
    ]
