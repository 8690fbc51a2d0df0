"""How soon does sectax decide between two commands, beside hyperfine's time to print its answer?

    python -m benchmarks.rivals.first_answer [--turns 3] [--until direction] [--baseline CMD] [--treatment CMD]

Both are given the same two commands, by turns and in random order. hyperfine is the one on PATH (Debian: `apt-get
install hyperfine`) or the one that `python -m benchmarks.rivals setup` builds. Each one's time is that of the whole
program, from its start to its end; sectax's counts only where it has decided. hyperfine's question, which
one is slower, is `--until direction`.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.output import heading, table, target
from benchmarks.rivals import hyperfine, installed
from benchmarks.rivals.calling import call
from benchmarks.rivals.kept import BASELINE
from benchmarks.rivals.ours import SECTAX
from sectax.model.finding import FASTER, SLOWER, VerdictId

_TREATMENT = "treatment"
_LATER_AT_MOST = 1.5
# A direction of any grade is an answer to 'is it slower?'.
DECIDED = SLOWER | FASTER | {VerdictId.EQUIVALENT}


class Answer(NamedTuple):
    """Of one tool in one turn.

    Attributes:
        seconds: of the whole program; None where it did not decide.
        ratio: its estimate, treatment over baseline.
        said: a p value, or a verdict.
    """

    seconds: float | None
    ratio: float | None
    said: str


def of_hyperfine(program: str, baseline: str, treatment: str, folder: Path) -> Answer:
    exported = folder / "hyperfine.json"
    command = [program, "--shell=none", "--warmup", "3", "--style", "none", "--export-json", str(exported)]
    command += ["--command-name", BASELINE, baseline, "--command-name", _TREATMENT, treatment]
    began = time.monotonic()
    call(command)
    seconds = time.monotonic() - began
    (judged,) = hyperfine.judge(json.loads(exported.read_text()), seconds)
    return Answer(seconds, judged.ratio, judged.said)


def of_sectax(baseline: str, treatment: str, folder: Path, until: str) -> Answer:
    command = [SECTAX, "run", "command", "--baseline", baseline, "--treatment", f"{_TREATMENT}={treatment}"]
    command += ["--until", until]
    began = time.monotonic()
    report = call([*command, "--json", "--out", folder / "run.sectax"])
    return answer(json.loads(report), time.monotonic() - began)


def answer(report: Mapping[str, Any], seconds: float) -> Answer:
    """The primary finding of a report (docs/schemas/report-2.json) that took so long."""
    (finding,) = (finding for finding in report["findings"] if finding["standing"] == "primary")
    verdict, effect = finding["verdict"]["id"], finding["effect"]
    ratio = math.exp(effect["log_ratio"]) if effect else None
    return Answer(seconds if verdict in DECIDED else None, ratio, verdict)


def later(ours: Sequence[Answer], theirs: Sequence[Answer]) -> float:
    """The median over turns of sectax's time as a multiple of hyperfine's; infinite where it did not decide."""
    return statistics.median(
        math.inf if one.seconds is None or other.seconds is None else one.seconds / other.seconds
        for one, other in zip(ours, theirs, strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.rivals.first_answer", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--turns", type=int, default=3, help="how often each is asked (3)")
    parser.add_argument("--baseline", default="sleep 0.01", metavar="CMD")
    parser.add_argument("--treatment", default="sleep 0.0105", metavar="CMD")
    parser.add_argument(
        "--until", default="verdict", choices=("direction", "verdict"), help="when sectax ends (verdict)"
    )
    given = parser.parse_args()
    program = shutil.which("hyperfine") or (str(installed.hyperfine) if installed.hyperfine.exists() else None)
    if program is None:
        parser.error("hyperfine is not here: apt-get install hyperfine, or python -m benchmarks.rivals setup")
    heading(f"Time to an answer: {given.baseline} and {given.treatment}")
    ours: list[Answer] = []
    theirs: list[Answer] = []
    for _ in range(given.turns):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            visits = [
                lambda: theirs.append(of_hyperfine(program, given.baseline, given.treatment, folder)),  # noqa: B023
                lambda: ours.append(of_sectax(given.baseline, given.treatment, folder, given.until)),  # noqa: B023
            ]
            for visit in random.sample(visits, 2):
                visit()
    rows = [
        [tool, *("–" if x is None else f"{x:.{digits}f}" for x, digits in ((one.seconds, 1), (one.ratio, 3))), one.said]
        for tool, answers in (("hyperfine", theirs), ("sectax", ours))
        for one in answers
    ]
    table(["", "seconds", "cost ratio", "said"], rows, "Each turn")
    ratio = later(ours, theirs)
    shown = "did not decide" if math.isinf(ratio) else f"{ratio:.2f} times hyperfine's"
    target("sectax's time to a verdict", ratio, _LATER_AT_MOST, f"{shown}, at most {_LATER_AT_MOST}")


if __name__ == "__main__":
    main()
