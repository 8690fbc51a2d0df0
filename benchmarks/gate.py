"""How often a gate is red for two revisions that are equal, and how often where 10 % is planted into the second.

    python -m benchmarks.gate [--gates 30] [--workers N] [--limit 'slower>5%'] [--kind equal]

Both are a C program that counts for about a millisecond, and differ in a comment. The limit is 5 %, a session has 60 s.
With workers, `benchmarks.load bursts` runs beside all gates.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.load.generator import Load
from benchmarks.output import heading, table, target

SOURCE = "int main(void) {{ volatile long sum = 0; while (sum < 1000000) sum++; return 0; }} // {branch}\n"
KINDS = {"equal": (), "slower": ("--added", "change=10%")}
SESSION = "60s"


def repository(folder: Path) -> None:
    """A repository with two branches that do the same."""

    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=b", "-c", "user.email=b@b", *words], cwd=folder, check=True)

    git("init", "--quiet", "--initial-branch=main", ".")
    for branch in ("main", "change"):
        git("checkout", "--quiet", "-B", branch)
        (folder / "count.c").write_text(SOURCE.format(branch=branch))
        git("add", ".")
        git("commit", "--quiet", "--message", branch)


def gate(folder: Path, kind: str, limit: str) -> tuple[str, float]:
    """The outcome of one gate, and its seconds."""
    words = ["--baseline-rev", "main", "--treatment-rev", "change", "--build", "cc -O1 -o count count.c"]
    question = ["run", "command", "./count", "--budget", SESSION, *KINDS[kind]]
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "sectax", "gate", *words, "--limit", limit, "--quiet", "--json", "--", *question],
        cwd=folder,
        env=os.environ | {"SECTAX_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout:
        raise SystemExit(f"gate ended with {done.returncode}: {done.stderr}")
    for run in folder.glob("*.sectax*"):
        run.unlink()
    return json.loads(done.stdout)["outcome"], time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gates", type=int, default=30)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--limit", default="slower>5%")
    parser.add_argument("--kind", choices=list(KINDS), action="append", help="only this one")
    chosen = parser.parse_args()
    kinds = chosen.kind or list(KINDS)
    heading(f"{chosen.gates} gates of each kind, {chosen.limit}, beside {chosen.workers} bursting workers")
    outcomes: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    seconds: dict[str, list[float]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        repository(Path(folder))
        if chosen.workers:
            stack.enter_context(Load("bursts", workers=chosen.workers, seconds=6 * 3600))
        for _ in range(chosen.gates):
            for kind, counted in outcomes.items():
                outcome, took_s = gate(Path(folder), kind, chosen.limit)
                counted[outcome] += 1
                seconds[kind].append(took_s)
                print(f"  {kind}: {outcome}, {took_s:.0f} s", flush=True)
    names = sorted({outcome for counted in outcomes.values() for outcome in counted})
    rows = [
        (kind, *(str(counted[name]) for name in names), f"{sorted(seconds[kind])[chosen.gates // 2]:.0f} s")
        for kind, counted in outcomes.items()
    ]
    table(("revision", *names, "median time"), rows)
    red = {kind: counted["exceeded"] for kind, counted in outcomes.items()}
    allowed = 1 if chosen.workers else 0
    if "equal" in red:
        target("false alarms", red["equal"], allowed, f"{red['equal']} of {chosen.gates}, at most {allowed}")
    if "slower" in red:
        target("planted cost", red["slower"], chosen.gates, f"{red['slower']} of {chosen.gates} red", at_least=True)


if __name__ == "__main__":
    main()
