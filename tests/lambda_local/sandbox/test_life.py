"""What becomes of an instance, its owner and what they leave behind."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lambda_local.sandbox import Instance, InstanceFailed, sweep
from tests.lambda_local.sandbox.inside import PYTHON, ended, instance, left_of, needs_root, processes_of, run, traces_of

pytestmark = needs_root

_OWNER = Path(__file__).with_name("owner.py")
_SLEEP = (["/bin/sleep", "600"], {"PATH": "/bin"}, "/", 1, 2)


@pytest.fixture
def name() -> str:
    return f"life-{secrets.token_hex(4)}"


def _start(box: Instance, name: str, code: str) -> None:
    box.start([PYTHON, "-I", "-S", "-c", code], {"MARK": name}, "/tmp", 1, 2)


def test_destroy_leaves_nothing(name: str) -> None:
    instance(name=f"{name}-first").destroy()  # the process's own folder stays open, with its lock
    descriptors = len(os.listdir("/proc/self/fd"))
    box = instance(name=name)
    process = box.start(["/bin/sleep", "600"], {"MARK": name}, "/", 1, 2)
    assert len(processes_of(name)) == 3  # launcher, init, program
    assert traces_of(name)

    box.destroy()

    assert not processes_of(name)
    assert traces_of(name) == []
    assert process.poll() == -9
    del process
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_destroy_kills_processes_that_ignore_signals(name: str) -> None:
    box = instance(name=name)
    code = """
import os, signal
for number in range(1, 32):
    if number not in (9, 17, 19):
        signal.signal(number, signal.SIG_IGN)
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
while True:
    pass
"""
    _start(box, name, code)

    box.destroy()

    assert not processes_of(name)
    assert traces_of(name) == []


def test_destroy_may_be_called_again_and_by_several_at_once(name: str) -> None:
    box = instance(name=name)
    threads = [threading.Thread(target=box.destroy) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    box.destroy()

    assert traces_of(name) == []
    with pytest.raises(InstanceFailed, match="gone"):
        box.start(*_SLEEP)
    with pytest.raises(InstanceFailed, match="gone"):
        box.listen("127.0.0.1", 0)
    assert box.groups.counters().cpu_time_ns is None
    with pytest.raises(InstanceFailed, match="no limits"):
        box.groups.in_force()


def test_several_may_be_made_and_destroyed_at_once(name: str) -> None:
    failures: list[BaseException] = []

    def cycle() -> None:
        try:
            for _ in range(4):
                with instance(name=name) as box:
                    assert run(box, "print('here')").text == "here"
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=cycle) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert failures == []
    assert not processes_of(name)
    assert traces_of(name) == []


def test_destroy_wakes_threads_that_wait_for_a_program(name: str) -> None:
    box = instance(name=name)
    process = box.start(*_SLEEP)
    ends: list[int | None] = []
    waiter = threading.Thread(target=lambda: ends.append(ended(process)))
    waiter.start()

    box.destroy()
    waiter.join(60)

    assert ends == [-9]


def test_the_end_of_a_program_is_reported_with_its_status(name: str) -> None:
    with instance(name=name) as box:
        assert run(box, "raise SystemExit(7)").status == 7
        assert run(box, "import os; os.kill(os.getpid(), 15)").status == -15
        process = box.start(*_SLEEP)
        assert process.poll() is None
        assert ended(process, 0) is None
        process.kill(signal.SIGTERM)
        assert ended(process) == -15
        process.kill()  # long ended: no error


def test_an_unread_exit_status_does_not_harm_the_instance(name: str) -> None:
    with instance(name=name) as box:
        for _ in range(3):
            box.start(["/bin/true"], {}, "/", 1, 2)  # the object is dropped at once, and with it the pipe's reader
            assert run(box, "print('here')").text == "here"


def test_orphans_are_reaped(name: str) -> None:
    box = instance(name=name)
    try:
        code = """
import os
for _ in range(5):
    if os.fork() == 0:
        if os.fork():
            os._exit(0)
        os._exit(0)
"""
        assert run(box, code).status == 0
        seen = run(box, "import os; print(os.getpid(), *(n for n in os.listdir('/proc') if n.isdigit()))").text.split()
    finally:
        box.destroy()

    assert sorted(seen[1:], key=int) == ["1", seen[0]]


def test_a_program_that_cannot_be_started_is_named(name: str) -> None:
    with instance(name=name) as box:
        with pytest.raises(InstanceFailed, match=rf"/no/such.*{os.strerror(errno.ENOENT)}"):
            box.start(["/no/such"], {}, "/", 1, 2)
        with pytest.raises(InstanceFailed, match=os.strerror(errno.EACCES)):
            box.start(["/etc/hosts"], {}, "/", 1, 2)
        with pytest.raises(InstanceFailed, match=os.strerror(errno.ENOENT)):
            box.start(["/bin/true"], {}, "/no/such/folder", 1, 2)
        with pytest.raises(InstanceFailed, match=os.strerror(errno.EMSGSIZE)):
            box.start(["/bin/true"], {"X": "x" * 1_000_000}, "/", 1, 2)
        with pytest.raises(InstanceFailed):
            box.listen("192.0.2.1", 80)
        assert ended(box.start(["/bin/true"], {}, "/", 1, 2)) == 0


def test_the_death_of_init_or_launcher_ends_the_instance(name: str) -> None:
    for victim in 0, 1:
        box = instance(name=name)
        process = box.start(["/bin/sleep", "600"], {"MARK": name}, "/", 1, 2)
        os.kill(sorted(processes_of(name))[victim], signal.SIGKILL)  # in the order of their birth

        assert ended(process) == -9
        assert not left_of(name)
        with pytest.raises(InstanceFailed):
            box.start(*_SLEEP)
        box.destroy()
        assert traces_of(name) == []


@contextlib.contextmanager
def _owner(name: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, str(_OWNER), name], stdout=subprocess.PIPE, text=True) as owner:
        try:
            yield owner
        finally:
            owner.kill()


def _up(owner: subprocess.Popen[str]) -> str:
    """The name of its folder, once its instance is there."""
    return owner.stdout.readline().strip()


def test_nothing_outlives_a_killed_owner_and_a_sweep_removes_the_rest(name: str) -> None:
    with _owner(name) as owner:
        folder = _up(owner)
        assert len(processes_of(name)) >= 5
        assert folder not in sweep()  # its owner lives
        assert traces_of(name)

        owner.kill()
        owner.wait()
        left = left_of(name)

    assert not left
    assert traces_of(name)
    assert folder in sweep()
    assert traces_of(name) == []
    assert folder not in sweep()


def test_a_sweep_ends_an_instance_that_could_not_see_its_owners_death(name: str) -> None:
    with _owner(name) as owner:
        _up(owner)
        init = sorted(processes_of(name))[2]  # after owner and launcher
        os.kill(init, signal.SIGSTOP)
        owner.kill()
        owner.wait()
        assert init in processes_of(name)

    sweep()  # unless another test's was faster
    assert not left_of(name)
    assert traces_of(name) == []
