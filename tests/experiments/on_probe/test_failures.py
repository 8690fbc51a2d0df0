"""What goes wrong with a probe is told in words that help, and without what nobody may read."""

from __future__ import annotations

import pytest

from sectax.experiments.on_probe.failures import describe_failure, failure_hint, redacted
from sectax.hosts.process.errors import ChildDied

PEM = """-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASC
BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj
-----END PRIVATE KEY-----
"""


def test_a_kill_for_memory_says_so_and_what_helps(agreed) -> None:
    died = ChildDied(-9, out_of_memory=True, stderr_tail=b"")

    agreed(describe_failure(died, "measure"), failure_hint(died, "php"))
    assert failure_hint(died, "php") != failure_hint(None, "php")


def test_only_the_last_line_of_stderr_is_shown_and_safely() -> None:
    died = ChildDied(255, out_of_memory=False, stderr_tail=b"Warning: a\n\x1b[31mFatal: b\n\n")

    assert describe_failure(died).endswith(r": \x1b[31mFatal: b")


@pytest.mark.parametrize(
    "quoted",
    [
        f"cannot parse {PEM}",
        "cannot parse MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        r"cannot parse -----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B",
        "cannot parse 'BADANBgkqhkiG9w…",
    ],
)
def test_no_part_of_a_key_is_passed_on(quoted: str) -> None:
    shown = redacted(quoted, [PEM])

    assert "cannot parse" in shown
    assert "BADANBgkqhkiG9w" not in shown


def test_words_that_are_no_input_stay() -> None:
    text = "openssl_sign(): Supplied key param cannot be coerced into a private-key-object"

    assert redacted(text, [PEM, "short", ""]) == text
