"""How often a level is said to have changed that did not, how often a change is found, and the time of 500 run files.

    python -m benchmarks.history [--series 1000] [--files 500]

Where ruptures is installed, its PELT has to find the same places.
"""

from __future__ import annotations

import argparse
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.output import heading, table, target
from benchmarks.simulations.run_files import draft, write
from sectax.stats.changes import LEAST, change_points, partition
from sectax.stats.moments import Array

LENGTHS = (10, 20, 50, 200)
SHIFT = 3.0  # standard deviations
NEAR = 2  # places


def share(hit: Callable[[Array], bool], draw: Callable[[], Array], series: int) -> float:
    return sum(hit(draw()) for _ in range(series)) / series


def changes(values: Array) -> bool:
    return bool(change_points(list(values)))


def as_ruptures(values: Array) -> bool:
    import ruptures  # type: ignore[import-not-found, unused-ignore]

    pelt = ruptures.Pelt(model="l2", min_size=LEAST, jump=1).fit(values[:, None])
    return tuple(pelt.predict(pen=5 * np.log(len(values)))[:-1]) == partition(values)


def alarms(series: int) -> None:
    rng = np.random.default_rng(1)

    def shifted(length: int) -> Array:
        return np.asarray(rng.normal(0, 1, length) + SHIFT * (np.arange(length) >= length // 2))

    def near(values: Array) -> bool:
        return any(abs(place - len(values) // 2) <= NEAR for place in change_points(list(values)))

    def drifting(length: int) -> Array:
        """Each takes 0.3 of the one before."""
        values = rng.normal(0, 1, length)
        for place in range(1, length):
            values[place] += 0.3 * values[place - 1]
        return values

    independent: dict[str, Callable[[int], Array]] = {
        "normal": lambda length: rng.normal(0, 1, length),
        "heavy tails (t, 3)": lambda length: rng.standard_t(3, length),
        "skewed": lambda length: rng.lognormal(0, 1, length),
        "3 % far off": lambda length: rng.normal(0, 1, length) + 20 * (rng.random(length) < 0.03),
        "a tenth differs": lambda length: (rng.random(length) < 0.1).astype(np.float64),
    }
    rows, worst = [], 0.0
    for length in LENGTHS:
        false = [share(changes, functools.partial(draw, length), series) for draw in independent.values()]
        drift = share(changes, functools.partial(drifting, length), series)
        found = share(near, functools.partial(shifted, length), series)
        worst = max(worst, *false)
        rows.append((str(length), *(f"{rate:.1%}" for rate in (*false, drift)), f"{found:.0%}"))
    table(("runs", *independent, "drifting", f"a shift of {SHIFT:g} deviations found"), rows)
    target("false alarms", worst, 0.03, f"{worst:.1%} of independent series without a change")
    if find_spec("ruptures"):
        same = sum(as_ruptures(shifted(40)) for _ in range(200))
        print(f"  ruptures' PELT finds the same places in {same} of 200 series")


def speed(files: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, rng = Path(name) / "runs", np.random.default_rng(2)
        folder.mkdir()
        write(draft(rng, blocks=12, rounds=8), folder / "0.sectax", rng, eventful=False)
        for number in range(1, files):
            shutil.copy(folder / "0.sectax", folder / f"{number}.sectax")
        for what in ("first time", "again", "with one more"):
            if what == "with one more":
                shutil.copy(folder / "0.sectax", folder / "new.sectax")
            began = time.monotonic()
            subprocess.run(
                [sys.executable, "-m", "sectax", "history", str(folder), "--json"],
                env=os.environ | {"SECTAX_CACHE": str(Path(name) / "cache")},
                stdout=subprocess.DEVNULL,
                check=True,
            )
            took_s = time.monotonic() - began
            target(f"{files} run files, {what}", took_s, 3.0, f"{took_s:.1f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, default=1000)
    parser.add_argument("--files", type=int, default=500)
    chosen = parser.parse_args()
    heading("the history of costs")
    alarms(chosen.series)
    speed(chosen.files)
