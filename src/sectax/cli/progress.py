"""Progress on stderr: one live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import os
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import TextIO

from sectax.run.progress import ProgressLine
from sectax.text.printable import printable

# Seconds between two updates of the live line.
REDRAW_S = 0.25
# Without a live line, a wait is reported after this many seconds, and then repeatedly.
_SILENT_S = 2.0
_AGAIN_S = 20.0
# Without a live line, the state is printed after a new answer, and at this interval.
_STATE_S = 10.0
_CLEAR = "\r\x1b[2K"
_USUAL_WIDTH = 80
_NARROWEST = 20
BAR = 10
FULL, EMPTY = "█", "░"
_PLAIN = str.maketrans(FULL + EMPTY + "·…−±", "#.|~-~")


def live_line(
    doing: str, done: int, total: int, elapsed_s: float, latest: ProgressLine | None, since_s: float, width: int
) -> str:
    """The live line, without its less important parts if they do not fit.

    Args:
        done, total: the bar; none if `total` is 0.
        latest: the state after the last block; None before the first.
        since_s: seconds since then.
        width: columns of the terminal; the last one stays empty, so that nothing wraps.
    """
    room = max(width - 1, 1)
    # The most important part first.
    parts = [(0, _bar(doing, done, total))]
    if latest is not None:
        parts += [
            (1, latest.left.words(since_s)),
            (2, latest.estimate),
            (3, latest.interval),
            (4, latest.answered),
        ]
    parts.append((5, f"{elapsed_s:.0f} s so far"))
    parts_shown = [(rank, printable(text)) for rank, text in parts if text]
    while len(_joined(parts_shown)) > room and len(parts_shown) > 1:
        parts_shown.remove(max(parts_shown))
    return _joined(parts_shown)[:room]


def plain(line: str) -> str:
    """The line in ASCII."""
    return line.translate(_PLAIN).encode("ascii", "replace").decode("ascii")


def _bar(doing: str, done: int, total: int) -> str:
    if not total:
        return doing
    full = BAR * min(done, total) // total
    return f"{doing} {FULL * full}{EMPTY * (BAR - full)}"


def _joined(parts: list[tuple[int, str]]) -> str:
    return " · ".join(text for _, text in parts)


class Loudness(IntEnum):
    QUIET = 0
    USUAL = 1
    VERBOSE = 2


def _monotonic(clock: Callable[[], float]) -> Callable[[], float]:
    """A clock that never goes back, as it may after a paused virtual machine."""
    latest = float("-inf")

    def read() -> float:
        nonlocal latest
        latest = max(latest, clock())
        return latest

    return read


class TerminalProgress:
    """Progress on stderr; the live line is written only while nothing is timed."""

    def __init__(
        self,
        loudness: Loudness = Loudness.USUAL,
        *,
        live: bool = True,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._loudness = loudness
        self._stream = sys.stderr if stream is None else stream
        self._clock = _monotonic(clock)
        can_redraw = live and self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._live = loudness > Loudness.QUIET and can_redraw
        self._began = self._clock()
        self._drawn = float("-inf")
        self._shown = False
        self._known: ProgressLine | None = None
        self._known_at = self._stated = self._began

    def say(self, text: str) -> None:
        if self._loudness > Loudness.QUIET:
            line = printable(text)
            if self._stream.isatty():
                line = textwrap.fill(line, max(self._width() - 1, _NARROWEST), subsequent_indent="  ")
            self._write(f"{self._cleared()}{line}\n")

    def detail(self, text: str) -> None:
        if self._loudness is Loudness.VERBOSE:
            self.say(text)

    def at(self, doing: str, done: int, total: int) -> None:
        if self._live and self._clock() - self._drawn >= REDRAW_S:
            self._draw(doing, done, total)

    def stands(self, progress_line: ProgressLine) -> None:
        before, now = self._known, self._clock()
        self._known, self._known_at = progress_line, now
        is_news = before is None or not before.blocks or before.answered != progress_line.answered
        if progress_line.blocks and (
            self._loudness is Loudness.VERBOSE or (not self._live and (is_news or now - self._stated >= _STATE_S))
        ):
            self._stated = now
            self.say(progress_line.line())

    @contextlib.contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Show a wait from another thread, since nothing is timed."""
        if self._loudness is Loudness.QUIET:
            yield
            return
        ended = threading.Event()
        ticker = threading.Thread(target=self._tick, args=(what, ended), daemon=True)
        ticker.start()
        try:
            yield
        finally:
            ended.set()
            ticker.join()
            self.clear()

    def clear(self) -> None:
        """Remove the live line before other output."""
        cleared = self._cleared()
        if cleared:
            self._write(cleared)

    def _tick(self, what: str, ended: threading.Event) -> None:
        began = self._clock()
        pause = REDRAW_S if self._live else _SILENT_S
        while not ended.wait(pause):
            waited_s = self._clock() - began
            if self._live:
                pause = 2 * REDRAW_S
                self._draw(what, 0, 0)
            else:
                pause = _AGAIN_S
                self.say(f"{what} … {waited_s:.0f} s")

    def _draw(self, doing: str, done: int, total: int) -> None:
        now = self._clock()
        line = live_line(doing, done, total, now - self._began, self._known, now - self._known_at, self._width())
        if "utf" not in (self._stream.encoding or "").lower():
            line = plain(line)
        self._write(_CLEAR + line)
        self._drawn, self._shown = now, True

    def _cleared(self) -> str:
        shown, self._shown = self._shown, False
        return _CLEAR if shown else ""

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or _USUAL_WIDTH
        except (OSError, ValueError):
            return _USUAL_WIDTH

    def _write(self, text: str) -> None:
        # The reader of stderr may have closed the pipe (`2>&1 | head`); the run continues.
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()
