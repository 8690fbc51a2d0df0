"""The one line that a terminal sees in place, as text: what is being done, how far it is, what is known."""

from __future__ import annotations

from sectax.model.printable import printable
from sectax.workflow.progress_line import ProgressLine

BAR = 10
FULL, EMPTY = "█", "░"
_PLAIN = str.maketrans(FULL + EMPTY + "·…−±", "#.|~-~")


def live_line(
    doing: str, done: int, total: int, elapsed_s: float, known: ProgressLine | None, since_s: float, width: int
) -> str:
    """The line, cut to fit: what matters less leaves before what matters more.

    Args:
        done, total: of what the bar shows; no bar where `total` is 0.
        known: what the last block made of the run; None before the first.
        since_s: seconds since then.
        width: of the terminal. Its last column stays free, so that nothing wraps.
    """
    room = max(width - 1, 1)
    # From what leaves last to what leaves first.
    parts = [(0, _bar(doing, done, total))]
    if known is not None:
        parts += [(1, known.left.words(since_s)), (2, known.estimate), (3, known.interval), (4, known.answered)]
    parts.append((5, f"{elapsed_s:.0f} s so far"))
    shown = [(rank, printable(text)) for rank, text in parts if text]
    while len(_joined(shown)) > room and len(shown) > 1:
        shown.remove(max(shown))
    return _joined(shown)[:room]


def plain(line: str) -> str:
    """The line for a terminal that knows ASCII only."""
    return line.translate(_PLAIN).encode("ascii", "replace").decode("ascii")


def _bar(doing: str, done: int, total: int) -> str:
    if not total:
        return doing
    full = BAR * min(done, total) // total
    return f"{doing} {FULL * full}{EMPTY * (BAR - full)}"


def _joined(parts: list[tuple[int, str]]) -> str:
    return " · ".join(text for _, text in parts)
