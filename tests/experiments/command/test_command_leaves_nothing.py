"""Whatever ends a command or sectax itself, nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid

import pytest

from sectax.experiments.command.launchers import Launcher
from sectax.experiments.command.subject import CommandSpec
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work
from tests.hosts.processes import eventually, is_running, running_with

from .conftest import SubjectOf

# A process and a child of it that both ignore what can be ignored, and carry the mark as $0.
STUBBORN = "trap '' TERM INT HUP; sh -c \"trap '' TERM INT HUP; while :; do sleep 60; done\" \"$0\" & "


@pytest.fixture
def mark() -> str:
    return f"sectax-test-{uuid.uuid4()}"


def test_what_a_command_leaves_in_its_group_is_killed_after_each_execution(subject_of: SubjectOf, mark: str) -> None:
    subject = subject_of(CommandSpec("it", ("sh", "-c", STUBBORN, mark)))
    subject.open()
    subject.visit(Work(count=3))

    assert eventually(lambda: not running_with(mark))
    assert subject.close()["left_running"] is True


def test_a_command_that_leaves_nothing_is_not_accused(subject_of: SubjectOf) -> None:
    subject = subject_of(CommandSpec("it", ("sh", "-c", "sleep 0.01 & wait")))
    subject.open()

    assert subject.close()["left_running"] is False


@pytest.mark.parametrize(("then", "deadline_s"), [("wait", 0.2), ("sleep 0.1; kill -KILL $PPID; wait", 60.0)])
def test_children_die_with_a_command_that_hangs_and_one_whose_launcher_was_killed(subject_of, mark, then, deadline_s):
    with pytest.raises(SubjectFailed):
        subject_of(CommandSpec("it", ("sh", "-c", STUBBORN + then, mark), deadline_s=deadline_s)).open()

    assert eventually(lambda: not running_with(mark))


_RUNS_A_COMMAND = """
import sys
from sectax.experiments.command.subject import CommandSpec
from sectax.experiments.command.subject import CommandSubject
from sectax.experiments.command.launchers import Launcher
subject = CommandSubject(CommandSpec("it", tuple(sys.argv[3:])), Launcher(tuple(sys.argv[2].split()), "", None))
subject.open()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_survives_sectax(using: Launcher, how: signal.Signals, mark: str) -> None:
    command = [sys.executable, "-c", _RUNS_A_COMMAND, mark, " ".join(using.argv), "sh", "-c", STUBBORN + "wait", mark]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as sectax:
        try:
            assert eventually(lambda: len(running_with(mark)) >= 3)
            children = {pid for pid in running_with(mark) if pid != sectax.pid}
            launchers = {os.getsid(pid) for pid in children}

            os.kill(sectax.pid, how)
            sectax.wait(60)
        finally:
            sectax.kill()  # or a test that failed would wait for it for ever

    assert eventually(lambda: not running_with(mark))
    assert eventually(lambda: not any(map(is_running, launchers)))


def test_killing_twice_or_before_the_start_does_no_harm(subject_of: SubjectOf) -> None:
    subject = subject_of(CommandSpec("it", ("true",)))
    subject.kill()
    subject.open()
    subject.kill()
    subject.kill()
