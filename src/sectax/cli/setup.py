"""`sectax setup [EXPERIMENT…]`."""

from __future__ import annotations

import click

from sectax.model.errors import ExitStatus
from sectax.model.printable import printable_lines
from sectax.workflow.setup import set_up


@click.command("setup")
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT]...")
def command(experiments: tuple[str, ...]) -> None:
    """Install what the experiments need (all of them where none is named).

    The name of a managed Lambda runtime, such as nodejs20.x or java17, installs AWS's runtime client for it.
    """
    failures = set_up(experiments, lambda text: click.echo(f"==> {printable_lines(text)}", err=True))
    for failure in failures:
        click.echo(f"sectax: {printable_lines(failure.message)}\nhint: {printable_lines(failure.hint)}", err=True)
    if failures:
        raise click.exceptions.Exit(ExitStatus.NOTHING_MEASURED)
