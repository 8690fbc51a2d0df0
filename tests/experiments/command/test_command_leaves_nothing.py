"""Whatever ends a command or sectax itself, nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable

import pytest

from sectax.experiments.command.launchers import Launcher
from sectax.experiments.command.subject import CommandSpec, CommandSubject
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work

from .conftest import is_running, processes_with

SubjectOf = Callable[[CommandSpec], CommandSubject]
Gone = Callable[[str], list[int]]
There = Callable[[str, int], bool]

# A process and a child of it that both ignore what can be ignored, and carry the mark as $0.
STUBBORN = "trap '' TERM INT HUP; sh -c \"trap '' TERM INT HUP; while :; do sleep 60; done\" \"$0\" & "


@pytest.fixture
def mark() -> str:
    return f"sectax-test-{uuid.uuid4()}"


def test_what_a_command_leaves_in_its_group_is_killed_after_each_execution(
    subject_of: SubjectOf, mark: str, wait_until_gone: Gone
) -> None:
    subject = subject_of(CommandSpec("it", ("sh", "-c", STUBBORN, mark)))
    subject.open()
    subject.visit(Work(count=3))

    assert wait_until_gone(mark) == []
    assert subject.close()["left_running"] is True


def test_a_command_that_leaves_nothing_is_not_accused(subject_of: SubjectOf) -> None:
    subject = subject_of(CommandSpec("it", ("sh", "-c", "sleep 0.01 & wait")))
    subject.open()

    assert subject.close()["left_running"] is False


def test_a_hanging_commands_children_die_with_it(subject_of: SubjectOf, mark: str, wait_until_gone: Gone) -> None:
    with pytest.raises(SubjectFailed):
        subject_of(CommandSpec("it", ("sh", "-c", STUBBORN + "wait", mark), deadline_s=0.2)).open()

    assert wait_until_gone(mark) == []


def test_the_children_of_a_launcher_that_was_killed_are_found(
    subject_of: SubjectOf, mark: str, wait_until_gone: Gone
) -> None:
    with pytest.raises(SubjectFailed):
        subject_of(CommandSpec("it", ("sh", "-c", STUBBORN + "sleep 0.1; kill -KILL $PPID; wait", mark))).open()

    assert wait_until_gone(mark) == []


_RUNS_A_COMMAND = """
import sys
from sectax.experiments.command.subject import CommandSpec
from sectax.experiments.command.subject import CommandSubject
from sectax.experiments.command.launchers import Launcher
subject = CommandSubject(CommandSpec("it", tuple(sys.argv[3:])), Launcher(tuple(sys.argv[2].split()), "", None))
subject.open()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_survives_sectax(
    using: Launcher, how: signal.Signals, mark: str, wait_until_there: There, wait_until_gone: Gone
) -> None:
    command = [sys.executable, "-c", _RUNS_A_COMMAND, mark, " ".join(using.argv), "sh", "-c", STUBBORN + "wait", mark]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as sectax:
        try:
            assert wait_until_there(mark, 3)
            children = {pid for pid in processes_with(mark) if pid != sectax.pid}
            launchers = {os.getsid(pid) for pid in children}

            os.kill(sectax.pid, how)
            sectax.wait(60)
        finally:
            sectax.kill()  # or a test that failed would wait for it for ever

    assert wait_until_gone(mark) == []
    until = time.monotonic() + 60
    while any(map(is_running, launchers)) and time.monotonic() < until:
        time.sleep(0.01)
    assert not any(map(is_running, launchers))


def test_killing_twice_or_before_the_start_does_no_harm(subject_of: SubjectOf) -> None:
    subject = subject_of(CommandSpec("it", ("true",)))
    subject.kill()
    subject.open()
    subject.kill()
    subject.kill()
