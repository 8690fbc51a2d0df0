"""Does the shipped program tell the truth here? Many real sessions, with costs that are known beforehand.

    python -m benchmarks.honesty.sessions run --add 20 [--seconds 1200] [--preset quick] [--max-blocks 20]
    python -m benchmarks.honesty.sessions run --arms jwt --load bursts:6 [--priority better] --add 30
    python -m benchmarks.honesty.sessions summary [--runs FOLDER | --file FILE] [--markdown]

`run` starts sectax with fresh seeds and appends what each session found to sessions.jsonl in the folder (runs/honesty,
which git ignores) as soon as it has ended: call it again to add more. With `--load` other work competes with the
session (`python -m benchmarks.load --help` names its kinds). `summary` reads that file; of a folder without one it
reads the run files (*.sectax) themselves. `--markdown` prints the tables of docs/honesty.md, 'Beside a load'.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from benchmarks.honesty import loaded, summary
from benchmarks.honesty.arms import ARMS
from benchmarks.honesty.beside import Beside, read_beside
from benchmarks.honesty.session import Session, from_report
from benchmarks.load.generator import LoadFailed
from benchmarks.output import ROOT, environment, heading

SECTAX = str(Path(sys.executable).with_name("sectax"))
FOLDER = ROOT / "runs" / "honesty"
KEPT = "sessions.jsonl"


def read_list(kept: Path) -> list[Session]:
    return [msgspec.json.decode(line, type=Session) for line in kept.read_bytes().splitlines()]


def read(folder: Path) -> Iterator[Session]:
    """The sessions kept in a folder: its list where it has one, otherwise its run files."""
    kept = folder / KEPT
    if kept.exists():
        yield from read_list(kept)
        return
    for run_file in sorted(folder.glob("*.sectax")):
        said = subprocess.run([SECTAX, "report", run_file, "--format", "json"], capture_output=True, check=False)
        if said.returncode:
            yield Session(run_file.name, trouble=said.stderr.decode().strip()[-200:])
        elif (report := json.loads(said.stdout))["plan"]["experiment"] == "honesty":
            yield from_report(report, run_file)


def one_session(
    arms: str, languages: Sequence[str], preset: str, limits: Sequence[str], beside: Beside, folder: Path
) -> Session:
    """Run the program once; whatever comes of it is a session."""
    stem = f"{datetime.now():%Y%m%d-%H%M%S}"
    run_file = folder / f"{stem}-{arms}-{'-'.join(languages)}.sectax"
    command = [*beside.prefix(), SECTAX, "run", *ARMS[arms].words(languages), *limits]
    command += ["--json", "--out", str(run_file), *(["--quick"] if preset == "quick" and ARMS[arms].presets else [])]
    blank = Session(run_file.name, arms=arms, beside=str(beside), commit=commit())
    references = ARMS[arms].references(languages)
    before = os.getloadavg()[0]
    try:
        with beside.load(seed=random.randrange(1 << 30)) as load:
            done = subprocess.run(command, env=environment(), capture_output=True, check=False)
            after = os.getloadavg()[0]
    except LoadFailed as error:
        return msgspec.structs.replace(blank, trouble=str(error))
    if done.returncode:
        return msgspec.structs.replace(blank, trouble=f"exit status {done.returncode}: {done.stderr.decode()[-200:]}")
    session = from_report(json.loads(done.stdout), run_file, references)
    session.arms, session.beside, session.commit = blank.arms, blank.beside, blank.commit
    session.load = (before, after)
    session.load_cpu_s = None if load is None else load.cpu_s
    return session


def commit() -> str:
    """Of this checkout, with a `+` where it has changes; empty where git cannot say."""
    said = [
        subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False).stdout.strip()
        for words in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "--untracked-files=no"])
    ]
    return said[0] + ("+" if said[1] else "")


def run(given: argparse.Namespace) -> None:
    folder: Path = given.runs
    folder.mkdir(parents=True, exist_ok=True)
    beside = read_beside(given.load, better=given.priority == "better") if given.load else Beside()
    languages = given.language or ["php", "python"]
    # jwt has all languages in each session; those that repeat one operation take them by turns.
    turns = (
        [languages] if given.arms == "jwt" else [["command"]] if given.arms == "command" else [[x] for x in languages]
    )
    limits = ["--max-blocks", str(given.max_blocks)] if given.max_blocks is not None else []
    limits += ["--budget", given.budget] if given.budget is not None else []
    done = sum(1 for _ in read(folder)) if (folder / KEPT).exists() else 0
    began = time.monotonic()
    for number in range(done, done + given.add):
        if time.monotonic() - began > given.seconds:
            print(f"stopped after {given.seconds:g} s")
            break
        turn = turns[number % len(turns)]
        session = one_session(given.arms, turn, given.preset, limits, beside, folder)
        with (folder / KEPT).open("ab") as kept:
            kept.write(msgspec.json.encode(session) + b"\n")
        seconds = "" if session.seconds is None else f", {session.seconds:.0f} s"
        what = f"{given.arms} ({', '.join(turn)}) beside {beside}"
        print(f"session {number + 1}: {what}: {session.blocks} blocks{seconds} {session.trouble}", flush=True)


def show(given: argparse.Namespace) -> None:
    lists = [read_list(file) for file in given.file] or [list(read(given.runs))]
    if given.markdown:
        for sessions in lists:
            print("\n".join(loaded.markdown(sessions)))
        return
    for sessions in lists:
        summary.show([session for session in sessions if session.arms == "alike"])
        loaded.show(sessions)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.honesty.sessions", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    to_run = commands.add_parser("run", help="add sessions")
    to_run.add_argument(
        "--arms", choices=ARMS, default="alike", help="; ".join(f"{name}: {its.shows}" for name, its in ARMS.items())
    )
    to_run.add_argument("--load", metavar="KIND[:WORKERS]", help="let this compete with each session (nothing)")
    to_run.add_argument(
        "--priority", choices=["equal", "better"], default="equal", help="of the load, beside sectax's (equal)"
    )
    to_run.add_argument("--add", type=int, default=20, help="so many more (20)")
    to_run.add_argument("--seconds", type=float, default=1200, help="begin no session after so long (1200)")
    to_run.add_argument("--language", action="append", help="of the probe, by turns (php and python)")
    to_run.add_argument("--preset", choices=["quick", "default"], default="quick")
    to_run.add_argument("--max-blocks", type=int, help="at most so many (sectax's own limit)")
    to_run.add_argument("--budget", metavar="TIME", help="the most time of a session, as in 60s (sectax's own)")
    to_run.set_defaults(call=run)
    to_read = commands.add_parser("summary", help="error rates, detection, blocks and seconds to a verdict")
    to_read.add_argument("--file", type=Path, action="append", default=[], help="a list of sessions, in its place")
    to_read.add_argument("--markdown", action="store_true", help="the tables of docs/honesty.md")
    to_read.set_defaults(call=show)
    for command in (to_run, to_read):
        command.add_argument("--runs", type=Path, default=FOLDER, metavar="FOLDER", help="where they are kept")
    given = parser.parse_args()
    if not getattr(given, "markdown", False):
        heading("Sessions with known costs")
    given.call(given)


if __name__ == "__main__":
    main()
