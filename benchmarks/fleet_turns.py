"""The engine on a cluster beside the serial one: two workers of this machine that take turns, and the usual run.

    python -m benchmarks.fleet_turns [--pairs 6] [--blocks 10]

Each pair is two runs of the same plan, blocks and seed, in an order that alternates: here, and on two Dask workers that
are one host. Promised: the same effects within noise, and intervals as wide.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from scipy import stats

LEVELS = ("language=python", "algorithm=RS256,ES256,EdDSA", "operation=sign")


def effects(words: list[str], path: Path) -> dict[str, tuple[float, float, float]]:
    """Of one run the middle, the lower and the upper end of every main comparison, as logs of ratios."""
    called = [sys.executable, "-m", "sectax", *words, "--out", str(path), "--json", "--quiet"]
    said = subprocess.run(called, capture_output=True, text=True, check=False)
    if not said.stdout:
        raise SystemExit(said.stderr)
    document = json.loads(said.stdout)
    found = {}
    for finding in document["findings"]:
        effect = finding.get("effect")
        if finding["standing"] == "primary" and effect:
            found[finding["treatment"]] = tuple(effect[f"log_ratio{end}"] for end in ("", "_low", "_high"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--blocks", type=int, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ended:
        file = Path(folder, "scheduler.json")
        dask = [sys.executable, "-m", "dask"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        words = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
        started = [subprocess.Popen([*dask, *words], **quiet)]  # type: ignore[call-overload]
        ended.callback(lambda: [process.terminate() for process in started])
        while not file.exists() or not file.read_text().strip():
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        started += [
            subprocess.Popen([*dask, "worker", address, "--no-nanny", "--no-dashboard"], **quiet)  # type: ignore[call-overload]
            for _ in range(2)
        ]
        time.sleep(5)
        differences: list[float] = []
        widths: list[float] = []
        for pair in range(given.pairs):
            plan = ["run", "jwt", *(f"--level={level}" for level in LEVELS), "--blocks", str(given.blocks)]
            plan += ["--seed", str(pair)]
            there = [*plan, "--on", address.replace("tcp://", "dask://")]
            runs = [("here", plan), ("there", there)]
            by_place = {
                name: effects(words, Path(folder, f"{pair}-{name}.sectax"))
                for name, words in (runs if pair % 2 else reversed(runs))
            }
            for treatment, (here, low, high) in by_place["here"].items():
                other, other_low, other_high = by_place["there"][treatment]
                differences.append(other - here)
                widths.append((other_high - other_low) / (high - low))
                print(f"pair {pair + 1} {treatment}: here {math.exp(here):.4g}, there {math.exp(other):.4g}")
    mean = statistics.fmean(differences)
    half = stats.t.ppf(0.975, len(differences) - 1) * statistics.stdev(differences) / math.sqrt(len(differences))
    print(
        f"there ÷ here: {100 * math.expm1(mean):+.2f} % ± {100 * half:.2f} over {len(differences)} effects; "
        f"intervals {statistics.geometric_mean(widths):.2f} times as wide"
    )


if __name__ == "__main__":
    main()
