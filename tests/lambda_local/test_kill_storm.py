"""kill -9 of function, extension, sandbox and server at random instants: nothing stays, and the next start works.

A storm is one server after another, each under calls all the time, with kills at instants that a seed decides.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from tests.lambda_local.sandbox.inside import left_of, processes_of, traces_of
from tests.lambda_local.serving import CALLS_API, PYTHON, LocalLambda, create, extension_layer, invoke
from tests.needs import SANDBOX, needs

pytestmark = needs(*SANDBOX)

# Starts a process that leaves its session and ignores what it can, writes to /tmp, and works for a while.
FUNCTION = """
import os, subprocess, time
def handler(event, context):
    subprocess.Popen(["/bin/sh", "-c", "trap '' HUP INT TERM; sleep 600"], start_new_session=True)
    open("/tmp/file", "w").write("x" * 100000)
    time.sleep(0.05)
    return os.environ["STORM"]
"""
EXTENSION = f"""#!/var/lang/bin/{PYTHON} -IS
{CALLS_API}
named = {{"Lambda-Extension-Name": "watch"}}
identifier, _ = call("POST", "register", '{{"events": ["INVOKE", "SHUTDOWN"]}}', **named)
while call("GET", "event/next", **{{"Lambda-Extension-Identifier": identifier}})[1]["eventType"] != "SHUTDOWN":
    pass
"""
SERVER = "server"
VICTIMS = ("bootstrap.py", "watch", "sleep", "launcher", SERVER)


class Storm:
    """What of a storm is on this machine, known by its mark: a name that all its functions carry."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.seen: set[tuple[int, str]] = set()

    def note(self) -> None:
        """Remember all processes in the namespaces of its instances, those without the mark too."""
        inside = {space_of(pid) for pid in processes_of(self.mark)} - {space_of(os.getpid()), ""}
        for folder in Path("/proc").glob("[0-9]*"):
            if space_of(int(folder.name)) in inside:
                self.seen.add((int(folder.name), start_of(int(folder.name))))

    def left(self) -> list[str]:
        """Everything of it that is still there."""
        # A namespace ends with its last process, unless a mount keeps it; its number goes to the next one that is made.
        mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if " nsfs " in line]
        living = [f"process {pid}" for pid, start in self.seen if start and start_of(pid) == start]
        return [*processes_of(self.mark).values(), *traces_of(self.mark), *mounts, *living]


def space_of(pid: int) -> str:
    """Its process namespace; empty where it has ended."""
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return ""


def start_of(pid: int) -> str:
    """When it began, which with its number tells it from every other; empty where it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


@pytest.fixture
def own_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The servers of the test, and the test, have temporary files where no other server has any."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def work_folders() -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob("*lambda-local-*"))


@contextlib.contextmanager
def under_calls(client: Any, name: str, answers: list[Any]) -> Iterator[None]:
    """One caller that invokes again and again, whatever comes back, until the block ends."""
    stop = threading.Event()

    def call() -> None:
        while not stop.is_set():
            try:
                answers.append(invoke(client, name))
            except (BotoCoreError, ClientError) as error:
                answers.append(error)
                stop.wait(0.05)  # the server is dead: there is nothing to hurry for

    caller = threading.Thread(target=call)
    caller.start()
    try:
        yield
    finally:
        stop.set()
        caller.join(60)
        assert not caller.is_alive()


def storm(times: int, seed: int) -> dict[str, int]:
    """So many kills; how many of each victim there were."""
    chance = random.Random(seed)
    whole = Storm(f"storm-{os.getpid()}-{seed}")
    kills = dict.fromkeys(VICTIMS, 0)
    survived = 0
    number = 0
    while sum(kills.values()) < times:
        number += 1
        name = f"{whole.mark}-{number}"
        # What the servers before were killed with, this start removes.
        with LocalLambda("--instances", "2") as local:
            assert len(work_folders()) == 1  # here, so that the last look looks at the right place
            client = local.client(read_timeout=60)
            layers = [extension_layer(client, "watch", EXTENSION)]
            create(client, name, FUNCTION, MemorySize=1769, Layers=layers, Environment={"Variables": {"STORM": name}})
            answers: list[Any] = []
            with under_calls(client, name, answers):
                while sum(kills.values()) < times:
                    time.sleep(chance.uniform(0.0, 0.4))  # the random instant: cold start, event, end
                    whole.note()
                    victim = chance.choice(VICTIMS)
                    if victim == SERVER:
                        os.kill(local.pid, signal.SIGKILL)
                        kills[SERVER] += 1
                        break
                    hit = [pid for pid, line in processes_of(whole.mark).items() if victim in line]
                    if hit:
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(chance.choice(hit), signal.SIGKILL)
                            kills[victim] += 1
                else:
                    survived = lived_through(client, name)
        assert not left_of(whole.mark)
    if not survived:
        with LocalLambda() as local:  # a next start alone cleans what the last server was killed with
            assert local.endpoint
    assert whole.left() == []
    assert work_folders() == []
    return kills


def lived_through(client: Any, name: str) -> int:
    """After the last kill the server still answers: an error for the event that was hit, then the function again."""
    for _ in range(5):
        answer = invoke(client, name)
        if answer.error is None:
            assert answer.value == name
            return 1
    pytest.fail(f"the function never came back: {answer.text}")


@pytest.mark.more
@pytest.mark.usefixtures("own_temporary_files")
def test_fifteen_kills_leave_nothing() -> None:
    assert storm(15, seed=1)[SERVER] > 0


@pytest.mark.full
@pytest.mark.usefixtures("own_temporary_files")
@pytest.mark.parametrize("seed", [2, 3])
def test_a_hundred_kills_leave_nothing(seed: int) -> None:
    assert min(storm(100, seed).values()) > 0
