"""What people type behind `sectax run command`."""

from __future__ import annotations

import pytest

from sectax.experiments.command.commands import check_files, read_commands
from sectax.model.errors import WrongUse


def options(**given: object) -> dict[str, tuple[str, ...]]:
    base = {"baseline": ("sleep 0.1",), "treatment": ("slow=sleep 0.2",)}
    return base | {name.replace("_", "-"): tuple(texts) for name, texts in given.items()}  # type: ignore[arg-type]


def test_commands_are_split_as_a_shell_would_but_none_is_started():
    commands = read_commands(options(treatment=("quoted=echo 'a b' \"c d\" '$HOME'",)))

    assert commands.argv == {"baseline": ("sleep", "0.1"), "quoted": ("echo", "a b", "c d", "$HOME")}


def test_a_shell_is_used_only_when_it_is_asked_for():
    commands = read_commands(options(treatment=("pipe=seq 9 | wc -l",), shell=("yes",)))

    assert commands.argv["pipe"] == ("/bin/sh", "-c", "seq 9 | wc -l")


def test_prepare_is_for_all_or_for_the_one_that_is_named():
    for_all = read_commands(options(prepare=("true x",)))
    for_one = read_commands(options(prepare=("slow=true y",)))
    for_each = read_commands(options(prepare=("true x", "true y")))

    assert for_all.prepare == {"baseline": ("true", "x"), "slow": ("true", "x")}
    assert for_one.prepare == {"slow": ("true", "y")}
    assert for_each.prepare == {"baseline": ("true", "x"), "slow": ("true", "y")}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"baseline": ()}, "no command was given"),
        ({"treatment": ()}, "nothing to be compared with"),
        ({"treatment": ("sleep 0.2",)}, "has no name"),
        ({"treatment": ("a=sleep 1", "a=sleep 2")}, "two commands are called 'a'"),
        ({"treatment": ("baseline=sleep 1",)}, "two commands are called 'baseline'"),
        ({"treatment": ("a=",)}, "command 'a' is empty"),
        ({"treatment": ("a=echo 'oops",)}, "badly quoted"),
        ({"treatment": ("a=no-such-program-here --x",)}, "'no-such-program-here' was not found"),
        ({"prepare": ("true", "slow=false")}, "two --prepare commands"),
        ({"timeout": ("soon",)}, "not a length of time"),
        ({"timeout": ("0",)}, "not a length of time"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_words(given, says):
    with pytest.raises(WrongUse, match=says):
        check_files(read_commands(options(**given)))
