"""Go's own benchmarks, ten runs of each, set side by side by benchstat (Mann–Whitney, p < 0.05)."""

from __future__ import annotations

import csv
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.rivals import installed
from benchmarks.rivals.calling import ToolFailed, call
from benchmarks.rivals.kept import BASELINE, EXTRA, Judged, claim_of
from benchmarks.rivals.work import chain_environment

_RUNS = 10
_TEST = ["-test.run=^$", "-test.bench=^BenchmarkChain$"]  # what `go test -bench` hands over


def visit(order: Sequence[str], folder: Path, *, interleaved: bool = False) -> list[Judged]:
    """Ten runs of the baseline and of every treatment.

    As in the example of benchstat's documentation, `-count=10` of one after the other; or interleaved, one run of each
    ten times over, as its tips say.
    """
    passes, count = (_RUNS, 1) if interleaved else (1, _RUNS)
    files = {level: folder / f"{number}.txt" for number, level in enumerate((BASELINE, *order))}
    took = dict.fromkeys(files, 0.0)
    for _ in range(passes):
        for level, file in files.items():
            began = time.monotonic()
            test = [installed.go_benchmark, *_TEST, f"-test.count={count}"]
            with file.open("a") as collected:
                collected.write(call(test, chain_environment(EXTRA.get(level, 0.0))))
            took[level] += time.monotonic() - began
    compare = [installed.benchstat, "-format=csv", files[BASELINE]]
    return [judge(level, call([*compare, files[level]]), took[BASELINE] + took[level]) for level in order]


def judge(level: str, table: str, seconds: float) -> Judged:
    """Read benchstat's table of two files as CSV: `~` stands for no difference.

    Raises:
        ToolFailed: there is no row of the benchmark in it.
    """
    for row in csv.reader(table.splitlines()):
        if row and row[0].startswith("Chain"):
            _, before, _, after, _, difference, p, *_ = row
            ratio = float(after) / float(before)
            return Judged(level, claim_of(difference != "~", ratio), ratio, f"{difference} ({p})", seconds)
    raise ToolFailed(f"benchstat's table has no row of the benchmark: {table[-300:]}")
