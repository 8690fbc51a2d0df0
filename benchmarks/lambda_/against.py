"""The local Lambda of this checkout beside that of an earlier commit, by turns in one run.

    python -m benchmarks.lambda_.against b733260 [--blocks 12] [--turns 3]

Each commit's sources serve an empty function of 1769 MB in a server of their own, with this environment's packages. In
a block both servers are new and visited by turns, so that they meet the same machine; a ratio is the mean over blocks
of this checkout's figure over the other's. Two servers of the same sources differ by more than their turns do (their
heaps lie differently), so turns of one pair would have an interval that is too narrow. Needs what real sandboxes need,
and the commit in this repository.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import io
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import boto3
from botocore.config import Config

from benchmarks.lambda_.service import deploy, resident_mb
from benchmarks.output import ROOT, environment, heading, ratio, table, target
from sectax.stats.student import geometric_mean_interval

WITHIN = 1.03  # what noise may make of 'as before'
HEADERS = {"Authorization": "AWS4-", "X-Amz-Log-Type": "Tail"}


class Visit(NamedTuple):
    """Means of one turn, in microseconds per invocation: of the server's CPU time, the function's, Duration, and what
    the caller waits for the answer."""

    server_cpu: float
    function_cpu: float
    duration: float
    answer: float


FIGURES = {
    "server_cpu": "CPU time of the server",
    "function_cpu": "CPU time of the instance",
    "duration": "Duration up to the answer",
    "answer": "until the caller has its answer",
}


class Served:
    """A server of some sources, a function in it, and one connection to it."""

    def __init__(self, sources: Path) -> None:
        # Commits up to 928002f have it inside sectax, and its settings come by stdin.
        new = (sources / "lambda_local").is_dir()
        words = ["lambda_local", "serve", "--json", "--port", "0", "--instances", "4"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", *(words if new else ["sectax.stack.lambda_service"])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment() | {"PYTHONPATH": str(sources)},
            cwd=sources,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if not new:
            self._process.stdin.write(b'{"instances": 4}\n')
            self._process.stdin.flush()
        ready = json.loads(self._process.stdout.readline() or b'{"endpoint": "", "error": "it did not start"}')
        if ready.get("error"):
            raise SystemExit(f"{sources}: {ready['error']}")
        address = urlsplit(ready["endpoint"])
        self.client = boto3.session.Session().client(
            "lambda",
            endpoint_url=ready["endpoint"],
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",  # noqa: S106 - it means nothing anywhere
            config=Config(retries={"total_max_attempts": 1}, read_timeout=60),
        )
        self._connection = http.client.HTTPConnection(address.hostname or "", address.port)
        deploy(self.client, "empty")

    def visit(self, count: int) -> Visit:
        """Invoke it so many times, back to back."""
        durations, used = 0.0, 0.0
        before, began = self._cpu_ns(), time.perf_counter_ns()
        for _ in range(count):
            measured = self._invoke()
            durations += measured["duration_s"] - measured.get("after_answer_s", 0.0)
            used += measured["cpu_time_s"]
        took, cpu = time.perf_counter_ns() - began, self._cpu_ns() - before
        return Visit(cpu / 1e3 / count, used * 1e6 / count, durations * 1e6 / count, took / 1e3 / count)

    def cold(self) -> float:
        """Milliseconds that a caller waits for the first answer of a new instance."""
        self.client.update_function_configuration(FunctionName="empty", Description=str(random.random()))
        began = time.perf_counter()
        measured = self._invoke()
        took = 1e3 * (time.perf_counter() - began)
        assert "init_s" in measured, "the start was not cold"
        return took

    def resident_mb(self) -> float:
        """Memory of the server."""
        return resident_mb(self._process.pid)

    def close(self) -> None:
        self._connection.close()
        self._process.communicate()

    def _invoke(self) -> dict[str, float]:
        self._connection.request("POST", "/2015-03-31/functions/empty/invocations", b"{}", HEADERS)
        answer = self._connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"an invocation was answered {answer.status}")
        told = answer.headers["X-Lambda-Local-Measured"] or answer.headers["X-Sectax-Measured"]
        seen: dict[str, float] = json.loads(told)
        return seen

    def _cpu_ns(self) -> int:
        """Of all threads of the server that live."""
        tasks = Path(f"/proc/{self._process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


@contextlib.contextmanager
def sources_of(commit: str) -> Iterator[Path]:
    """The folder `src` of a commit."""
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, check=False, capture_output=True)
    if packed.returncode:
        raise SystemExit(f"{commit} is not to be found here: {packed.stderr.decode().strip()} (git fetch --unshallow)")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - instances see the runtime's part of it
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder) / "src"


def block(sources: Path, turns: int, count: int) -> tuple[list[Visit], list[float], list[float]]:
    """Both in fresh servers: the mean turn, the mean cold start in ms, and the memory in MB of each, ours first."""
    visits: tuple[list[Visit], list[Visit]] = ([], [])
    colds: tuple[list[float], list[float]] = ([], [])
    with contextlib.ExitStack() as stack:
        both: dict[int, Served] = {}
        for which in random.sample((0, 1), 2):
            both[which] = Served((ROOT / "src", sources)[which])
            stack.callback(both[which].close)
        for turn in range(-1, turns):
            for which in random.sample((0, 1), 2):
                seen = both[which].visit(count)
                if turn >= 0:
                    visits[which].append(seen)
        for turn in range(-1, turns):
            for which in random.sample((0, 1), 2):
                took = both[which].cold()
                if turn >= 0:
                    colds[which].append(took)
        memory = [both[which].resident_mb() for which in (0, 1)]
    means = [Visit(*map(statistics.fmean, zip(*visit, strict=True))) for visit in visits]
    return means, [statistics.fmean(cold) for cold in colds], memory


def show(ours: Sequence[Visit], theirs: Sequence[Visit], colds: Sequence[Sequence[float]], commit: str) -> None:
    rows = []
    for name, words in FIGURES.items():
        one, other = ([getattr(visit, name) for visit in visits] for visits in (ours, theirs))
        interval = geometric_mean_interval([a / b for a, b in zip(one, other, strict=True)], 0.95)
        rows.append([words, f"{statistics.median(one):.0f}", f"{statistics.median(other):.0f}", ratio(interval)])
    interval = geometric_mean_interval([a / b for a, b in zip(*colds, strict=True)], 0.95)
    medians = [f"{1e3 * statistics.median(cold):.0f}" for cold in colds]
    rows.append(["until the first answer of a new instance", *medians, ratio(interval)])
    table(["µs per invocation", "this", commit, "ratio, 95 % interval"], rows, f"{len(ours)} blocks")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lambda_.against", description=__doc__.splitlines()[0])
    parser.add_argument("commit", nargs="?", default="b733260")
    parser.add_argument("--blocks", type=int, default=12, help="blocks, each with servers of its own (12)")
    parser.add_argument("--turns", type=int, default=3, help="turns in a block, after one that does not count (3)")
    parser.add_argument("--count", type=int, default=200, help="invocations of a turn (200)")
    given = parser.parse_args()
    heading(f"The local Lambda beside {given.commit}")
    visits: tuple[list[Visit], list[Visit]] = ([], [])
    colds: tuple[list[float], list[float]] = ([], [])
    memory: tuple[list[float], list[float]] = ([], [])
    with sources_of(given.commit) as sources:
        for _ in range(given.blocks):
            for kept, value in zip((visits, colds, memory), block(sources, given.turns, given.count), strict=True):
                for which in (0, 1):
                    kept[which].append(value[which])  # type: ignore[attr-defined]
    show(*visits, colds, given.commit)
    print(f"\n  memory of the server: {max(memory[0]):.0f} MB, {max(memory[1]):.0f} MB")
    for name in ("server_cpu", "duration", "answer"):
        logs = [math.log(getattr(a, name) / getattr(b, name)) for a, b in zip(*visits, strict=True)]
        value = math.exp(statistics.fmean(logs))
        target(FIGURES[name], value, WITHIN, f"{value:.3f} times that of {given.commit}, at most {WITHIN}")


if __name__ == "__main__":
    main()
