"""What only a shell would act on is found, and nothing else is taken for it."""

from __future__ import annotations

import pytest

from sectax.experiments.command.scans import shell_syntax


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
def test_what_is_quoted_or_plain_is_left_alone(text):
    assert shell_syntax(text) is None
