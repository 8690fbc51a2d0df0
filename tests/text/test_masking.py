"""Secrets of the environment do not reach messages through a program's output."""

from sectax.text.masking import masked

ENVIRONMENT = {"MY_TOKEN": "abcdefgh12", "DB_PASSWORD": "abcdefgh", "KEY_COUNT": "12", "PATH": "/usr/bin:/bin"}


def test_values_of_secret_variables_are_masked_longest_first() -> None:
    text = b"token abcdefgh12, password abcdefgh, 12 keys, /usr/bin:/bin"

    assert masked(text, ENVIRONMENT) == b"token [MY_TOKEN], password [DB_PASSWORD], 12 keys, /usr/bin:/bin"


def test_commands_of_a_ci_are_broken_up_where_one_reads_them() -> None:
    text = b"::error::x ##[error]x"

    assert masked(text, {}) == text
    assert masked(text, {"GITHUB_ACTIONS": "true"}) == b": :error: :x ## [error]x"
