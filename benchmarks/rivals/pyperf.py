"""pyperf: twenty processes of each, judged by `pyperf compare_to`."""

from __future__ import annotations

import importlib.util
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.rivals.calling import ToolFailed, call
from benchmarks.rivals.installed import HERE
from benchmarks.rivals.kept import BASELINE, EXTRA, Claim, Judged
from benchmarks.rivals.work import SIGNATURES, with_extra
from sectax.experiments.jwt.keys import algorithm_inputs, make_keys
from sectax.parts import probes

_SIGNIFICANT = re.compile(r"^Significant \(t=(\S+)\)$", re.MULTILINE)
_MEANS = re.compile(r" -> .*: (\S+)x (slower|faster)$", re.MULTILINE)


def visit(order: Sequence[str], folder: Path) -> list[Judged]:
    """One run of pyperf for the baseline and for every treatment, in the Python probe's interpreter."""
    found = importlib.util.find_spec("pyperf")
    if found is None or found.origin is None:
        raise ToolFailed("pyperf is not installed here; make dev")
    # pyperf is not among the probe's libraries: a PYTHONPATH that holds only it.
    path = folder / "path"
    path.mkdir()
    (path / "pyperf").symlink_to(Path(found.origin).parent)
    key = folder / "key.pem"
    key.touch(mode=0o600)
    key.write_text(algorithm_inputs(make_keys(["ES256"]), "ES256")["private_key_pem"])
    program = [probes.load("python").command()[0], HERE / "python" / "signs.py", "--key", key, "--quiet"]
    files, took = {}, {}
    for number, level in enumerate((BASELINE, *order)):
        files[level] = folder / f"{number}.json"
        signatures = str(with_extra(SIGNATURES, EXTRA.get(level, 0.0)))
        began = time.monotonic()
        call([*program, "--signatures", signatures, "--output", files[level]], {"PYTHONPATH": str(path)})
        took[level] = time.monotonic() - began
    compare = [sys.executable, "-m", "pyperf", "compare_to", "--verbose", files[BASELINE]]
    return [judge(level, call([*compare, files[level]]), took[BASELINE] + took[level]) for level in order]


def judge(level: str, printed: str, seconds: float) -> Judged:
    """Read what `pyperf compare_to --verbose` prints of two files with one benchmark.

    Raises:
        ToolFailed: it is not what pyperf prints, or its test failed, which pyperf itself takes for significant.
    """
    significant, means = _SIGNIFICANT.search(printed), _MEANS.search(printed)
    if "ERROR" in printed or (significant is None and "Not significant!" not in printed):
        raise ToolFailed(f"pyperf's comparison is not understood: {printed[-300:]}")
    if means is None:  # 'no change': the means are equal
        return Judged(level, Claim.NONE, 1.0, "no change", seconds)
    ratio = 1 / float(means[1]) if means[2] == "faster" else float(means[1])
    if significant is None:
        return Judged(level, Claim.NONE, ratio, "not significant", seconds)
    return Judged(level, Claim(means[2]), ratio, f"t = {significant[1]}", seconds)
