"""Hooks run once, say why they failed, and leave running what they were to start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from sectax.experiments.command.hook import run_hook
from sectax.model.errors import SectaxError
from tests.golden import failed_as_agreed
from tests.hosts.processes import eventually, running_with


def test_a_hook_is_run_to_its_end(tmp_path: Path) -> None:
    run_hook(("sh", "-c", "echo hello > done"), 5.0, cwd=str(tmp_path))

    assert (tmp_path / "done").read_text() == "hello\n"


def test_a_server_that_a_hook_starts_stays_and_may_log(tmp_path: Path) -> None:
    server = (
        f"{{ while :; do echo log >&2; echo alive > {tmp_path}/alive; sleep 0.01; done; }} & echo $! > {tmp_path}/pid"
    )

    run_hook(("sh", "-c", server), 5.0)

    pid = int((tmp_path / "pid").read_text())
    try:
        time.sleep(0.05)
        (tmp_path / "alive").unlink(missing_ok=True)
        time.sleep(0.2)
        assert (tmp_path / "alive").exists()
    finally:
        os.kill(pid, signal.SIGKILL)


def test_a_hook_under_way_ends_when_sectax_is_killed() -> None:
    mark = f"sectax-test-{uuid.uuid4()}"
    runs = """
import sys
from sectax.experiments.command.hook import GUARDIAN, run_hook

def watch(group, watch=GUARDIAN.watch):
    watch(group)
    print("watched", flush=True)

GUARDIAN.watch = watch
run_hook(sys.argv[1:], 60.0)
"""
    argv = [sys.executable, "-c", runs, "sh", "-c", "sleep 60; :", mark]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as killed:
        said = killed.stdout.readline()
        at_work = eventually(lambda: len(running_with(mark)) == 2)  # it, and its hook
        killed.kill()

    assert (said, at_work) == (b"watched\n", True)
    assert eventually(lambda: not running_with(mark))


FAILURES: dict[str, tuple[tuple[str, ...], str | None]] = {
    "hook: an exit status": (("sh", "-c", "echo 'no \033[1mdisk' >&2; exit 4"), None),
    "hook: a signal": (("sh", "-c", "kill -TERM $$"), None),
    "hook: it hangs": (("sleep", "60"), None),
    "hook: no program": (("no-such-program",), None),
    "hook: no folder": (("true",), "/no/such"),
}


@pytest.mark.parametrize("situation", FAILURES)
def test_a_hook_that_fails_says_why(situation: str) -> None:
    argv, folder = FAILURES[situation]
    with pytest.raises(SectaxError) as caught:
        run_hook(argv, 0.3, cwd=folder)

    failed_as_agreed(Path(__file__).with_name("failures.txt"), situation, caught.value)
