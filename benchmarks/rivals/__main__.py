"""sectax beside hyperfine, pyperf, benchstat and criterion: the same work, as much time, each by its own rule.

    python -m benchmarks.rivals setup
    python -m benchmarks.rivals run [--seconds 80] [--sessions 1] [--tool NAME]
    python -m benchmarks.rivals summary [--markdown]

In a session every tool visits once, in random order, and measures a baseline, then the baseline again and 2 or 5 %
more work (by turns), these in random order too. `run` goes on where the file ended, and passes over visits that would
not end within the seconds given: call it again and again. A visit is appended to runs/rivals/visits.jsonl (which git
ignores) as it ends.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from benchmarks.output import ROOT, heading
from benchmarks.rivals import installed, summary
from benchmarks.rivals.calling import ToolFailed
from benchmarks.rivals.kept import Judged, Visit, append, read
from benchmarks.rivals.tools import TOOLS

FILE = ROOT / "runs" / "rivals" / "visits.jsonl"


def next_visits(done: Collection[tuple[int, str]], sessions: int, tools: Sequence[str]) -> Iterator[tuple[int, str]]:
    """What is left of the sessions that are begun, and then so many new ones: session and tool.

    The order is drawn from the session's number, so that it is the same when it is gone on with.
    """
    last = max((session for session, _ in done), default=0)
    for session in range(1, last + sessions + 1):
        in_order = random.Random(session).sample(list(TOOLS), len(TOOLS))
        for tool in in_order:
            if tool in tools and session % TOOLS[tool].every == 0 and (session, tool) not in done:
                yield session, tool


def treatments(session: int) -> list[str]:
    """The baseline again, and one of the two costs: more would not fit beside the other tools in 90 s.

    The cost changes after two sessions, so that those who visit every second one get both.
    """
    return ["again", "+2%" if session // 2 % 2 else "+5%"]


def one_visit(session: int, tool: str) -> Visit:
    """Let a tool measure; whatever comes of it is kept."""
    order = treatments(session)
    random.Random(f"{session} {tool}").shuffle(order)
    started, before, began = (
        datetime.now().astimezone().isoformat(timespec="seconds"),
        os.getloadavg()[0],
        time.monotonic(),
    )
    judged: list[Judged] = []
    trouble = ""
    with tempfile.TemporaryDirectory() as folder:
        try:
            judged = TOOLS[tool].visit(order, Path(folder))
        except ToolFailed as failed:
            trouble = str(failed)
    load = (before, os.getloadavg()[0])
    return Visit(session, tool, started, time.monotonic() - began, load, judged, trouble, _commit())


def _commit() -> str:
    """Which sectax this is, as far as git knows."""
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return said.stdout.strip()


def run(given: argparse.Namespace) -> None:
    if missing := installed.missing():
        raise SystemExit(f"not built yet: {', '.join(missing)}\nhint: python -m benchmarks.rivals setup")
    heading("sectax beside its rivals")
    ends = time.monotonic() + given.seconds
    done = {(visit.session, visit.tool) for visit in read(given.file)}
    for session, tool in next_visits(done, given.sessions, given.tool or list(TOOLS)):
        if time.monotonic() + TOOLS[tool].takes_s > ends:
            continue
        visit = one_visit(session, tool)
        append(given.file, visit)
        said = "; ".join(f"{its.level} {its.claim} ({its.said})" for its in visit.judged)
        print(f"  session {session}: {tool}, {visit.seconds:.0f} s: {said}{visit.trouble}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rivals", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    to_set_up = commands.add_parser("setup", help="build the rivals and the subjects into the cache (3 min)")
    to_set_up.set_defaults(call=lambda _: installed.set_up())
    to_run = commands.add_parser("run", help="add visits")
    to_run.add_argument("--seconds", type=float, default=3600, help="begin no visit that would end later (3600)")
    to_run.add_argument("--sessions", type=int, default=1, help="so many more than have begun (1)")
    to_run.add_argument("--tool", action="append", choices=list(TOOLS), help="only this one (may be repeated)")
    to_run.set_defaults(call=run)
    to_read = commands.add_parser("summary", help="how often each was wrong, found a cost, and how soon")
    to_read.add_argument("--markdown", action="store_true", help="as tables for the docs")
    to_read.set_defaults(call=lambda given: summary.show(list(read(given.file)), markdown=given.markdown))
    for command in (to_run, to_read):
        command.add_argument("--file", type=Path, default=FILE, help="where they are kept")
    given = parser.parse_args()
    given.call(given)


if __name__ == "__main__":
    main()
