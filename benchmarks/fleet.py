"""What a run on many hosts costs its coordinator: 200 simulated hosts that answer with canned blocks.

    python -m benchmarks.fleet [--hosts 200] [--blocks 3000] [--rounds 8]

A real scheduler, and real Dask workers that share two processes: each says that it is a host of its own. The plan, the
pilot and one block of `jwt --quick` are really made in each process; every other block is that one with other times,
in the order that was asked for. The coordinator is the shipped one: it draws blocks, sends jobs, checks answers,
writes the run file and judges after every wave. Promised: 3 ms of CPU and 200 kB a block, 300 MB at a million
observations, 5 blocks a second.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import logging
import multiprocessing
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from sectax import __version__
from sectax.cluster import job
from sectax.cluster.options import ClusterOptions
from sectax.design.planning import RunRequest
from sectax.engines.dask import worker as shipped
from sectax.engines.dask.cluster import Cluster
from sectax.model.plan import Stopping
from sectax.model.trial import BlockEvent, Closed, Opened, PlannedBlock, Trial
from sectax.run.progress import ProgressLine
from sectax.run.start import start

PROCESSES = 2


class Canned:
    """Answers jobs: everything but blocks is done once in this process, and so is the first block."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds
        self._once = threading.Lock()
        self._rng = random.Random(os.getpid())
        self._answers: dict[type, bytes] = {}
        self._opened: dict[str, Opened] = {}
        self._trials: dict[str, Trial] = {}
        self._closed: dict[str, Closed] = {}

    def answer(self, line: bytes) -> bytes:
        asked = job._JOBS.decode(base64.b64decode(line))
        if isinstance(asked, job.BlockJob):
            return self._block(asked)
        with self._once:
            return self._made_once(asked)

    def _made_once(self, asked: job.Job) -> bytes:
        if type(asked) not in self._answers:
            answer = job.do(asked)
            if isinstance(answer, job.PilotResult):  # blocks of one size, whatever else this machine does
                rounds = dict.fromkeys(answer.calibrated.rounds, self._rounds)
                answer = msgspec.structs.replace(answer, calibrated=replace(answer.calibrated, rounds=rounds))
            self._answers[type(asked)] = _line(answer)
        return self._answers[type(asked)]

    def _block(self, asked: job.BlockJob) -> bytes:
        with self._once:
            if not self._trials:
                answer = job.do(asked)
                assert isinstance(answer, job.BlockResult), answer
                for event in job.unpack_events(answer):
                    known: Any = {Opened: self._opened, Trial: self._trials, Closed: self._closed}[type(event)]
                    known[event.treatment] = event
        events = list(self._events(asked.block))
        return _line(job.BlockResult(asked.block.number, 2.0, __version__, job._packed(events, {})))

    def _events(self, block: PlannedBlock) -> list[BlockEvent]:
        events: list[BlockEvent] = []
        for cell in block.cells:
            events += [self._opened[name] for name in cell.opening]
            for visit in cell.visits:
                like = self._trials[visit.treatment]
                slower = 1 + self._rng.gauss(0, 0.01)
                observed = tuple(replace(of, value=of.value * slower) for of in like.observations)
                events.append(replace(like, round=visit.round, position=visit.position, observations=observed))
            events += [self._closed[name] for name in cell.opening]
        return events


def _line(answer: job.Answer) -> bytes:
    return base64.b64encode(zlib.compress(msgspec.msgpack.encode(answer), 1))


def workers(address: str, first: int, last: int, rounds: int) -> None:
    """Hosts of these numbers, in this process."""
    from distributed import Worker

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    canned = Canned(rounds)
    honest = shipped.worker_facts()

    def who(dask_worker: Any) -> dict[str, str]:
        return honest | {"host.name": str(dask_worker.name), "host.boot_id": str(dask_worker.name)}

    def work(asked: shipped.Sealed, module: str, lock: str, limit_s: float) -> shipped.Sealed:
        return shipped.Sealed(canned.answer(asked.content))

    who.__module__ = work.__module__ = shipped.__name__
    who.__qualname__, work.__qualname__ = "who", "work"
    shipped.worker_facts, shipped.run_job = who, work  # type: ignore[assignment]

    async def serve() -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(first, last):
                made = Worker(address, nthreads=1, name=f"host-{number:03}", dashboard_address=None, memory_limit=0)
                group.create_task(_until_closed(made))

    asyncio.run(serve())


async def _until_closed(worker: Any) -> None:
    async with worker:
        await worker.finished()


class Silent:
    """Watches a run, and notes when each wave has ended: seconds, and those of CPU."""

    def __init__(self) -> None:
        self.waves: list[tuple[float, float]] = []

    def say(self, text: str) -> None:
        print(f"  {text}", file=sys.stderr)

    def detail(self, text: str) -> None: ...

    def at(self, doing: str, done: int, total: int) -> None: ...

    def stands(self, progress_line: ProgressLine) -> None:
        if progress_line.answered:  # after a wave
            self.waves.append((time.monotonic(), cpu_s()))

    def waiting(self, what: str) -> ExitStack:
        return ExitStack()


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def coordinate(address: str, hosts: int, blocks: int, path: Path) -> None:
    """The coordinator, in a process of its own: its figures as JSON on stdout."""
    sizes: list[int] = []
    wave: list[Any] = []  # the latest: its jobs and how they were asked for
    honest = Cluster.do

    def counted(self: Cluster, *words: Any) -> Any:
        wave[:] = words
        for answers in honest(self, *words):
            sizes.extend(len(answer) for answer in answers.values() if isinstance(answer, bytes))
            yield answers

    Cluster.do = counted  # type: ignore[method-assign]
    watcher = Silent()
    request = RunRequest("quick", {}, Stopping(0.02, fixed_blocks=blocks), 1)
    outcome = start("jwt", request, path, watcher, on=ClusterOptions(f"dask://{address}", hosts=hosts))  # type: ignore[arg-type]
    # The first wave loads what judges, and the last verdicts are worked out once, however many blocks there are.
    (began, cpu_began), (ended, cpu_ended) = watcher.waves[0], watcher.waves[-1]
    rest = blocks - hosts
    at_end_s = cpu_s() - cpu_ended
    with closing(sqlite3.connect(path)) as db:
        (observations,) = db.execute("SELECT COUNT(*) FROM observation").fetchone()
        (finished,) = db.execute("SELECT COUNT(*) FROM block WHERE state = 'finished'").fetchone()
    kb_a_block, peak_kb = sum(sizes[-blocks:]) / blocks / 1e3, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures = {
        "hosts": len(outcome.analysed.measured.hosts),
        "blocks": finished,
        "observations": observations,
        "cpu_ms_a_block": 1e3 * (cpu_ended - cpu_began) / rest,
        "dask_ms_a_block": 1e3 * _dask_alone(address, hosts, wave, rest // hosts) / rest,
        "at_end_s": at_end_s,
        "kb_a_block": kb_a_block,
        "blocks_a_second": rest / (ended - began),
        "peak_mb": peak_kb / 1024,
        "file_mb": path.stat().st_size / 1e6,
    }
    print(json.dumps(figures))


def _dask_alone(address: str, hosts: int, wave: list[Any], waves: int) -> float:
    """CPU seconds of the same jobs, so many times, whose answers are dropped."""
    cluster = Cluster.connect(address, ca=None, cert=None, key=None)
    cluster.find_hosts(hosts)
    before = cpu_s()
    for _ in range(waves):
        for _ in cluster.do(*wave):
            pass
    used = cpu_s() - before
    cluster.close()
    return used


def measure(hosts: int, blocks: int, rounds: int) -> dict[str, float]:
    """Start scheduler and hosts, and run the coordinator on them."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ended:
        file = Path(folder, "scheduler.json")
        words = [sys.executable, "-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        scheduler = subprocess.Popen([*words, "--scheduler-file", str(file)], **quiet)  # type: ignore[call-overload]
        ended.callback(scheduler.kill)
        while not file.exists() or not file.read_text().strip():
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        spawning = multiprocessing.get_context("spawn")
        share = -(-hosts // PROCESSES)
        for place in range(PROCESSES):
            numbers = place * share, min(hosts, (place + 1) * share)
            some = spawning.Process(target=workers, args=(address, *numbers, rounds))
            some.start()
            ended.callback(some.kill)
        words = [sys.executable, "-m", "benchmarks.fleet", "--coordinate", address.removeprefix("tcp://")]
        sizes = ["--hosts", str(hosts), "--blocks", str(blocks), "--out", str(Path(folder, "run.sectax"))]
        done = subprocess.run([*words, *sizes], stdout=subprocess.PIPE, check=True, text=True)
        figures: dict[str, float] = json.loads(done.stdout)
        return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--blocks", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=8, help="of a block; it has 20 treatments")
    parser.add_argument("--coordinate", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.coordinate:
        coordinate(given.coordinate, given.hosts, given.blocks, given.out)
        return
    figures = measure(given.hosts, given.blocks, given.rounds)
    print(
        "{hosts:.0f} simulated hosts, {blocks:.0f} blocks, {observations:.0f} observations, {file_mb:.0f} MB of file:\n"
        "  {cpu_ms_a_block:.2f} ms of the coordinator's CPU a block (promised: 3); Dask alone: {dask_ms_a_block:.2f}\n"
        "  {at_end_s:.2f} s of it once, at the end\n"
        "  {kb_a_block:.1f} kB a block (promised: 200)\n"
        "  {blocks_a_second:.1f} blocks a second (promised: 5)\n"
        "  {peak_mb:.0f} MB at its peak (promised: 300 at a million observations)".format(**figures)
    )


if __name__ == "__main__":
    main()
