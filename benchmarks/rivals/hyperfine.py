"""hyperfine: one call with all commands; judged by its own scripts/welch_ttest.py, p < 0.05."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.rivals import installed
from benchmarks.rivals.calling import call
from benchmarks.rivals.kept import BASELINE, EXTRA, Judged, claim_of
from benchmarks.rivals.work import chain_command

_P = 0.05


def visit(order: Sequence[str], folder: Path, *, runs: int | None = None) -> list[Judged]:
    """Every command after the other, the baseline first; without a number of runs hyperfine chooses it (3 s each)."""
    exported = folder / "hyperfine.json"
    command = [installed.hyperfine, "--shell=none", "--warmup", "3", "--style", "none", "--export-json", exported]
    command += ["--runs", str(runs)] if runs is not None else []
    for level in (BASELINE, *order):
        command += ["--command-name", level, chain_command(installed.go_command, EXTRA.get(level, 0.0))]
    began = time.monotonic()
    call(command)
    # One call measures them all, each as long as the other: a pair took two shares.
    seconds = (time.monotonic() - began) * 2 / (1 + len(order))
    return judge(json.loads(exported.read_text()), seconds)


def values(result: Mapping[str, Any], metric: str = "time_wall_clock") -> list[float]:
    """The times or peaks (`memory_peak_resident`) of a result, in seconds or bytes; of version 1 or 2."""
    if "measurements" in result:
        return [measured[metric]["value"] for measured in result["measurements"] if metric in measured]
    return list(result["times"] if metric == "time_wall_clock" else result.get("memory_usage_byte", []))


def _mean(result: Mapping[str, Any]) -> float:
    return float(result["mean"] if "mean" in result else result["summary"]["time_wall_clock"]["mean"])


def judge(exported: Mapping[str, Any], seconds: float) -> list[Judged]:
    """Welch's test of every command of an export against the one that is named as the baseline.

    Raises:
        KeyError: there is no baseline, or it is no export of hyperfine's.
    Source: hyperfine, scripts/welch_ttest.py.
    """
    from scipy.stats import ttest_ind

    results = {result.get("name", result["command"]): result for result in exported["results"]}
    baseline = results.pop(BASELINE)
    judged = []
    for level, result in results.items():
        p = float(ttest_ind(values(baseline), values(result), equal_var=False).pvalue)
        ratio = _mean(result) / _mean(baseline)
        judged.append(Judged(level, claim_of(p < _P, ratio), ratio, f"p = {p:.3g}", seconds))
    return judged
