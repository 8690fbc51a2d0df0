"""Help is read by people who see sectax for the first time: every option says what it does, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from sectax.cli.main import cli
from tests.program import sectax


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


@pytest.mark.parametrize(
    "words", [item[0].split()[1:] for item in ALL if isinstance(item[1], click.Group)], ids=" ".join
)
def test_no_line_of_a_list_of_commands_is_cut_off(words: list[str]) -> None:
    result = sectax(*words, "--help", COLUMNS="80")

    assert result.status == 0
    assert not [line for line in result.out.splitlines() if line.startswith("  ") and line.endswith("...")]
