"""The tools that visit in a session, and what each of them is given."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.rivals import benchstat, criterion, hyperfine, installed, ours, pyperf
from benchmarks.rivals.kept import Judged

# What the rivals in their recommended forms take for a baseline and two treatments: 36 to 46 s, hyperfine 10 s.
BUDGET_S = 38.0
# So that hyperfine has as much time as the others: three commands of 50 ms.
_RUNS = 250


class Tool(NamedTuple):
    """One way to measure.

    Attributes:
        form: how it is called, as the summary prints it.
        subject: what it is given; tools of one subject do the same work.
        visit: measures the baseline and the treatments in this order, in a folder of its own.
        takes_s: seconds of a visit.
        every: it visits in every so-manieth session.
    """

    form: str
    subject: str
    visit: Callable[[Sequence[str], Path], list[Judged]]
    takes_s: float
    every: int = 1


_GO, _PYTHON, _RUST = "HMAC chain, Go", "ES256 signatures, Python", "HMAC chain, Rust"

TOOLS = {
    "hyperfine": Tool("-N --warmup 3", _GO, hyperfine.visit, 11),
    "hyperfine-long": Tool(f"-N --warmup 3 --runs {_RUNS}", _GO, functools.partial(hyperfine.visit, runs=_RUNS), 38, 2),
    "benchstat": Tool("go test -bench -count=10", _GO, benchstat.visit, 37),
    "benchstat-interleaved": Tool(
        "go test -bench -count=1, ten times by turns", _GO, functools.partial(benchstat.visit, interleaved=True), 37
    ),
    "sectax-command": Tool(
        f"run command --budget {BUDGET_S:g}s",
        _GO,
        functools.partial(ours.visit_command, program=installed.go_command, budget_s=BUDGET_S),
        41,
    ),
    "pyperf": Tool("compare_to, 20 processes", _PYTHON, pyperf.visit, 46),
    "sectax-honesty": Tool(
        f"run honesty --budget {BUDGET_S:g}s", _PYTHON, functools.partial(ours.visit_honesty, budget_s=BUDGET_S), 41
    ),
    "criterion": Tool("--save-baseline, --baseline", _RUST, criterion.visit, 39, 2),
    "sectax-command-rust": Tool(
        f"run command --budget {BUDGET_S:g}s",
        _RUST,
        functools.partial(ours.visit_command, program=installed.rust_command, budget_s=BUDGET_S),
        41,
        2,
    ),
}
