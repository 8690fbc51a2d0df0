"""Text from strangers cannot steer a terminal or deceive a reader."""

from __future__ import annotations

import pytest

from sectax.text.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Größe × 3 – 日本語", "Größe × 3 – 日本語"),
        (b"caf\xc3\xa9", "café"),
        (b"\xff\x00", r"\xff\x00"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("two\nlines\r", r"two\nlines\r"),
        ("abc\u202egnp.exe", r"abc\u202egnp.exe"),
        ("\x9b2J", r"\x9b2J"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_is_not_plain_text_is_escaped(text: str | bytes, shown: str) -> None:
    assert printable(text) == shown


def test_a_cut_is_shown() -> None:
    assert printable("abcdef", 3) == "abc…"
    assert printable("abc", 3) == "abc"
