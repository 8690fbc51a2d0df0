#!/usr/bin/env python3
"""What starting a program costs, and the least peak memory that can be seen, by who starts it.

    PYTHONPATH=src python benchmarks/command/launch_cost.py [--rounds N]

The rounds take turns, so that all of them meet the same machine. `hyperfine` is asked too where it is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable

import numpy  # noqa: F401 - what sectax has in memory when it measures

from benchmarks.rivals import hyperfine
from sectax.experiments.command.launchers import built_launcher, python_launcher
from sectax.experiments.command.subject import CommandSpec, CommandSubject
from sectax.model.subject import Work

EXECUTIONS = 25  # in each round

Launched = tuple[list[float], int]  # wall times in seconds, the highest peak of memory in bytes
Launch = Callable[[str], Launched]


def by_subprocess(program: str) -> Launched:
    started: list[subprocess.Popen[bytes]] = []

    def start() -> int:
        started.append(subprocess.Popen([program, "nothing"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return started[-1].pid

    launched = by_ourselves(start)
    for process in started:
        process.returncode = 0  # reaped already
    return launched


def by_spawn(program: str) -> Launched:
    return by_ourselves(lambda: os.posix_spawn(program, [program, "nothing"], os.environ))


def by_fork(program: str) -> Launched:
    def start() -> int:
        pid = os.fork()
        if pid == 0:
            os.execv(program, [program, "nothing"])  # noqa: S606
        return pid

    return by_ourselves(start)


def by_ourselves(start: Callable[[], int]) -> Launched:
    walls, peak = [], 0
    for _ in range(EXECUTIONS):
        began = time.perf_counter()
        pid = start()
        _, _, usage = os.wait4(pid, 0)
        walls.append(time.perf_counter() - began)
        peak = max(peak, usage.ru_maxrss * 1024)
    return walls, peak


def by_hyperfine(program: str) -> Launched:
    command = ["hyperfine", "-N", "--runs", str(EXECUTIONS), "--export-json", "/dev/stdout", "--style", "none"]
    done = subprocess.run([*command, f"{program} nothing"], capture_output=True, check=True)
    result = json.loads(done.stdout)["results"][0]
    return hyperfine.values(result), int(max(hyperfine.values(result, "memory_peak_resident"), default=0))


def by_subject(subject: CommandSubject) -> Launched:
    observations = subject.visit(Work(count=EXECUTIONS, settle=2, each=True)).observations
    walls = [observation.value for observation in observations if observation.metric == "wall"]
    return walls, int(observations[-1].value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds

    built = built_launcher()
    programs = {"true": shutil.which("true") or "/bin/true"}
    if built is not None:
        programs = {"nothing": built.argv[0], **programs}
    ways: dict[str, Launch] = {
        "sectax itself, subprocess": by_subprocess,
        "sectax itself, fork": by_fork,
        "sectax itself, posix_spawn": by_spawn,
    }
    if shutil.which("hyperfine"):
        ways["hyperfine -N"] = by_hyperfine
    subjects: list[CommandSubject] = []
    for launcher in (python_launcher(), built):
        if launcher is not None:
            opened: dict[str, CommandSubject] = {}
            for program in programs.values():
                opened[program] = CommandSubject(CommandSpec("it", (program, "nothing")), launcher)
                opened[program].open()
            subjects += opened.values()
            ways[f"launcher, {launcher.name}"] = lambda program, opened=opened: by_subject(opened[program])  # type: ignore[misc]

    walls: dict[tuple[str, str], list[float]] = {}
    peaks: dict[tuple[str, str], int] = {}
    for turn in range(rounds):
        order = list(ways) if turn % 2 else list(reversed(ways))
        for name, program in programs.items():
            for way in order:
                seen, peak = ways[way](program)
                walls.setdefault((name, way), []).extend(seen)
                peaks[name, way] = max(peak, peaks.get((name, way), 0))
    for subject in subjects:
        subject.close()

    print(f"{rounds} rounds of {EXECUTIONS} executions each; wall time in ms, peak memory in MB")
    for name, program in programs.items():
        print(f"\n{name} ({program})")
        print(f"  {'started by':34} {'median':>8} {'p10':>8} {'p90':>8} {'peak memory':>12}")
        for way in ways:
            deciles = statistics.quantiles(walls[name, way], n=10)
            figures = f"{deciles[4] * 1e3:8.3f} {deciles[0] * 1e3:8.3f} {deciles[8] * 1e3:8.3f}"
            print(f"  {way:34} {figures} {peaks[name, way] / 1e6:12.2f}")


if __name__ == "__main__":
    main()
