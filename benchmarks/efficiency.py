"""How narrow an answer is after so many seconds, beside a plain alternating loop of the same operations.

    python -m benchmarks.efficiency [NAME …] [--seconds 40] [--turns 1]

The loop opens every treatment once, makes one visit of each by turns, as many operations in it as a visit of the run,
and cuts what it saw into as many stretches as the run had blocks: Student's t over them, at the run's α/K. It knows
nothing of fresh processes, so what differs from process to process is in none of its intervals: they are narrower than
is right. It makes no pilot, settles nothing, and works where the kernel puts it. The subjects are sectax's own, so the
client libraries are the same.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.output import heading, table, target
from sectax.analysis.findings import judge
from sectax.experiments import registry
from sectax.experiments.interface import Bench
from sectax.model.finding import Effect, Finding
from sectax.model.measured import Measured
from sectax.model.metric import Metric, Summary
from sectax.model.subject import Work
from sectax.model.treatment import Standing
from sectax.record.reader import RunReader
from sectax.stats.student import mean_interval

QUESTIONS = {
    "jwt": ("jwt", "--quick", "--level", "language=python", "--level", "operation=verify"),
    "s3": ("s3", "--quick", "--level", "size=10KB", "--level", "encryption=none,sse-s3"),
    "s3-large": ("s3", "--quick", "--level", "size=100MB", "--level", "encryption=none,sse-s3"),
    "hmac": ("hmac", "--quick"),
    "secrets": ("secrets", "--quick", "--level", "access=dictionary,sidecar"),
    "confidential": (
        "confidential",
        "--quick",
        "--level",
        "test=cpu",
        "--host",
        "plain=local",
        "--host",
        "runc=oci:runc",
    ),
}
# The loop may be so much narrower.
AT_MOST = 1.5
# What one visit of a treatment made of an operation, in the order of the visits.
Seen = dict[str, list[float]]


@dataclass(frozen=True)
class Widths:
    """Of one comparison: half-widths of its interval, as log ratios; None where there is no finite one."""

    comparison: str
    blocks: int
    ours: float | None
    plain: float | None


def run(words: Sequence[str], seconds: float, path: Path) -> Measured | str:
    """A run of sectax to the end of its budget; why there is none, where it is refused."""
    command = [sys.executable, "-m", "sectax", "run", *words, "--until", "budget", "--budget", f"{seconds:g}s"]
    done = subprocess.run([*command, "--out", str(path)], capture_output=True, text=True, check=False)
    if not path.exists():
        said = [line for line in done.stderr.splitlines() if line.startswith("sectax: ")]
        return said[-1] if said else f"exit status {done.returncode}"
    with contextlib.closing(RunReader.open(path)) as reader:
        return reader.measured()


def loop(measured: Measured, seconds: float) -> Seen:
    """The treatments of the run's primary comparisons by turns, opening them included in the seconds."""
    plan, calibrated = measured.plan, measured.calibrated
    assert calibrated is not None
    used = {
        item for finding in primary(measured) for item in (finding.comparison.treatment, finding.comparison.baseline)
    }
    seen: Seen = {name: [] for name in used}
    bench: Bench = registry.load(plan.experiment).bench(plan)
    inputs = bench.inputs()
    with ExitStack() as stack:
        stack.enter_context(bench)
        bench.start(inputs)
        until = time.monotonic() + seconds
        subjects = {name: bench.specs(inputs, calibrated)[name].subject() for name in sorted(used)}
        for subject in subjects.values():
            stack.callback(subject.kill)
            subject.start()
            subject.open()
        while time.monotonic() < until:
            for name, subject in subjects.items():
                visit = subject.visit(Work(calibrated.calibrations[name].count))
                of = [
                    observation for observation in visit.observations if observation.metric == plan.metrics[0].observed
                ]
                seen[name].append(sum(entry.value for entry in of) / max(1, sum(item.count for item in of)))
    return seen


def primary(measured: Measured) -> list[Finding]:
    return [
        finding
        for finding in judge(measured)
        if finding.comparison.standing is Standing.PRIMARY and finding.effect is not None
    ]


def widths(measured: Measured, seen: Mapping[str, Sequence[float]]) -> list[Widths]:
    """Of every primary comparison, ours and that of the loop over as many stretches as there were blocks."""
    found = []
    for finding in primary(measured):
        effect, comparison = finding.effect, finding.comparison
        assert effect is not None
        metric = measured.plan.metric(comparison.metric)
        plain = plain_width(
            seen[comparison.treatment], seen[comparison.baseline], effect.blocks, comparison.alpha, metric
        )
        found.append(Widths(comparison.id, effect.blocks, half_width(effect), plain))
    return found


def half_width(effect: Effect) -> float | None:
    """Of its interval, a log ratio; None where that has no end."""
    half = (effect.high - effect.low) / 2
    return half if math.isfinite(half) else None


def plain_width(
    treatment: Sequence[float], baseline: Sequence[float], blocks: int, alpha: float, metric: Metric
) -> float | None:
    """The half-width of Student's t over equal stretches of the loop; None where a stretch has no visit."""
    visits = min(len(treatment), len(baseline))
    if blocks < 2 or visits < blocks:
        return None
    middle = statistics.median if metric.summary is Summary.MEDIAN else statistics.fmean
    ends = [visits * number // blocks for number in range(blocks + 1)]
    ratios = [
        math.log(middle(treatment[start:end]) / middle(baseline[start:end])) for start, end in itertools.pairwise(ends)
    ]
    interval = mean_interval(ratios, 1 - alpha)
    return None if interval.low is None or interval.high is None else (interval.high - interval.low) / 2


def shown(width: float | None) -> str:
    return "–" if width is None else f"± {100 * math.expm1(width):.2g} %"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.efficiency", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *QUESTIONS], metavar="NAME", help=", ".join(QUESTIONS))
    parser.add_argument("--seconds", type=float, default=40.0, help="of a run, and of the loop beside it (40)")
    parser.add_argument("--turns", type=int, default=1, help="runs of each, the loop after each of them (1)")
    given = parser.parse_args()
    rows, ratios = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for name in given.names or QUESTIONS:
            for turn in range(given.turns):
                load = os.getloadavg()[0]
                measured = run(QUESTIONS[name], given.seconds, Path(folder, f"{name}-{turn}.sectax"))
                if isinstance(measured, str):
                    print(f"{name}: {measured}", flush=True)
                    ratios.setdefault(name, []).append(math.inf)
                    continue
                for width in widths(measured, loop(measured, given.seconds)):
                    ratio = width.ours / width.plain if width.ours is not None and width.plain else None
                    ratios.setdefault(name, []).append(math.inf if ratio is None else ratio)
                    beside = "–" if ratio is None else f"{ratio:.2g}"
                    where = f"{name}: {width.comparison}"
                    rows.append(
                        [where, str(width.blocks), shown(width.ours), shown(width.plain), beside, f"{load:.1f}"]
                    )
    heading(f"Half-widths after {given.seconds:g} s, beside a plain alternating loop")
    table(["comparison", "blocks", "sectax", "loop", "times", "load"], rows)
    print()
    for name, found in ratios.items():
        middle = statistics.median(found)
        target(name, middle, AT_MOST, f"{middle:.2g} times the loop's in the median, at most {AT_MOST:g}")


if __name__ == "__main__":
    main()
