"""Children do not survive sectax, even where it is killed by SIGKILL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sectax.hosts.process.guardian import Guardian
from tests.hosts.processes import is_running, wait_until_gone

SRC = Path(__file__).parents[2] / "src"

# A child that ignores the end of its stdin and every signal that can be ignored, and has a child of its own.
_SECTAX = """
import sys, time
from sectax.hosts.process.child import Child
child = Child(["sh", "-c", "trap '' HUP TERM INT; sleep 60 & echo $! $$; wait; sleep 60"])
print(child.receive_line(time.monotonic() + 60).decode(), flush=True)
{then}
"""


@pytest.mark.parametrize(("then", "status"), [("time.sleep(60)", -signal.SIGKILL), ("sys.exit(0)", 0)])
def test_nothing_survives_when_sectax_is_killed_or_ends_without_a_goodbye(then: str, status: int) -> None:
    argv = [sys.executable, "-c", _SECTAX.format(then=then)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(SRC)}) as sectax:
        pids = [int(word) for word in sectax.stdout.readline().split()]
        if status:
            assert all(map(is_running, pids))
            sectax.kill()

        assert sectax.wait() == status
        assert all(map(wait_until_gone, pids))


@pytest.fixture
def sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"], start_new_session=True)


def test_a_dismissed_guardian_kills_what_it_watches(sleeper: subprocess.Popen[bytes]) -> None:
    guardian = Guardian()
    guardian.watch(sleeper.pid)

    guardian.dismiss()

    assert sleeper.wait(60) == -signal.SIGKILL


def test_released_groups_survive(sleeper: subprocess.Popen[bytes]) -> None:
    guardian = Guardian()
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
        guardian.watch(sleeper.pid)
        guardian.watch(other.pid)
        guardian.release(sleeper.pid)

        guardian.dismiss()

        assert other.wait(60) == -signal.SIGKILL
        assert sleeper.poll() is None
    sleeper.kill()
    sleeper.wait()


def test_a_guardian_that_was_killed_is_replaced(sleeper: subprocess.Popen[bytes]) -> None:
    guardian = Guardian()
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
        guardian.watch(sleeper.pid)
        shell = guardian._shell
        shell.kill()
        shell.wait()
        guardian.watch(other.pid)

        guardian.dismiss()

        assert sleeper.wait(60) == other.wait(60) == -signal.SIGKILL


def test_an_idle_guardian_costs_no_cpu(sleeper: subprocess.Popen[bytes]) -> None:
    guardian = Guardian()
    guardian.watch(sleeper.pid)
    shell = guardian._shell
    clock = (~shell.pid << 3) | 2  # the CPU time of another process
    before, deadline = -1.0, time.monotonic() + 60
    # However long it takes to start: once it waits, its CPU time stands still.
    while (now := time.clock_gettime(clock)) != before and time.monotonic() < deadline:
        before = now
        time.sleep(0.1)

    assert now == before
    guardian.dismiss()
    sleeper.wait()
