"""The gates of others on the same pairs: two equal revisions, and one with a tenth more work, each measured once.

    python -m benchmarks.gates_of_others [--pairs 60] [--workers N]

Half of the pairs are equal. As in a CI, the baseline was measured before and the change now: hyperfine runs 30
executions of one, then of the other. Each rule then judges the same times: hyperfine by a script (means, 5 %),
benchstat (-alpha 0.05 and 0.01; red with a difference over 5 %), github-action-benchmark (one value against that of
the push before, alert at 105 %), and Bencher's thresholds (percentage of the mean of all earlier baselines; Student's t
at 0.99 over them), by the formulas of their sources. Of what CodSpeed's simulation counts (instructions, caches and
memory, without system calls) the instructions are taken, by cachegrind, 5 %. criterion measures functions, so it times
its own: the same work and a tenth more, by `--save-baseline` and `--baseline`, with a noise threshold of 5 %.

Sources: benchmark-action/github-action-benchmark c38cce98, src/write.ts (`findAlerts`) and action.yml;
bencherdev/bencher 8d75325c, lib/bencher_boundary/src/limits (a new value's prediction interval);
codspeed.io/docs/instruments/cpu.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

from scipy.stats import t as student

from benchmarks.load.generator import Load
from benchmarks.output import heading, table
from benchmarks.rivals import criterion, hyperfine, installed
from benchmarks.rivals.calling import call
from benchmarks.rivals.kept import Claim
from benchmarks.rivals.work import chain_environment

SOURCE = "int main(void) {{ volatile long sum = 0; while (sum < {turns}) sum++; return 0; }}\n"
TURNS = {"equal": 1_000_000, "slower": 1_100_000}
RUNS = 30
LIMIT = 1.05
FEWEST = 5  # earlier values, without which a rule over history says nothing


@dataclass(frozen=True)
class Pair:
    """The times of one push in seconds, the means of all baselines before it, and how many instructions both take.

    Attributes:
        regressed: whether criterion says so of its own two measurements.
    """

    old: list[float]
    new: list[float]
    earlier: list[float]
    instructions: tuple[int, int]
    regressed: bool


def times(program: Path, folder: Path) -> list[float]:
    out = folder / "times.json"
    words = ["hyperfine", "-N", "--warmup", "3", "--runs", str(RUNS), "--export-json", str(out), str(program)]
    subprocess.run(words, check=True, capture_output=True)
    return hyperfine.values(json.loads(out.read_text())["results"][0])


def instructions(program: Path) -> int:
    words = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", str(program)]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stderr
    found = re.search(r"I\s+refs:\s+([\d,]+)", said)
    assert found is not None
    return int(found[1].replace(",", ""))


def by_benchstat(alpha: float, folder: Path) -> Callable[[Pair], bool]:
    def rule(pair: Pair) -> bool:
        for name, seconds in (("old", pair.old), ("new", pair.new)):
            lines = [f"BenchmarkCount 1 {1e9 * second:.0f} ns/op" for second in seconds]
            (folder / name).write_text("\n".join(lines) + "\n")
        words = [
            str(installed.benchstat),
            "-alpha",
            str(alpha),
            "-format=csv",
            str(folder / "old"),
            str(folder / "new"),
        ]
        said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        row = next(line.split(",") for line in said.splitlines() if line.startswith("Count"))
        return row[5] != "~" and float(row[3]) / float(row[1]) > LIMIT

    return rule


def by_percentage(pair: Pair) -> bool:
    return len(pair.earlier) >= FEWEST and fmean(pair.new) > LIMIT * fmean(pair.earlier)


def by_t_test(pair: Pair) -> bool:
    count = len(pair.earlier)
    if count < FEWEST:
        return False
    scale = stdev(pair.earlier) * sqrt(1 + 1 / count)
    return fmean(pair.new) > fmean(pair.earlier) + float(student.ppf(0.99, count - 1)) * scale


def by_criterion(extra: float, folder: Path) -> bool:
    """Shorter than its 3 and 5 s, so that 60 pairs take minutes."""
    words = [installed.rust_benchmark, "--bench", "--noplot", "--warm-up-time", "0.5", "--measurement-time", "1"]
    home = {"CRITERION_HOME": str(folder / "criterion")}
    call([*words, "--save-baseline", "base"], home | chain_environment(0.0))
    said = call([*words, "--noise-threshold", "0.05", "--baseline", "base"], home | chain_environment(extra))
    return criterion.judge("", said, 0.0).claim is Claim.SLOWER


def rules(folder: Path) -> dict[str, Callable[[Pair], bool]]:
    return {
        "hyperfine and a script: means, 5 %": lambda pair: fmean(pair.new) > LIMIT * fmean(pair.old),
        "benchstat -alpha 0.05, over 5 %": by_benchstat(0.05, folder),
        "benchstat -alpha 0.01, over 5 %": by_benchstat(0.01, folder),
        "github-action-benchmark: 105 % of the push before": (
            lambda pair: bool(pair.earlier) and fmean(pair.new) > LIMIT * pair.earlier[-1]
        ),
        "Bencher, percentage 5 % (formula)": by_percentage,
        "Bencher, t-test 0.99 (formula)": by_t_test,
        "criterion --baseline, noise threshold 5 %": lambda pair: pair.regressed,
        "instructions by cachegrind, 5 % (as CodSpeed's simulation)": (
            lambda pair: pair.instructions[1] > LIMIT * pair.instructions[0]
        ),
    }


def measured(pairs: int, folder: Path) -> list[tuple[str, Pair]]:
    """The pairs by turns of their kinds."""
    programs = {}
    for kind, turns in TURNS.items():
        programs[kind] = folder / kind
        (folder / f"{kind}.c").write_text(SOURCE.format(turns=turns))
        subprocess.run(["cc", "-O1", "-o", programs[kind], folder / f"{kind}.c"], check=True)
    counted = {kind: instructions(program) for kind, program in programs.items()}
    made: list[tuple[str, Pair]] = []
    earlier: list[float] = []
    for number in range(pairs):
        kind = list(TURNS)[number % 2]
        old, new = times(programs["equal"], folder), times(programs[kind], folder)
        regressed = by_criterion(TURNS[kind] / TURNS["equal"] - 1, folder)
        made.append((kind, Pair(old, new, list(earlier), (counted["equal"], counted[kind]), regressed)))
        earlier.append(fmean(old))
    return made


def shown(judged: Sequence[tuple[str, Pair]], folder: Path) -> None:
    red: dict[str, Counter[str]] = {}
    for name, rule in rules(folder).items():
        red[name] = Counter(kind for kind, pair in judged if rule(pair))
    of = Counter(kind for kind, _ in judged)
    rows = [(name, *(f"{counted[kind]} of {of[kind]}" for kind in TURNS)) for name, counted in red.items()]
    table(("rule", "equal, red", "a tenth more, red"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--workers", type=int, default=0)
    chosen = parser.parse_args()
    heading(f"the gates of others on {chosen.pairs} pairs, beside {chosen.workers} bursting workers")
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        if chosen.workers:
            stack.enter_context(Load("bursts", workers=chosen.workers, seconds=3600))
        shown(measured(chosen.pairs, Path(name)), Path(name))


if __name__ == "__main__":
    main()
