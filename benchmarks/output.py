"""What every benchmark prints: what it shows, its own command line, the date, the machine, tables, and its targets."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from sectax.hosts.process.host import host_identity
from sectax.stats.student import PointInterval

ROOT = Path(__file__).resolve().parents[1]


def heading(title: str) -> None:
    """The lines above the first table."""
    host = host_identity()
    machine = f"{host.get('host.cpu_model', 'unknown CPU')}, {host['host.cpus']} processors, {host['host.kernel']}"
    print(f"\n{title}")
    print(f"  command  {shlex.join(['python', *sys.orig_argv[1:]])}")
    print(f"  date     {datetime.now().astimezone().isoformat(timespec='seconds')}")
    print(f"  machine  {machine}, Python {host['sectax.python']}, load {os.getloadavg()[0]:.2f} at the start")


def table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> None:
    """Columns as wide as what stands in them; the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    print(f"\n{title}" if title else "")
    for row in (header, *rows):
        first, *others = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(["", first, *(cell.strip().rjust(len(cell)) for cell in others)]).rstrip())


def target(name: str, value: float | None, bound: float, shown: str, *, at_least: bool = False) -> None:
    """One line that says whether a target was reached; with no value it was not measured.

    Args:
        shown: the value and the bound as people read them, e.g. '4.4 times, at most 6'.
    """
    if value is None:
        word = "not measured"
    else:
        word = "reached" if (value >= bound if at_least else value <= bound) else "missed"
    _say(word, name, shown)


def near_one(name: str, interval: PointInterval, bound: float) -> None:
    """One line for a ratio that is to lie within *bound* of 1; open where its interval does so only in part."""
    low, high = interval.low, interval.high
    if low is None or high is None or low < 1 - bound < high or low < 1 + bound < high:
        word = "open"
    else:
        word = "reached" if abs(interval.point - 1) <= bound else "missed"
    _say(word, name, f"ratio {ratio(interval)}, within {100 * bound:g} % of 1")


def _say(word: str, name: str, shown: str) -> None:
    print(f"  {word:<12}  {name}: {shown}", flush=True)


def share(count: int, total: int) -> str:
    """`3 of 60: 5.0 % (1.0 to 13.9)`, with the exact binomial interval."""
    from sectax.stats.binomial import clopper_pearson

    if total == 0:
        return "none"
    low, high = clopper_pearson(count, total)
    return f"{count} of {total}: {100 * count / total:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def ratio(interval: PointInterval) -> str:
    """`1.008 (1.004 to 1.012)`; the bounds are left out where there are none."""
    if interval.low is None or interval.high is None:
        return f"{interval.point:.3f}"
    return f"{interval.point:.3f} ({interval.low:.3f} to {interval.high:.3f})"


def environment() -> dict[str, str]:
    """The environment of programs that are started: as a user's, with byte code that is kept once it is compiled."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
