"""What sectax itself costs while it measures: CPU time of its own process, as a share of the time that passes.

    python -m benchmarks.own_cost [--max-blocks 12] [--preset quick] [--preset default]

The program is run as a user runs it, and its process looked at from outside (/proc/PID/stat) when it reports a block.
Processes that it starts, the probes, are not in these figures. 'in blocks' is from the first block's end to the last
one's, without start-up, pilot and report; 'whole' is all of it.

    python -m benchmarks.own_cost --profile

says where its CPU time goes: a run inside this process, under cProfile with the clock of CPU time.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.output import environment, heading, table, target

AT_MOST = 0.03
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
EXPERIMENTS = {
    "jwt": ["jwt"],
    "command": ["command", "--baseline", "sleep 0.05", "--treatment", "longer=sleep 0.055"],
}
PRESETS = {"quick": ["--quick"], "default": []}


@dataclass(frozen=True)
class Cost:
    """Seconds that passed, and seconds of CPU time."""

    wall_s: float
    cpu_s: float

    def __sub__(self, earlier: Cost) -> Cost:
        return Cost(self.wall_s - earlier.wall_s, self.cpu_s - earlier.cpu_s)

    @property
    def share(self) -> float:
        return self.cpu_s / self.wall_s


@dataclass(frozen=True)
class Run:
    """What one run of the program cost: its blocks after the first, and all of it."""

    blocks: int
    during_blocks: Cost
    whole: Cost


def spent(pid: int, began: float) -> Cost:
    """What the process has spent so far, all its threads; it may have ended, if nobody has asked for its status."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return Cost(time.monotonic() - began, (int(fields[11]) + int(fields[12])) * TICK_S)


def run(words: list[str]) -> Run:
    """Run `sectax run …`, and look at its process whenever it reports a block."""
    at: dict[int, Cost] = {}
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "sectax", "run", *words],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stderr is not None
        said = []
        for line in program.stderr:
            said.append(line)
            if found := re.match(r"block (\d+) of at most \d+ ", line):
                at[int(found[1])] = spent(program.pid, began)
        os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
        whole = spent(program.pid, began)
    if program.returncode != 0 or len(at) < 2:
        raise SystemExit(f"sectax run {' '.join(words)} ended with status {program.returncode}:\n{''.join(said[-5:])}")
    return Run(max(at), at[max(at)] - at[min(at)], whole)


def profile(words: list[str], lines: int) -> None:
    """Run it in this process, and print the functions with the most CPU time of their own."""
    import cProfile
    import pstats

    from sectax.cli.main import cli

    profiler = cProfile.Profile(time.process_time)
    profiler.enable()
    try:
        cli.main(["run", *words], standalone_mode=False)
    finally:
        profiler.disable()
        pstats.Stats(profiler).sort_stats("tottime").print_stats(lines).sort_stats("cumtime").print_stats(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.own_cost", description=__doc__.splitlines()[0])
    parser.add_argument("--experiment", action="append", choices=list(EXPERIMENTS), help="jwt, command (both)")
    parser.add_argument("--preset", action="append", choices=list(PRESETS), help="quick, default (both)")
    parser.add_argument("--max-blocks", type=int, default=12, help="of each run (12)")
    parser.add_argument("--profile", type=int, metavar="LINES", nargs="?", const=40, help="where the CPU time goes")
    given = parser.parse_args()
    heading("sectax's own CPU time")
    rows, shares = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for experiment in given.experiment or EXPERIMENTS:
            for preset in given.preset or PRESETS:
                if experiment == "command" and preset != "default":
                    continue  # it has no other
                name = f"{experiment}, {preset}"
                record = Path(folder, f"{experiment}-{preset}.sectax")
                words = [*EXPERIMENTS[experiment], *PRESETS[preset], "--out", str(record)]
                words += ["--max-blocks", str(given.max_blocks)]
                if given.profile:
                    profile(words, given.profile)
                    continue
                cost = run(words)
                shares[name] = cost.during_blocks.share
                parts = [f"{part.cpu_s:.2f} of {part.wall_s:.1f}" for part in (cost.during_blocks, cost.whole)]
                percents = [f"{100 * part.share:.1f} %" for part in (cost.during_blocks, cost.whole)]
                rows.append([name, str(cost.blocks), parts[0], percents[0], parts[1], percents[1]])
    if given.profile:
        return
    table(["", "blocks", "in blocks, s", "share", "whole, s", "share"], rows)
    print()
    for name, share in shares.items():
        target(name, share, AT_MOST, f"{100 * share:.1f} % of the blocks' time, at most {100 * AT_MOST:g} %")


if __name__ == "__main__":
    main()
