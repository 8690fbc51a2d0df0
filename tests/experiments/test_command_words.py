"""What people type behind `sectax run command`."""

from __future__ import annotations

from sectax.experiments.command.commands import read_commands


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
