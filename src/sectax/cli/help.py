"""`sectax help [COMMAND…]`, and what a bare `sectax` says."""

from __future__ import annotations

import click

WELCOME = """\
sectax measures what a security control costs. Three commands to start with:

  sectax doctor                        what this machine can measure
  sectax run command --baseline 'gzip -1 -c FILE' --treatment best='gzip -9 -c FILE'
                                       how much more does B cost than A?
  sectax run jwt --quick               what does each signature algorithm cost?

sectax help lists all commands; sectax help run jwt explains one.
"""


@click.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Explain a command (all of them where none is named)."""
    context = ctx.find_root()
    for word in words:
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{context.command_path} has no command {word!r}", context)
        name, found, _ = group.resolve_command(context, [word])
        if found is None:
            raise click.UsageError(f"{context.command_path} has no command {word!r}", context)
        context = click.Context(found, info_name=name, parent=context)
    click.echo(context.command.get_help(context))
