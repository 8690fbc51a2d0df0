"""Does the shipped program tell the truth here? Many real sessions, with costs that are known beforehand.

    python -m benchmarks.honesty.sessions run --add 20 [--seconds 1200] [--preset quick] [--max-blocks 20]
    python -m benchmarks.honesty.sessions summary [--runs FOLDER]

`run` starts `sectax run honesty` with fresh seeds, the languages by turns, and appends what each session found to
sessions.jsonl in the folder (runs/honesty, which git ignores) as soon as it has ended: call it again to add more.
`summary` reads that file; of a folder without one it reads the run files (*.sectax) themselves.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from benchmarks.honesty import summary
from benchmarks.honesty.session import Session, from_report
from benchmarks.output import ROOT, environment, heading
from sectax.toolchain import probes

SECTAX = str(Path(sys.executable).with_name("sectax"))
FOLDER = ROOT / "runs" / "honesty"
KEPT = "sessions.jsonl"


def read(folder: Path) -> Iterator[Session]:
    """The sessions kept in a folder: its list where it has one, otherwise its run files."""
    kept = folder / KEPT
    if kept.exists():
        for line in kept.read_bytes().splitlines():
            yield msgspec.json.decode(line, type=Session)
        return
    for run_file in sorted(folder.glob("*.sectax")):
        said = subprocess.run([SECTAX, "report", run_file, "--format", "json"], capture_output=True, check=False)
        if said.returncode:
            yield Session(run_file.name, trouble=said.stderr.decode().strip()[-200:])
        elif (report := json.loads(said.stdout))["plan"]["experiment"] == "honesty":
            yield from_report(report, run_file)


def one_session(language: str, preset: str, max_blocks: int, folder: Path) -> Session:
    """Run the program once; whatever comes of it is a session."""
    run_file = folder / f"{datetime.now():%Y%m%d-%H%M%S}-{language}.sectax"
    command = [SECTAX, "run", "honesty", "--level", f"language={language}", "--max-blocks", str(max_blocks)]
    command += ["--json", "--out", str(run_file), *(["--quick"] if preset == "quick" else [])]
    before = os.getloadavg()[0]
    done = subprocess.run(command, env=environment(), capture_output=True, check=False)
    if done.returncode:
        return Session(run_file.name, trouble=f"exit status {done.returncode}: {done.stderr.decode()[-200:]}")
    session = from_report(json.loads(done.stdout), run_file)
    session.load = (before, os.getloadavg()[0])
    return session


def run(given: argparse.Namespace) -> None:
    folder: Path = given.runs
    folder.mkdir(parents=True, exist_ok=True)
    languages = given.language or list(probes.names())
    done = sum(1 for _ in read(folder)) if (folder / KEPT).exists() else 0
    began = time.monotonic()
    for number in range(done, done + given.add):
        if time.monotonic() - began > given.seconds:
            print(f"stopped after {given.seconds:g} s")
            break
        language = languages[number % len(languages)]
        session = one_session(language, given.preset, given.max_blocks, folder)
        with (folder / KEPT).open("ab") as kept:
            kept.write(msgspec.json.encode(session) + b"\n")
        seconds = "" if session.seconds is None else f", {session.seconds:.0f} s"
        print(f"session {number + 1}: {language}, {session.blocks} blocks{seconds} {session.trouble}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.honesty.sessions", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    to_run = commands.add_parser("run", help="add sessions")
    to_run.add_argument("--add", type=int, default=20, help="so many more (20)")
    to_run.add_argument("--seconds", type=float, default=1200, help="begin no session after so long (1200)")
    to_run.add_argument("--language", action="append", help="of the probe; by turns where given more than once (all)")
    to_run.add_argument("--preset", choices=["quick", "default"], default="quick")
    to_run.add_argument("--max-blocks", type=int, default=40)
    to_run.set_defaults(call=run)
    to_read = commands.add_parser("summary", help="error rates, detection, blocks and seconds to a verdict")
    to_read.set_defaults(call=lambda given: summary.show(list(read(given.runs))))
    for each in (to_run, to_read):
        each.add_argument("--runs", type=Path, default=FOLDER, metavar="FOLDER", help="where they are kept")
    given = parser.parse_args()
    heading("Sessions with known costs")
    given.call(given)


if __name__ == "__main__":
    main()
