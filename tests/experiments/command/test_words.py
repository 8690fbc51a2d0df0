"""What people type behind `sectax run command`, and what of it only a shell would act on."""

from __future__ import annotations

import pytest

from sectax.experiments.command.commands import read_commands
from sectax.experiments.command.scans import shell_syntax


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


def test_variables_are_for_all_or_for_each_and_quoted_as_in_a_shell():
    for_all = read_commands(options(env=("A=1 B='x y=z' C=",)))
    for_each = read_commands(options(env=("A=1", "")))

    assert for_all.common_env == {"A": "1", "B": "x y=z", "C": ""}
    assert for_all.env == {"baseline": for_all.common_env, "slow": for_all.common_env}
    assert for_each.env == {"baseline": {"A": "1"}, "slow": {}}
    assert for_each.common_env == {}


def test_variables_and_conclusions_have_the_values_of_a_scan():
    commands = read_commands(options(env=("N={n}",), conclude=("slow=true {n}",)), {"n": "7"})

    assert commands.env["slow"] == {"N": "7"}
    assert commands.conclude == {"slow": ("true", "7")}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("echo a && sleep 1", "&&"),
        ("false || true", "||"),
        ("echo a | cat", "|"),
        ("a; b", ";"),
        ("a > f", ">"),
        ("a 2>&1", ">"),
        ("cat < f", "<"),
        ("sleep 1 &", "&"),
        ("(a)", "("),
        ("a\nb", "\n"),
        ("echo $HOME", "$HOME"),
        ('echo "$HOME"', "$HOME"),
        ("echo $(date)", "$("),
        ("echo `date`", "`"),
        ("ls *.py", "*"),
        ("ls a?", "?"),
        ("ls [ab]", "[ab]"),
        ("ls ~/x", "~"),
        ("LANG=C sort f", "LANG="),
        ("a # b", "#"),
        ("'a b' *", "*"),
    ],
)
def test_what_a_shell_would_act_on_is_found(text, found):
    assert shell_syntax(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "ls '*.py'",
        'ls "*.py"',
        "echo '$HOME && `x`'",
        r"echo \$HOME \*",
        "awk '{print $1}' f",
        "grep foo$ f",
        "[ -f x ]",
        "git show HEAD~1",
        "dd if=/dev/zero of=/dev/null",
        "curl 'http://x/?a=1&b=2'",
        "echo a#b ''",
        "  sleep 1\n",
        "echo 'oops",
    ],
)
def test_quoted_and_plain_words_have_no_shell_syntax(text):
    assert shell_syntax(text) is None
