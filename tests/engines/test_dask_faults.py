"""What a cluster does to a run: workers are killed, hang and lie, and the scheduler ends.

Every host is a machine of its own: a mount namespace in which the kernel's boot id is another one.
"""

from __future__ import annotations

import os
import random
import shlex
import signal
import sqlite3
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.engines.real_cluster import RealCluster
from tests.hosts.processes import running_with
from tests.needs import needs
from tests.program import PROGRAM
from tests.record.runs import read, rows

pytestmark = [pytest.mark.more, needs("mounts")]


def machine(folder: Path, name: str, *inside: str, again: bool = False) -> list[str]:
    """The command prefix that runs a program on a machine of this name; *again* restarts it, as a supervisor does."""
    boot = folder / f"{name}.boot"
    boot.write_text(f"{uuid.uuid5(uuid.NAMESPACE_DNS, name)}\n")
    program = 'while :; do "$@"; sleep 1; done' if again else 'exec "$@"'
    script = f"mount --bind {shlex.quote(str(boot))} /proc/sys/kernel/random/boot_id && hostname {name} && {program}"
    return [*inside, "unshare", "--mount", "--uts", "sh", "-c", script, "sh"]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[RealCluster]:
    with RealCluster(tmp_path) as real:
        yield real


def add_hosts(cluster: RealCluster, *names: str, nanny: bool = False) -> None:
    for name in names:
        cluster.add_worker(*(() if nanny else ("--no-nanny",)), prefix=machine(cluster.folder, name))


@contextmanager
def running(cluster: RealCluster, path: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A run of two commands on the cluster; its end is waited for, unless the test ended it."""
    given = ["run", "command", "true", "sh -c :", "--seed", "7", "--out", str(path), "--on", cluster.on, *words]
    with started(cluster, *given) as process:
        yield process


@contextmanager
def started(cluster: RealCluster, *words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*PROGRAM, *words],
        cwd=cluster.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"SECTAX_STATE": str(cluster.folder / "coordinator")},
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def wait_until(true: Callable[[], object], what: str, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(0.05)


def states(path: Path) -> list[tuple[int, str, str]]:
    """Number, state and host of every block; nothing while there is no file."""
    if not path.exists():
        return []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        try:
            return db.execute("SELECT number, state, host FROM block WHERE number > 0 ORDER BY number").fetchall()
        except sqlite3.OperationalError:  # it is being made
            return []


def finished(path: Path) -> int:
    return sum(state == "finished" for _, state, _ in states(path))


def ended(run: subprocess.Popen[str], seconds: float = 200.0, status: int = 0) -> str:
    """What a run printed, once it has ended."""
    printed, _ = run.communicate(timeout=seconds)
    assert run.returncode == status, printed
    return printed


def own(cluster: RealCluster, word: str) -> list[int]:
    """The processes of this cluster's workers with this word in their command line: other tests may run beside."""
    return running_with(word, environment=f"SECTAX_STATE={cluster.folder / 'state'}\0")


def own_jobs(cluster: RealCluster) -> list[int]:
    return own(cluster, "sectax.cluster.job")


def check_nothing_counts_twice(path: Path, blocks: int) -> None:
    """All blocks are whole, each was recorded once, and what was lost counts nowhere."""
    measured = read(path)
    assert len(measured.blocks) == blocks
    counts = rows(
        path,
        "SELECT COUNT(*), COUNT(DISTINCT round * 100000 + position) FROM trial"
        " JOIN treatment t ON t.number = trial.treatment WHERE t.role = 'baseline'"
        " AND block IN (SELECT number FROM block WHERE state = 'finished') GROUP BY block",
    )
    assert len(counts) == blocks
    assert all(trials == places for trials, places in counts)
    assert rows(path, "SELECT * FROM trial WHERE block IN (SELECT number FROM block WHERE state = 'abandoned')") == []


@pytest.mark.parametrize("wanted", [6, pytest.param(40, marks=pytest.mark.full)])
def test_kills_lose_nothing_and_count_nothing_twice(cluster: RealCluster, tmp_path: Path, wanted: int) -> None:
    names = ("anna", "bert", "cleo")
    add_hosts(cluster, *names, nanny=True)
    path, rng, kills, blocks = tmp_path / "run.sectax", random.Random(1), 0, 2 * wanted + 10
    with running(cluster, path, "--blocks", str(blocks)) as run:
        wait_until(lambda: finished(path), "the first block")
        while kills < wanted and run.poll() is None:
            # By turns a job, and the worker around one: its nanny starts another.
            before, victims = finished(path), own_jobs(cluster)
            if victims:
                victim = victims[rng.randrange(len(victims))]
                with suppress(OSError):
                    if kills % 2:
                        victim = int(Path(f"/proc/{victim}/stat").read_text().rpartition(")")[2].split()[1])
                    os.kill(victim, signal.SIGKILL)
                    kills += 1
                # Otherwise no block would ever come to its end.
                wait_until(lambda: finished(path) > before or run.poll() is not None, "another block")  # noqa: B023
            time.sleep(rng.uniform(0.0, 0.5))
        ended(run, 400)

    assert kills == wanted
    assert any(state == "abandoned" for _, state, _ in states(path))
    check_nothing_counts_twice(path, blocks)


def test_a_worker_that_hangs_is_left_out(cluster: RealCluster, tmp_path: Path) -> None:
    add_hosts(cluster, "anna", "bert")
    path = tmp_path / "run.sectax"
    with running(cluster, path, "--blocks", "8") as run:
        wait_until(lambda: finished(path) >= 2, "two blocks")
        wait_until(lambda: own_jobs(cluster), "a job")
        os.kill(cluster.workers[1].pid, signal.SIGSTOP)
        said = ended(run, 300)
    os.kill(cluster.workers[1].pid, signal.SIGCONT)

    assert " on bert is lost" in said
    check_nothing_counts_twice(path, 8)


def test_a_killed_coordinator_leaves_no_job_and_resumes(cluster: RealCluster, tmp_path: Path) -> None:
    add_hosts(cluster, "anna", "bert")
    path = tmp_path / "run.sectax"
    with running(cluster, path, "--blocks", "10") as run:
        wait_until(lambda: finished(path) >= 2, "two blocks")
        wait_until(lambda: own_jobs(cluster), "a job")
        run.kill()
    wait_until(lambda: not own_jobs(cluster), "the end of its jobs", 30)
    with started(cluster, "resume", str(path), "--on", cluster.on) as run:
        ended(run)

    check_nothing_counts_twice(path, 10)


def test_a_run_outlives_its_scheduler_with_another_cluster(cluster: RealCluster, tmp_path: Path) -> None:
    add_hosts(cluster, "anna", "bert")
    path = tmp_path / "run.sectax"
    with running(cluster, path, "--blocks", "10") as run:
        wait_until(lambda: finished(path) >= 2, "two blocks")
        assert cluster.scheduler is not None
        os.killpg(cluster.scheduler.pid, signal.SIGKILL)
        said, _ = run.communicate(timeout=200)
    assert run.returncode != 0
    assert "the scheduler at tcp://" in said
    assert read(path).state == "interrupted"

    other = tmp_path / "other"
    other.mkdir()
    with RealCluster(other) as another:
        add_hosts(another, "cleo", "dora")
        with started(cluster, "resume", str(path), "--on", another.on) as run:
            ended(run)
    assert {"cleo", "dora"} <= set(read(path).hosts) <= {"anna", "bert", "cleo", "dora"}
    check_nothing_counts_twice(path, 10)


LIARS = {
    "another version": ("import sectax\nsectax.__version__ = '9.9'\n", "sectax 9.9"),
    "visits left out": (
        "from sectax.engines.serial import SerialEngine\n"
        "from sectax.model.trial import Trial\n"
        "honest = SerialEngine.run\n"
        "def run(self, blocks):\n"
        "    seen = 0\n"
        "    for news in honest(self, blocks):\n"
        "        seen += isinstance(getattr(news, 'event', None), Trial)\n"
        "        if seen != 3 or not isinstance(getattr(news, 'event', None), Trial):\n"
        "            yield news\n"
        "SerialEngine.run = run\n",
        "on bert is lost",
    ),
    "another block": (
        "from sectax.engines.engine import BlockFinished\n"
        "from sectax.engines.serial import SerialEngine\n"
        "honest = SerialEngine.run\n"
        "def run(self, blocks):\n"
        "    for news in honest(self, blocks):\n"
        "        ended = isinstance(news, BlockFinished)\n"
        "        yield BlockFinished(news.block + 1, news.seconds) if ended else news\n"
        "SerialEngine.run = run\n",
        "it did not answer with block",
    ),
    "other software": (
        "import importlib.metadata as metadata\n"
        "honest = metadata.version\n"
        "metadata.version = lambda name: '0.0.1' if name == 'cryptography' else honest(name)\n",
        "sectax.cryptography 0.0.1",
    ),
}


@pytest.mark.parametrize("lie", LIARS)
def test_a_worker_that_lies_is_left_out(cluster: RealCluster, tmp_path: Path, lie: str) -> None:
    code, message = LIARS[lie]
    (tmp_path / "lies").mkdir()
    (tmp_path / "lies" / "sitecustomize.py").write_text(code)
    add_hosts(cluster, "anna", "cleo")
    cluster.add_worker(
        "--no-nanny", prefix=["env", f"PYTHONPATH={tmp_path / 'lies'}", *machine(cluster.folder, "bert")]
    )
    path = tmp_path / "run.sectax"
    with running(cluster, path, "--blocks", "8") as run:
        said = ended(run)

    assert message in said
    assert set(read(path).hosts) == {"anna", "cleo"}
    check_nothing_counts_twice(path, 8)
