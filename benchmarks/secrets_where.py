"""Where a hit of the sidecar goes: wrk, and the function's client, outside the Lambda and inside an instance.

    python -m benchmarks.secrets_where [--blocks 6] [--hits 2000]

Outside: AWS's agent and its client are processes of their own, with all of this machine's processors. Inside: in the
network and the control groups of an instance of 1769 MB, so within the time of one processor, with the agent of that
instance; its filter of system calls holds the agent alone. `filtered` is outside, under that filter. The function
itself is called too, and at 3538 MB, where its quota is two processors. `one goroutine` is a client in Go that writes,
waits and reads by turns, with net/http's own writing and reading; `GOMAXPROCS=1` runs one goroutine at a time.
Every block has fresh instances and clients, in random order.

Needs root, what `sectax setup secrets` makes, Go, nsenter and wrk (Debian: `util-linux`, `wrk`), and that nothing
listens on port 2773.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.output import ROOT, heading, ratio, table
from benchmarks.secrets_hits import agent_outside, opened, wrk_script, wrk_seconds
from lambda_local.sandbox.freezer import thaw
from sectax.design.planning import RunRequest
from sectax.experiments.secrets.experiment import EXPERIMENT
from sectax.hosts.process.cgroups import cgroup_folders
from sectax.model.plan import Stopping
from sectax.model.subject import Work
from sectax.run.machine import machine_snapshot
from sectax.stats.student import geometric_mean_interval

PORT = 2773  # of the agent in an instance, where the function's client looks for it
ONE, TWO = "1769", "3538"
WRK = "wrk, outside"
_GROUPS = ("cpu", "cpuacct", "memory", "pids", "cpuset")
# The shell moves itself into the groups, and becomes the program in the instance's network.
_ENTER = """network=$1; groups=$2; shift 2
for group in $groups; do echo $$ > "$group/cgroup.procs" || exit 1; done
exec nsenter "$network" "$@"
"""


_FILTERED = (
    "import os, sys; from lambda_local.inside import calls, kernel; "
    "kernel.install_filter(calls.call_filter(kernel.machine())); os.execv(sys.argv[1], sys.argv[1:])"
)


class Seen(NamedTuple):
    """Microseconds of a hit: of the clock, and of the client's processor where that is known; and the share of periods
    in which the quota ran out, in per cent."""

    clock_us: float
    cpu_us: float | None = None
    held_back: float | None = None


class Inside:
    """The instance of an agent, as a place where other programs run."""

    def __init__(self, agent: int) -> None:
        self.token = Path(f"/proc/{agent}/root/tmp/secrets-agent.token").read_text()
        folders = {item: cgroup_folders(agent, item) for item in (*_GROUPS, "freezer")}
        self._freezer = folders.pop("freezer")[0]
        groups = " ".join(dict.fromkeys(str(folder[0]) for folder in folders.values() if folder))
        self.words = ("sh", "-c", _ENTER, "sh", f"--net=/proc/{agent}/ns/net", groups)

    def run(self, measure: Callable[[], Seen]) -> Seen:
        thaw(self._freezer)  # between two invocations it stands still
        return measure()


def agents() -> set[int]:
    """Every process of AWS's agent."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            if path.read_text().startswith("aws_secretsmana"):
                found.add(int(path.parent.name))
        except OSError:
            pass  # it has ended
    return found


def of_wrk(script: Path, before: Sequence[str] = ()) -> Seen:
    seconds, count = wrk_seconds(script, 1, before)
    return Seen(1e6 * seconds / count)


class Client:
    """The clients in Go outside of a function, each time in a fresh process."""

    def __init__(self, program: Path, name: str, hits: int) -> None:
        self._program, self._name, self._hits = program, name, hits

    def hit(self, way: str, token: str, before: Sequence[str] = (), **environment: str) -> Seen:
        done = subprocess.run(
            [*before, str(self._program)],
            input=f"{way} {self._hits} {self._name}\n",
            env={"AWS_SESSION_TOKEN": token, "PATH": os.environ["PATH"]} | environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        clock, cpu = (int(word) / 1e3 / self._hits for word in done.stdout.split())
        return Seen(clock, cpu)


def of_function(subject: Any, hits: int) -> Seen:
    seen = subject.visit(Work(hits, settle=100)).observations
    times = [observation.value for observation in seen if observation.metric == "access"]
    held_back = [observation.value / observation.count for observation in seen if observation.metric == "held_back"]
    return Seen(1e6 * fmean(times), None, fmean(held_back) if held_back else None)


def block(bench: Any, script: Path, token: str, program: Path, hits: int) -> dict[str, Seen]:
    """Every arm once, with fresh instances."""
    name = bench.keeper.often(32).name
    outside = agents()
    one = opened(bench, "sidecar", "go", ONE)
    try:
        place = Inside((agents() - outside).pop())
        two = opened(bench, "sidecar", "go", TWO)
        try:
            inside_script = wrk_script(script.with_name("inside.lua"), name, place.token, PORT)
            arms: dict[str, Callable[[], Seen]] = {
                WRK: lambda: of_wrk(script),
                "wrk, inside": lambda: place.run(lambda: of_wrk(inside_script, place.words)),
                f"the function, {TWO} MB": lambda: of_function(two, hits),
                f"the function, {ONE} MB": lambda: of_function(one, hits),
            }
            client = Client(program, name, hits)
            for words, way, own in (
                ("Go, one goroutine", "one-goroutine", {}),
                ("the function's client", "function", {}),
                ("the function's client, GOMAXPROCS=1", "function", {"GOMAXPROCS": "1"}),
            ):
                arms[f"{words}, outside"] = partial(client.hit, way, token, **own)
                arms[f"{words}, inside"] = partial(place.run, partial(client.hit, way, place.token, place.words, **own))
            filtered = (sys.executable, "-c", _FILTERED)
            arms["the function's client, filtered"] = partial(client.hit, "function", token, filtered)
            seen = {arm: arms[arm]() for arm in random.sample(list(arms), len(arms))}
            two.close()
        finally:
            two.kill()
        one.close()
    finally:
        one.kill()
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.secrets_where", description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=6, help="fresh instances of each (6)")
    parser.add_argument("--hits", type=int, default=2000, help="of each arm in each of them (2000)")
    given = parser.parse_args()
    for tool, package in (("wrk", "wrk"), ("nsenter", "util-linux"), ("go", "golang-go")):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is not installed\nhint: apt-get install {package}")

    heading("Where a hit of the sidecar goes")
    levels = {"memory": (ONE, TWO), "situation": ("hit",), "language": ("go",), "access": ("dictionary", "sidecar")}
    request = RunRequest("default", levels, Stopping(margin=0.02), seed=1)
    plan = EXPERIMENT.plan(request, machine_snapshot(EXPERIMENT, request))
    if plan.skipped:
        raise SystemExit(f"{plan.skipped[0].reason}\nhint: {plan.skipped[0].hint}")
    blocks = []
    with tempfile.TemporaryDirectory() as folder, EXPERIMENT.bench(plan) as bench:
        program = Path(folder, "secrets_client")
        subprocess.run(
            ["go", "build", "-trimpath", "-o", program, "."], cwd=ROOT / "benchmarks" / "secrets_client", check=True
        )
        bench.start({})
        with agent_outside(bench, Path(folder), PORT) as script:
            token = Path(folder, "token").read_text()
            blocks = [block(bench, script, token, program, given.hits) for _ in range(given.blocks)]

    rows = []
    for arm in sorted(blocks[0], key=lambda arm: fmean(block[arm].clock_us for block in blocks)):
        over = geometric_mean_interval([block[arm].clock_us / block[WRK].clock_us for block in blocks], 0.95)
        columns = [[getattr(block[arm], name) for block in blocks] for name in Seen._fields]
        shown = [f"{fmean(column):.3g}" if None not in column else "–" for column in columns]
        rows.append([arm, *shown, "1" if arm == WRK else ratio(over)])
    table(
        ["", "µs", "client's CPU, µs", "held back, %", "over wrk, outside"],
        rows,
        f"A hit through the sidecar; {given.blocks} blocks; load {os.getloadavg()[0]:.1f} at the end",
    )


if __name__ == "__main__":
    main()
