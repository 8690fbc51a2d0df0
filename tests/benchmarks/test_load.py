"""The load generator starts, is felt, ends by itself and with what started it, and leaves nothing."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.load import Load
from benchmarks.load.generator import LoadFailed
from benchmarks.load.kinds import KINDS
from benchmarks.load.schedule import LONGEST_S, SHORTEST_S, epochs
from tests.hosts.processes import eventually, is_running

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 20.0


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cpu_ticks(pid: int) -> int:
    """Of a process and of what it has started and waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_uses_processors_until_its_end(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    with Load(kind, 2, seconds=60) as load:
        workers = children(load.pid)
        felt = eventually(lambda: sum(map(cpu_ticks, workers)) >= 3)
        left = list(tmp_path.iterdir())

    assert felt
    assert len(workers) == 2
    assert left == []
    assert load.cpu_s > 0
    assert not any(map(is_running, workers))


def test_a_load_ends_after_its_time_by_itself() -> None:
    command = [sys.executable, "-m", "benchmarks.load", "busy", "--workers", "1", "--seconds", "0.2"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ready\nused ")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_process_that_started_them(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "benchmarks.load", "compilers", "--workers", "2", "--seconds", "60"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as load:
        assert load.stdout.readline() == "ready\n"
        workers = children(load.pid)

        load.send_signal(number)

        assert len(workers) == 2
        assert eventually(lambda: not any(map(is_running, workers)))


def test_a_load_ends_when_the_program_around_it_is_killed() -> None:
    program = (
        "import sys, time\nfrom benchmarks.load import Load\n"
        "with Load('busy', 1, seconds=60) as load:\n    print(load.pid, flush=True)\n    time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as around:
        supervisor = int(around.stdout.readline())
        workers = children(supervisor)

        around.kill()

        assert workers
        assert eventually(lambda: not any(map(is_running, [supervisor, *workers])))


def test_a_load_that_fails_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "cc").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "cc").chmod(0o755)

    with pytest.raises(LoadFailed, match=r"\bcc\b.*\b3\b"), Load("compilers", 1, seconds=60) as load:  # noqa: PT012
        workers = children(load.pid)
        assert eventually(lambda: not any(map(is_running, workers)))


def test_bursts_change_as_fast_as_the_pilot_reads_and_crowd_one_processor() -> None:
    seen = list(itertools.islice(epochs(7, 6, (0, 1)), 2000))

    assert all(SHORTEST_S <= epoch.seconds <= LONGEST_S for epoch in seen)
    assert {len(epoch.places) for epoch in seen} == set(range(7))
    crowds = [max(list(epoch.places.values()).count(place) for place in (0, 1)) for epoch in seen]
    assert sum(crowd >= 5 for crowd in crowds) > 100
