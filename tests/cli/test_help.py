"""Help is read by people who see sectax for the first time: every option says what it does, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator

import click

from sectax.cli.main import cli


def commands(command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command, click.Context]]:
    yield context.command_path, command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            yield from commands(below, click.Context(below, info_name=name, parent=context))


ALL = list(commands(cli, click.Context(cli, info_name="sectax")))


def test_every_option_of_every_command_is_explained_in_a_sentence() -> None:
    assert len(ALL) > 25
    for path, command, context in ALL:
        for option in command.get_params(context):
            if not isinstance(option, click.Option) or option.hidden:
                continue
            said = (option.help or "").partition("  [")[0]
            assert said[:1].isupper() or said.startswith("-"), f"{path} {option.opts[0]}: {said!r}"
            assert said.endswith("."), f"{path} {option.opts[0]}: {said!r}"
            assert len(said.split()) >= 3, f"{path} {option.opts[0]}: {said!r}"
