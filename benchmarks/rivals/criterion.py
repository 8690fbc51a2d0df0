"""criterion: a saved baseline, and what it says of later runs (p < 0.05, and beyond its noise threshold of 1 %)."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.rivals import installed
from benchmarks.rivals.calling import ToolFailed, call
from benchmarks.rivals.kept import EXTRA, Claim, Judged
from benchmarks.rivals.work import chain_environment

_CLAIMS = {
    "Performance has regressed.": Claim.SLOWER,
    "Performance has improved.": Claim.FASTER,
    "Change within noise threshold.": Claim.NONE,
    "No change in performance detected.": Claim.NONE,
}
_CHANGE = re.compile(r"change:\s+\[\S+ (\S+)% \S+\] \((p = .*)\)")


def visit(order: Sequence[str], folder: Path) -> list[Judged]:
    """`cargo bench -- --save-baseline base`, then `-- --baseline base` for every treatment."""
    home = {"CRITERION_HOME": str(folder)}
    bench = [installed.rust_benchmark, "--bench", "--noplot"]
    began = time.monotonic()
    call([*bench, "--save-baseline", "base"], home | chain_environment(0.0))
    baseline_s = time.monotonic() - began
    judged = []
    for level in order:
        began = time.monotonic()
        said = call([*bench, "--baseline", "base"], home | chain_environment(EXTRA[level]))
        judged.append(judge(level, said, baseline_s + time.monotonic() - began))
    return judged


def judge(level: str, printed: str, seconds: float) -> Judged:
    """Read the sentence that criterion prints under its change.

    Raises:
        ToolFailed: no such sentence, as without a saved baseline.
    """
    change = _CHANGE.search(printed)
    sentence = next((known for known in _CLAIMS if known in printed), None)
    if change is None or sentence is None:
        raise ToolFailed(f"criterion names no change: {printed[-300:]}")
    percent = float(change[1].replace("\N{MINUS SIGN}", "-"))
    return Judged(level, _CLAIMS[sentence], 1 + percent / 100, f"{sentence} ({change[2]})", seconds)
