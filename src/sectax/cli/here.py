"""`sectax list`, `doctor` and `setup`: what there is, what this machine can do, and what it lacks."""

from __future__ import annotations

import sys
import textwrap

import click

from sectax.cli.options import as_json, print_json
from sectax.cli.output import width
from sectax.model.errors import ExitStatus, SectaxError, WrongUse
from sectax.model.near import did_you_mean
from sectax.model.printable import printable_lines

_SHELL = "shell"  # a name for setup, beside those of experiments
_MARKS = {"good": "  ok ", "warning": "warn ", "missing": "miss "}


@click.command("list")
@click.argument("names", nargs=-1, metavar="[EXPERIMENT]...")
@as_json
def list_command(names: tuple[str, ...], json_: bool) -> None:
    """List the experiments, their factors and levels, and the probes; or the experiments that are named."""
    from sectax.workflow.listing import as_text, listing

    found = listing()
    known = [experiment["name"] for experiment in found["experiments"]]
    for name in names:
        if name not in known:
            raise WrongUse(f"there is no experiment {name!r}", did_you_mean(name, known))
    if names:
        found["experiments"] = [experiment for experiment in found["experiments"] if experiment["name"] in names]
    if json_:
        click.echo(as_text(found))
        return
    for experiment in found["experiments"]:
        _print(f"{experiment['name']}: {experiment['title']}")
        for factor in experiment["factors"]:
            _print(f"  {factor['name']}: {', '.join(factor['levels'])}")
        presets = " ".join(f"--{preset}" for preset in experiment["presets"] if preset != "default")
        click.echo(f"  presets: {presets}\n" if presets else "")
    if names:
        return
    click.echo("probes:")
    for probe in found["probes"]:
        hint = f" ({probe['hint']})" if probe["hint"] else ""
        _print(f"  {probe['name']}: {probe['lack'] or 'ready'}{hint}")
    click.echo()
    _print(f"published studies: {', '.join(found['studies'])}")


def _print(line: str) -> None:
    """On a terminal a long line goes on below, indented; a program gets it whole."""
    if sys.stdout.isatty():
        line = textwrap.fill(line, width(), subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    click.echo(line)


@click.command("doctor")
@as_json
def doctor_command(json_: bool) -> None:
    """Say what this machine can measure, and what disturbs it."""
    from sectax.cli.progress import TerminalProgress
    from sectax.workflow.doctor import Diagnosis, examine

    symptoms = examine(TerminalProgress().waiting)
    if json_:
        print_json(Diagnosis(symptoms))
        return
    widest = max(len(symptom.id) for symptom in symptoms)
    for symptom in symptoms:
        click.echo(f"{_MARKS[symptom.health]} {symptom.id:<{widest}}  {symptom.saw}")
        if symptom.hint:
            click.echo(f"      {'':<{widest}}  → {symptom.hint}")


def _to_set_up(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    from sectax.experiments import registry

    return [name for name in (*registry.names(), _SHELL) if name.startswith(typed)]


@click.command("setup")
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT|shell]...", shell_complete=_to_set_up)
@click.pass_context
def setup_command(ctx: click.Context, experiments: tuple[str, ...]) -> None:
    """Install what the experiments need (all of them where none is named).

    Without a name, or with the name shell, it also writes completion for the shells that are installed and a man page
    into your own folders, and says which files.

    The name of a managed Lambda runtime, such as nodejs20.x or java17, installs AWS's runtime client for it.
    """
    from sectax.workflow.doctor import set_up
    from sectax.workflow.listing import listing

    def say(text: str) -> None:
        click.echo(f"==> {printable_lines(text)}", err=True)

    failures = []
    if not experiments or _SHELL in experiments:
        from sectax.cli import shell

        try:
            shell.install(ctx.find_root().command, say)
        except SectaxError as error:
            failures.append(error)
    named = tuple(name for name in experiments if name != _SHELL)
    if named or not experiments:
        failures += set_up(named, say)
        listing()  # it is kept, so that the first `sectax list` is as fast as the next one
    for failure in failures:
        click.echo(f"sectax: {printable_lines(failure.message)}\nhint: {printable_lines(failure.hint)}", err=True)
    if failures:
        raise click.exceptions.Exit(ExitStatus.NOTHING_MEASURED)
