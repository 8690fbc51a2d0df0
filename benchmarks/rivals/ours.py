"""sectax: one run with the baseline and all treatments, judged by its own report."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.honesty.session import truths_and_ends
from benchmarks.rivals.calling import call
from benchmarks.rivals.kept import BASELINE, EXTRA, Claim, Judged
from benchmarks.rivals.work import chain_command
from sectax.model.finding import FASTER, SLOWER, VerdictId

SECTAX = str(Path(sys.executable).with_name("sectax"))

# Names of treatments begin with a letter or a digit.
_NAMES = {"again": "again", "+2%": "plus2", "+5%": "plus5"}
_LEVELS = {name: level for level, name in _NAMES.items()}


def visit_command(order: Sequence[str], folder: Path, program: Path, budget_s: float) -> list[Judged]:
    """`sectax run command` of the commands that hyperfine is given."""
    words = ["command", "--baseline", chain_command(program, 0.0)]
    for level in order:
        words += ["--treatment", f"{_NAMES[level]}={chain_command(program, EXTRA[level])}"]
    return _run(words, folder, budget_s)


def visit_honesty(order: Sequence[str], folder: Path, budget_s: float) -> list[Judged]:
    """`sectax run honesty` with the Python probe, which makes the calls that pyperf is given."""
    levels = ",".join((BASELINE, *order))
    return _run(["honesty", "--level", "language=python", "--level", f"injected={levels}"], folder, budget_s)


def _run(words: Sequence[str], folder: Path, budget_s: float) -> list[Judged]:
    run_file = folder / "run.sectax"
    report = call([SECTAX, "run", *words, "--budget", f"{budget_s:g}s", "--json", "--out", run_file])
    _, ends = truths_and_ends(run_file)
    return judge(json.loads(report), ends)


def judge(report: Mapping[str, Any], ends: Mapping[str, float]) -> list[Judged]:
    """The verdicts of a report (docs/schemas/report-2.json) in its plan's first metric.

    Args:
        ends: treatment -> seconds from the run's beginning until it was no longer measured.
    """
    levels = {treatment["id"]: treatment["levels"] for treatment in report["treatments"]}
    metric = report["findings"][0]["metric"]
    judged = []
    for finding in report["findings"]:
        if finding["metric"] != metric:
            continue
        verdict, effect, its = finding["verdict"]["id"], finding["effect"], levels[finding["treatment"]]
        level = its["injected"] if "injected" in its else _LEVELS[its["command"]]
        claim = Claim.SLOWER if verdict in SLOWER else Claim.FASTER if verdict in FASTER else Claim.NONE
        ratio = math.exp(effect["log_ratio"]) if effect else None
        answered = claim is not Claim.NONE or verdict == VerdictId.EQUIVALENT
        judged.append(Judged(level, claim, ratio, verdict, ends.get(finding["treatment"]) if answered else None))
    return judged
