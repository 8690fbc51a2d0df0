"""Five everyday questions, asked of sectax and of hyperfine: when each has answered, and whether it is right.

    python -m benchmarks.rivals.five_questions [--load KIND[:WORKERS]] [--budget 60s] [--file FILE] [--only NAME …]
    python -m benchmarks.rivals.five_questions --summary [--markdown] [--file FILE]

Each tool is called as its users call it, in random order. Before them the commands take turns, each timed by the kernel
(user and system time of the process). That is the reference: it says what is faster where the turns are so one-sided
as chance makes them once in a thousand times. An answer is a verdict of sectax, or a p below 0.05 (Welch) of hyperfine.
Seconds are those of the whole program. What was seen is added to FILE (runs/rivals/five.jsonl) as it ends.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from benchmarks.honesty.beside import Beside, read_beside
from benchmarks.output import ROOT, environment, heading, table, target
from benchmarks.rivals import hyperfine
from benchmarks.rivals.calling import ToolFailed, call
from benchmarks.rivals.first_answer import DECIDED
from benchmarks.rivals.kept import BASELINE, Claim, Judged, claim_of
from benchmarks.rivals.ours import SECTAX
from benchmarks.rivals.summary import markdown_table
from sectax.model.finding import FASTER, SLOWER
from sectax.stats.binomial import clopper_pearson

FILE = ROOT / "runs" / "rivals" / "five.jsonl"
REFERENCE, HYPERFINE, OURS = "reference", "hyperfine", "sectax"
LATER_AT_MOST = 1.5
PLAIN = 0.10  # an effect above this is to be answered as soon as that
_TURNS = 24
_SURE = 0.001
_AES = f"-K {'0' * 32} -iv {'0' * 32} -in {{data}} -out /dev/null"

# Question -> its commands by name, the baseline first. {data} is a file of text; {little} its first part.
QUESTIONS = {
    "search": {"grep": "grep -c needle {data}", "rg": "rg -c needle {data}"},
    "compress": {"gzip1": "gzip -1 -c {little}", "gzip6": "gzip -6 -c {little}", "zstd": "zstd -q -c {little}"},
    "encrypt": {
        "aes128": f"openssl enc -aes-128-ctr {_AES}",
        "aes256": f"openssl enc -aes-256-ctr {_AES}".replace("0" * 32 + " -iv", "0" * 64 + " -iv"),
    },
    "start": {"python": f"{sys.executable} -c pass", "isolated": f"{sys.executable} -I -c pass"},
    "hash": {"sha256": "sha256sum {little}", "sha512": "sha512sum {little}", "b2": "b2sum {little}"},
}
_MEBIBYTES, _LITTLE = 32, 2


class Asked(msgspec.Struct):
    """What one tool made of one question; `judged` has one entry for each command but the first, by its name."""

    session: str
    question: str
    tool: str
    seconds: float
    load: tuple[float, float]
    judged: list[Judged]
    beside: str = ""
    trouble: str = ""


def make_data(folder: Path) -> dict[str, str]:
    """Text of words of a made-up language, the same every time; one line in a thousand has what is searched for."""
    draw = random.Random(1)
    words = ["".join(draw.choices("etaoinshrdlucmfw", k=draw.randint(2, 9))) for _ in range(5000)]
    lines = [
        " ".join(draw.choices(words, k=12)) + (" needle" if number % 1000 == 0 else "") for number in range(20_000)
    ]
    text = ("\n".join(lines) + "\n").encode()
    data, little = folder / "data.txt", folder / "little.txt"
    data.write_bytes((text * (_MEBIBYTES * 2**20 // len(text) + 1))[: _MEBIBYTES * 2**20])
    little.write_bytes(data.read_bytes()[: _LITTLE * 2**20])
    return {"data": str(data), "little": str(little)}


def by_turns(commands: Mapping[str, str], turns: int = _TURNS) -> list[Judged]:
    """Processor seconds of every command against those of the first one, by turns in random order."""
    used: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(-1, turns):
        for name in random.sample(list(commands), len(commands)):
            seconds = _processor_seconds(shlex.split(commands[name]))
            if turn >= 0:
                used[name].append(seconds)
    baseline, *others = commands
    judged = []
    for name in others:
        pairs = list(zip(used[name], used[baseline], strict=True))
        ratio = statistics.median(one / other for one, other in pairs)
        slower, faster = sum(one > other for one, other in pairs), sum(one < other for one, other in pairs)
        low, high = clopper_pearson(slower, slower + faster, 1 - _SURE) if slower + faster else (0.0, 1.0)
        judged.append(Judged(name, claim_of(not low <= 0.5 <= high, ratio), ratio, f"{slower} of {turns} slower"))
    return judged


def _processor_seconds(words: Sequence[str]) -> float:
    null = subprocess.DEVNULL
    process = subprocess.Popen(words, stdin=null, stdout=null, stderr=null, env=environment())
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise ToolFailed(f"{words[0]} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


def of_hyperfine(program: str, commands: Mapping[str, str], folder: Path) -> list[Judged]:
    exported = folder / "hyperfine.json"
    words = [program, "--shell=none", "--warmup", "3", "--style", "none", "--export-json", str(exported)]
    for number, (name, command) in enumerate(commands.items()):
        words += ["--command-name", name if number else BASELINE, command]
    call(words)
    return hyperfine.judge(json.loads(exported.read_text()), 0.0)


def of_sectax(commands: Mapping[str, str], folder: Path, budget: str | None) -> list[Judged]:
    (_, first), *others = commands.items()
    words = [SECTAX, "run", "command", "--baseline", first]
    for name, command in others:
        words += ["--treatment", f"{name}={command}"]
    words += ["--budget", budget] if budget else []
    report = json.loads(call([*words, "--quiet", "--json", "--out", folder / "run.sectax"]))
    judged = []
    for finding in report["findings"]:
        if finding["standing"] == "primary":
            verdict, effect = finding["verdict"]["id"], finding["effect"]
            claim = Claim.SLOWER if verdict in SLOWER else Claim.FASTER if verdict in FASTER else Claim.NONE
            ratio = math.exp(effect["log_ratio"]) if effect else None
            judged.append(Judged(finding["treatment"].rpartition("/")[2], claim, ratio, verdict))
    return judged


def ask(question: str, places: Mapping[str, str], program: str, budget: str | None, beside: Beside) -> Iterator[Asked]:
    """The reference, and then both tools in random order."""
    commands = {name: command.format(**places) for name, command in QUESTIONS[question].items()}
    session = datetime.now().astimezone().isoformat(timespec="seconds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ways: dict[str, Callable[[], list[Judged]]] = {
            REFERENCE: lambda: by_turns(commands),
            HYPERFINE: lambda: of_hyperfine(program, commands, folder),
            OURS: lambda: of_sectax(commands, folder, budget),
        }
        for tool in (REFERENCE, *random.sample([HYPERFINE, OURS], 2)):
            before, began, trouble = os.getloadavg()[0], time.monotonic(), ""
            judged: list[Judged] = []
            try:
                judged = ways[tool]()
            except ToolFailed as failed:
                trouble = str(failed)
            seconds, load = time.monotonic() - began, (before, os.getloadavg()[0])
            yield Asked(session, question, tool, seconds, load, judged, str(beside), trouble)


def read(file: Path) -> list[Asked]:
    return [msgspec.json.decode(line, type=Asked) for line in file.read_bytes().splitlines()] if file.exists() else []


def show(asked: Sequence[Asked], *, as_markdown: bool) -> None:
    """One row for each comparison of each session, and the two promises."""
    rows, late, wrong = [], list[float](), {HYPERFINE: 0, OURS: 0}
    for session in dict.fromkeys((answer.session, answer.question) for answer in asked):
        tools = {answer.tool: answer for answer in asked if (answer.session, answer.question) == session}
        if len(tools) < len((REFERENCE, HYPERFINE, OURS)):
            continue
        for truth in tools[REFERENCE].judged:
            row = _row(session[1], truth, tools)
            rows.append(row)
            for tool in wrong:
                said = _of(tools[tool], truth.level)
                wrong[tool] += said is not None and truth.claim is not Claim.NONE and _opposite(said.claim, truth.claim)
            if abs(math.log(truth.ratio or 1.0)) > math.log1p(PLAIN):
                ours = _of(tools[OURS], truth.level)
                answered = ours is not None and ours.said in DECIDED
                late.append(tools[OURS].seconds / tools[HYPERFINE].seconds if answered else math.inf)
    header = ["question", "treatment", "reference", "hyperfine says", "sectax says"]
    header += ["hyperfine, s", "sectax, s", "times", "load"]
    (markdown_table if as_markdown else table)(header, rows, "Costs against the first command of each question")
    print()
    for tool, times in wrong.items():
        target(f"wrong directions of {tool}", float(times), 0.0, f"{times} of {len(rows)}")
    for name, value in (("half", statistics.median(late)), ("the latest", max(late))) if late else ():
        shown = "no answer" if math.isinf(value) else f"{value:.2f} times hyperfine's time, at most {LATER_AT_MOST}"
        target(
            f"sectax's answer where the effect is over {PLAIN:.0%}, {name} of {len(late)}", value, LATER_AT_MOST, shown
        )


def _row(question: str, truth: Judged, tools: Mapping[str, Asked]) -> list[str]:
    rival, ours = tools[HYPERFINE], tools[OURS]
    baseline = next(iter(QUESTIONS[question]))
    known = _cost(truth) if truth.claim is not Claim.NONE else f"not known ({truth.said})"
    return [
        question,
        f"{truth.level} / {baseline}",
        known,
        *(f"{_cost(said)} ({said.said})" if said else item.trouble or "nothing" for item in (rival, ours)
          for said in [_of(item, truth.level)]),
        f"{rival.seconds:.1f}",
        f"{ours.seconds:.1f}",
        f"{ours.seconds / rival.seconds:.2f}",
        f"{min(load for tool in tools.values() for load in tool.load):.1f} to "
        f"{max(load for tool in tools.values() for load in tool.load):.1f}",
    ]  # fmt: skip


def _of(asked: Asked, level: str) -> Judged | None:
    return next((item for item in asked.judged if item.level == level), None)


def _opposite(one: Claim, other: Claim) -> bool:
    return {one, other} == {Claim.SLOWER, Claim.FASTER}


def _cost(judged: Judged) -> str:
    return "–" if judged.ratio is None else f"{100 * (judged.ratio - 1):+.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.rivals.five_questions", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--load", metavar="KIND[:WORKERS]", help="let this compete with all of it (nothing)")
    parser.add_argument("--budget", metavar="TIME", help="of sectax (its default)")
    parser.add_argument("--only", nargs="+", choices=QUESTIONS, default=list(QUESTIONS), metavar="NAME")
    parser.add_argument("--file", type=Path, default=FILE, help="where it is kept")
    parser.add_argument("--summary", action="store_true", help="print what FILE has, and ask nothing")
    parser.add_argument("--markdown", action="store_true", help="as a table for the docs")
    given = parser.parse_args()
    if not given.summary:
        needed = {shlex.split(item)[0] for name in given.only for item in QUESTIONS[name].values()} | {"hyperfine"}
        if missing := sorted(program for program in needed if shutil.which(program) is None):
            parser.error(f"not here: {', '.join(missing)} (Debian: apt-get install hyperfine ripgrep zstd)")
        beside = read_beside(given.load, better=False) if given.load else Beside()
        with tempfile.TemporaryDirectory() as folder, beside.load(seed=1):
            places = make_data(Path(folder))
            given.file.parent.mkdir(parents=True, exist_ok=True)
            for question in given.only:
                for asked in ask(question, places, str(shutil.which("hyperfine")), given.budget, beside):
                    with given.file.open("ab") as kept:
                        kept.write(msgspec.json.encode(asked) + b"\n")
                    said = "; ".join(f"{item.level} {_cost(item)} ({item.said})" for item in asked.judged)
                    print(f"  {question}: {asked.tool}, {asked.seconds:.1f} s: {said}{asked.trouble}", flush=True)
    heading("Five questions")
    show(read(given.file), as_markdown=given.markdown)


if __name__ == "__main__":
    main()
