"""What a run announces of its time, and what came: a block, the first verdict, the whole, and 'left' after every block.

    python -m benchmarks.announced [--workers N] [--only NAME …]

Every question is asked alone and beside `benchmarks.load bursts`. A factor of 2 says that it took twice as long as
announced, one of 0.5 half as long. 'At most' is a promise that may only be kept, not met, so the whole is judged by its
being passed alone. What was said after 'left' is compared with what was really left at that moment.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.output import heading, table

# A factor within this is what users may expect.
WITHIN = 1.5

QUESTIONS = {
    "jwt": ("jwt", "--quick", "--level", "language=php"),
    "command": ("command", "--baseline", "sha256sum /bin/bash", "--treatment", "b2=b2sum /bin/bash"),
    "sleeps": ("command", "--baseline", "sleep 0.02", "--treatment", "longer=sleep 0.03"),
    "spaced": ("hmac", "--quick", "--until", "budget", "--budget", "60s"),
    "honesty": ("honesty", "--quick", "--level", "language=python"),
}

_LENGTH = r"([\d.]+ (?:s|min|h|ms)(?: \d+ (?:s|min))?)"
_UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def seconds(text: str) -> float:
    """What `sectax.text.units.seconds` wrote: '4 min 12 s' is 252."""
    return sum(float(number) * _UNITS[unit] for number, unit in re.findall(r"([\d.]+) (ms|s|min|h)", text))


@dataclass(frozen=True)
class Line:
    """A line of progress, and when it came: seconds since the program was started."""

    at_s: float
    text: str


@dataclass(frozen=True)
class Announced:
    """One run: what was said and what came, in seconds; None for what was not said or did not come."""

    block: tuple[float, float] | None
    first: tuple[float, float] | None
    whole: tuple[float, float] | None
    left: tuple[tuple[float, float], ...]


def read(lines: list[Line], ended_s: float) -> Announced:
    """Compare what the lines announce with when the later ones came."""
    blocks = {int(found[1]): line for line in lines if (found := re.match(r"block (\d+)\b.* · ", line.text))}
    told = next((line for line in lines if line.text.startswith("a block takes about")), None)
    block = first = whole = None
    if told is not None and blocks:
        took_s = (max(block.at_s for block in blocks.values()) - told.at_s) / max(blocks)
        block = (seconds(_found(rf"a block takes about {_LENGTH}", told.text)), took_s)
        if 6 in blocks and "first verdict" in told.text:
            first = (
                seconds(_found(rf"first verdict may come after about {_LENGTH}", told.text)),
                blocks[6].at_s - told.at_s,
            )
        whole = (seconds(_found(rf"takes at most about {_LENGTH}", told.text)), ended_s - told.at_s)
    left = []
    for line in blocks.values():
        if found := re.search(rf"first verdict in about {_LENGTH}", line.text):
            left += [(seconds(found[1]), blocks[6].at_s - line.at_s)] if 6 in blocks else []
        elif found := re.search(rf"about {_LENGTH} left", line.text):
            left.append((seconds(found[1]), ended_s - line.at_s))
    return Announced(block, first, whole, tuple(left))


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[1] if found else ""


def watch(words: tuple[str, ...], folder: Path) -> Announced:
    """Run the program, and note when each line came."""
    began = time.monotonic()
    command = [sys.executable, "-m", "sectax", "run", *words, "--out", str(folder / f"{time.time_ns()}.sectax")]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder) as run:
        assert run.stderr is not None
        for text in run.stderr:
            lines.append(Line(time.monotonic() - began, text.rstrip()))
    if run.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {run.returncode}: {lines[-1].text if lines else ''}")
    return read(lines, time.monotonic() - began)


@contextmanager
def load(workers: int) -> Iterator[None]:
    """Bursts of other work for as long as the body takes; none with no workers."""
    if not workers:
        yield
        return
    words = ["-m", "benchmarks.load", "bursts", "--workers", str(workers), "--seconds", "1800", "--with-stdin"]
    with subprocess.Popen([sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as beside:
        assert beside.stdin is not None
        try:
            time.sleep(2.0)
            yield
        finally:
            beside.stdin.close()


def said(pair: tuple[float, float] | None) -> str:
    """'7 → 6.1 s (0.87)': announced, came, and their factor."""
    if pair is None:
        return "–"
    announced, came = pair
    return f"{announced:.3g} → {came:.3g} s ({came / announced:.2f})" if announced else f"0 → {came:.3g} s"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.announced", description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=4, help="of the load beside the second half (4)")
    parser.add_argument("--only", nargs="+", choices=QUESTIONS, default=list(QUESTIONS), metavar="NAME")
    given = parser.parse_args()
    rows, factors, broken = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for workers in (0, given.workers):
            for name in given.only:
                with load(workers):
                    seen = watch(QUESTIONS[name], Path(folder))
                lefts = [came / told for told, came in seen.left if told > 2]
                middle = f"{statistics.median(lefts):.2f} of {len(lefts)}" if lefts else "–"
                beside = f"{workers} workers" if workers else "alone"
                rows.append([name, beside, said(seen.block), said(seen.first), said(seen.whole), middle])
                factors += [came / told for told, came in filter(None, (seen.block, seen.first))] + lefts
                broken += seen.whole is not None and seen.whole[1] > WITHIN * seen.whole[0]
    heading("Announced and come")
    table(["question", "beside", "block", "first verdict", "whole, at most", "left, median factor"], rows, "")
    good = sum(1 / WITHIN <= factor <= WITHIN for factor in factors)
    print(
        f"\n{good} of {len(factors)} announced times are within a factor of {WITHIN}; {broken} runs were longer still"
    )


if __name__ == "__main__":
    main()
