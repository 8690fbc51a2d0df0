"""`sectax setup`: install what the experiments need."""

from __future__ import annotations

import click

from sectax.model.errors import ExitStatus, SectaxError
from sectax.text.printable import printable_lines

_SHELL = "shell"  # a name for setup in addition to experiments


def _to_set_up(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    from sectax.experiments import registry

    return [name for name in (*registry.names(), _SHELL) if name.startswith(typed)]


@click.command("setup")
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT|shell]...", shell_complete=_to_set_up)
@click.option("--level", multiple=True, metavar="FACTOR=A,B", help="Only what these levels of one experiment need.")
@click.pass_context
def command(ctx: click.Context, experiments: tuple[str, ...], level: tuple[str, ...]) -> None:
    """Install what the experiments need (by default, all experiments).

    Without a name, or with the name shell, it also writes completion for the shells that are installed into your
    own folders, and says which files.

    The name of a managed Lambda runtime, such as nodejs20.x, installs AWS's runtime client for it.
    """
    from sectax.cli import parse
    from sectax.cli.listing import listing
    from sectax.cli.requirements import set_up

    def say(text: str) -> None:
        click.echo(f"==> {printable_lines(text)}", err=True)

    levels = parse.levels(level)
    failures = []
    if not experiments or _SHELL in experiments:
        from sectax.cli import shell

        try:
            shell.install(ctx.find_root().command, say)
        except SectaxError as error:
            failures.append(error)
    named = tuple(name for name in experiments if name != _SHELL)
    if named or not experiments:
        failures += set_up(named, say, levels)
        listing()  # cached, so that the first `sectax list` is fast too
    for failure in failures:
        click.echo(f"sectax: {printable_lines(failure.message)}\nhint: {printable_lines(failure.hint)}", err=True)
    if failures:
        raise click.exceptions.Exit(ExitStatus.NOTHING_MEASURED)
