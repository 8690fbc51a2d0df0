"""What a terminal sees while a run goes on, and what a pipe does."""

from __future__ import annotations

import codecs
import fcntl
import io
import os
import pty
import re
import statistics
import struct
import subprocess
import termios
import time
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest

from sectax.cli.progress import REDRAW_S, Loudness, TerminalProgress, live_line
from sectax.run.progress import ProgressLine, TimeLeft, in_pilot
from tests.fakes.screen import Screen
from tests.program import PROGRAM, sectax

KNOWN = ProgressLine(
    "block 7",
    9.0,
    "1 of 2 decided",
    TimeLeft(about_s=8.0, most_s=100.0),
    "php/verify/EdDSA: 2.6 times slower",
    "1.1 to 6.1 times slower",
)
SLEEPS = ("run", "command", "--baseline", "sleep 0.01", "--treatment", "longer=sleep 0.03")


class Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def seen_by(stream: io.StringIO, loudness: Loudness = Loudness.USUAL) -> tuple[TerminalProgress, Clock]:
    clock = Clock()
    return TerminalProgress(loudness, stream=stream, clock=clock), clock


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


def drawn(terminal: Terminal) -> list[str]:
    """What stood on the live line, one after the other."""
    return terminal.getvalue().split("\r\x1b[2K")[1:]


@pytest.mark.parametrize("width", [20, 40, 80, 100, 140])
def test_the_line_fits_and_loses_what_matters_least(width: int) -> None:
    line = live_line("block 8", 3, 10, 12.0, KNOWN, 1.0, width)

    assert len(line) < width
    assert line.startswith("block 8 ███░░░░░░░")
    assert ("7 s" in line) == (width >= 40)
    assert ("2.6 times" in line) == (width >= 80)
    assert ("1.1 to 6.1" in line) == (width >= 100)
    assert "…" not in line


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_a_clock_that_jumps_back_makes_no_negative_time(stream: io.StringIO) -> None:
    progress, clock = seen_by(stream)
    clock.now += 9
    progress.stands(KNOWN)
    clock.now -= 3600
    progress.at("block 8", 1, 10)
    clock.now -= 3600
    progress.at("block 8", 2, 10)

    assert re.search(r"[-−]\d+ s", stream.getvalue()) is None
    assert "block" in stream.getvalue()


def test_the_line_is_rewritten_in_place_and_not_more_often_than_an_eye_follows(terminal: Terminal) -> None:
    progress, clock = seen_by(terminal)

    for visit in range(1000):
        clock.now += 0.001
        progress.at("block 1", visit, 1000)

    assert 1 / REDRAW_S - 1 <= len(drawn(terminal)) <= 1 / REDRAW_S + 1
    assert "\n" not in terminal.getvalue()


def test_a_line_that_stays_takes_the_live_one_away(terminal: Terminal) -> None:
    progress, _ = seen_by(terminal)
    progress.at("block 1", 1, 2)

    progress.say("said")

    assert terminal.getvalue().endswith("\r\x1b[2Ksaid\n")


def test_time_left_counts_down_between_blocks_and_is_never_negative(terminal: Terminal, agreed) -> None:
    progress, clock = seen_by(terminal)
    progress.stands(KNOWN)
    for _ in range(130):
        clock.now += 1
        progress.at("block 8", 1, 2)

    lines = drawn(terminal)
    agreed(lines[0], lines[7], lines[-1])  # after 7 s the guess has run out: what is sure stays
    assert not any("-" in line for line in lines)


def test_time_left_of_the_pilot_is_reported_and_gone_when_it_has_run_out(terminal: Terminal, agreed) -> None:
    progress, clock = seen_by(terminal)
    progress.stands(in_pilot(12.0, 3.0))
    progress.at("pilot 3/16", 3, 16)
    clock.now += 20
    progress.at("pilot 15/16", 15, 16)

    agreed(*drawn(terminal))


@pytest.mark.parametrize(("loudness", "stated"), [(Loudness.USUAL, 3), (Loudness.VERBOSE, 11)])
def test_a_pipe_gets_what_is_new_and_a_line_now_and_then_and_nothing_in_place(loudness: Loudness, stated: int) -> None:
    pipe = io.StringIO()
    progress, clock = seen_by(pipe, loudness)
    another = replace(KNOWN, answered="2 of 2 decided")

    progress.at("block 7", 1, 2)
    for _ in range(10):  # the first, and one after ten seconds
        progress.stands(KNOWN)
        clock.now += 1.2
    progress.stands(another)

    lines = pipe.getvalue().splitlines()
    assert len(lines) == stated
    assert (lines[0], lines[-1]) == (KNOWN.line(), another.line())


def test_a_watcher_that_has_gone_ends_nothing() -> None:
    gone = Terminal()
    progress, _ = seen_by(gone)
    gone.close()

    progress.say("nobody hears this")
    progress.at("block 1", 1, 2)


def test_by_default_a_plain_difference_ends_at_its_first_verdict(tmp_path) -> None:
    usual, precise = (
        sectax(*SLEEPS, "--seed", "1", "--out", f"{number}.sectax", *more, folder=tmp_path, simulated=3)
        for number, more in enumerate(((), ("--until", "budget", "--max-blocks", "9")))
    )

    assert "preset: 6 blocks" in usual.out
    assert "preset: 9 blocks" in precise.out


@dataclass
class Recording:
    """What a terminal was sent, piece by piece, each with the time at which it came."""

    pieces: list[tuple[float, str]]

    def played(self, width: int) -> Screen:
        screen = Screen(width)
        screen.feed("".join(text for _, text in self.pieces))
        return screen

    def gaps(self) -> list[float]:
        """Seconds between one change of the screen and the next."""
        times = [at for at, _ in self.pieces]
        return [after - before for before, after in pairwise(times)]


def recorded(folder: Path, width: int, *words: str) -> Recording:
    """Run the program with a terminal of this width as its stderr."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    run = subprocess.Popen([*PROGRAM, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    decode = codecs.getincrementaldecoder("utf-8")().decode
    pieces = []
    try:
        while piece := os.read(ours, 65536):
            # A terminal makes \r\n of \n.
            pieces.append((time.monotonic(), decode(piece).replace("\r\n", "\n")))
    except OSError:
        pass  # the other end was closed: the run is over
    finally:
        os.close(ours)
    assert run.wait() == 0
    return Recording(pieces)


@pytest.mark.more
@pytest.mark.parametrize("width", [80, 100, 140])
def test_a_real_run_on_a_terminal_keeps_to_one_line(tmp_path, width: int) -> None:
    recording = recorded(tmp_path, width, *SLEEPS, "--out", "r.sectax", "--max-blocks", "6")
    screen = recording.played(width)

    # On a terminal without an edge only the lines that stay are left; the plan is long, and runs over ours.
    stays = recording.played(100_000).rows
    assert any(line.startswith("pilot ") for line in screen.live)
    assert any(re.match("block [1-6] [█░]{10}", line) for line in screen.live)
    assert any("first verdict" in line for line in screen.live)
    assert all(len(line) < width for line in screen.live)
    assert screen.wrapped == sum((len(line) - 1) // width for line in stays if line)
    assert not any("█" in row or "░" in row for row in screen.rows)
    assert screen.rows[-1] == ""
    assert statistics.median(recording.gaps()) <= 1
