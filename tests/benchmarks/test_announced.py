"""What is compared with what in `benchmarks.announced`."""

from __future__ import annotations

import pytest

from benchmarks.announced import Line, read, seconds

TOLD = (
    "a block takes about 2 s, so the first verdict may come after about 12 s; the whole takes at most about 1 min 40 s"
)


def lines(*blocks_s: float) -> list[Line]:
    said = [Line(5.0, TOLD)]
    for number, at_s in enumerate(blocks_s, start=1):
        left = f"first verdict in about {12 - 2 * number} s" if number < 6 else "nearly done"
        said.append(Line(at_s, f"block {number} · {at_s:.0f} s · 0 of 1 decided · {left} · b: 3 % slower"))
    return said


@pytest.mark.parametrize(("text", "length"), [("4 min 12 s", 252.0), ("62 s", 62.0), ("3 h 12 min", 11_520.0)])
def test_lengths_are_read_as_they_are_written(text: str, length: float) -> None:
    assert seconds(text) == length


def test_what_was_announced_stands_beside_what_came() -> None:
    seen = read(lines(8, 11, 14, 17, 20, 23), 24.0)

    assert seen.block == (2.0, 3.0)
    assert seen.first == (12.0, 18.0)
    assert seen.whole == (100.0, 19.0)
    assert seen.left[0] == (10.0, 15.0)
    assert len(seen.left) == 5


def test_a_run_that_ended_before_a_verdict_has_none() -> None:
    seen = read(lines(8, 11), 12.0)

    assert seen.first is None
    assert seen.left == ()
