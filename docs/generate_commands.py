"""Prints docs/commands.md from the program itself: `python docs/generate_commands.py > docs/commands.md`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from sectax.cli.main import cli

_HEAD = """# Commands

Made from the program by `python docs/generate_commands.py > docs/commands.md`; a test holds it to the program.
"""


def pages(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[str]:
    """The help of a command, then of every command below it."""
    context = click.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100)
    help_text = command.get_help(context)
    yield f"## {context.command_path}\n\n" + "\n".join(f"    {line}".rstrip() for line in help_text.splitlines()) + "\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None:
                yield from pages(found, below, context)


def document() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *pages(cli, "sectax")])


if __name__ == "__main__":
    click.echo(document(), nl=False)
