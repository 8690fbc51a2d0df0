"""What an instance is given to see."""

from __future__ import annotations

import fcntl
import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from lambda_local.sandbox import Instance, InstanceFailed, Limits, Mount
from tests.lambda_local.sandbox.inside import INTERPRETER, PYTHON, attempt, needs_root, owner, run, traces_of

pytestmark = needs_root

_NAME = f"mounts-{os.getpid()}"  # tests of other processes look for what theirs left


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A function's code, as others may read it, in a folder that they may not enter."""
    private = tmp_path / "private"
    code = private / "code"
    code.mkdir(parents=True)
    (code / "handler.py").write_text("print('handled')")
    private.chmod(0o700)
    return code


def _instance(*mounts: Mount) -> Instance:
    return Instance.create(owner(), _NAME, Limits(256, 1.0), [*INTERPRETER, *mounts])


def test_a_folder_is_seen_at_its_target_and_cannot_be_changed(code: Path) -> None:
    with _instance(Mount(code, "/var/task")) as box:
        assert run(box, "exec(open('/var/task/handler.py').read())").text == "handled"
        result = attempt(box, "print(attempt(open, '/var/task/new', 'w'), attempt(os.unlink, '/var/task/handler.py'))")

    assert result == "EROFS EROFS"
    assert [path.name for path in code.iterdir()] == ["handler.py"]


def test_a_target_may_be_inside_another(code: Path, tmp_path: Path) -> None:
    layer, agent = tmp_path / "layer", tmp_path / "agent"
    (layer / "extensions").mkdir(parents=True)
    agent.mkdir()
    (agent / "agent").write_text("an agent")

    # The inner one is given first: the order is the sandbox's business.
    with _instance(Mount(agent, "/opt/extensions"), Mount(layer, "/opt"), Mount(code, "/var/task")) as box:
        text = run(box, "print(open('/opt/extensions/agent').read())").text

    assert text == "an agent"


@pytest.mark.parametrize("target", ["/usr/no/such/place", "/"])
def test_a_target_that_cannot_be_made_is_an_error_and_leaves_nothing(code: Path, target: str) -> None:
    with pytest.raises(InstanceFailed):
        _instance(Mount(code, target))

    assert traces_of(_NAME) == []


def test_dots_lead_nowhere(code: Path) -> None:
    with _instance(Mount(code, "/var/../../../task")) as box:
        assert attempt(box, "print(attempt(open, '/task/handler.py'))") == "done"


def test_a_path_as_a_name_is_rejected() -> None:
    for name in "../x", "", "a/b", "a\n", ".hidden":
        with pytest.raises(InstanceFailed, match="is not a name"):
            Instance.create(owner(), name, Limits(128, 1.0), [])


_WATCHES = """
import ctypes, fcntl, os, sys, time
libc = ctypes.CDLL(None)
files = [open(path) for path in ("/etc/ld.so.cache", "/usr/lib/os-release", "/seen/file")]
for file in files:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
watching = libc.inotify_init1(os.O_NONBLOCK)
for path in ("/usr/lib", "/usr/bin", "/etc/ssl", "/etc/ld.so.cache", "/seen"):
    libc.inotify_add_watch(watching, path.encode(), 0xFFF)
print("ready", flush=True)
time.sleep(1)
try:
    print(len(os.read(watching, 65536)))
except BlockingIOError:
    print("nothing")
print(open("/proc/1/cmdline").read().strip(chr(0)))
"""


def test_nothing_that_the_machine_does_with_its_files_is_seen_and_no_lock_holds_it_up(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "file").write_text("x")
    (tmp_path / "file").chmod(0o644)
    box = _instance(Mount(tmp_path, "/seen"))
    reading, writing = os.pipe()
    with ExitStack() as stack:
        stack.callback(box.destroy)
        paths = (Path("/etc/ld.so.cache"), Path("/usr/lib/os-release"), tmp_path / "file")
        held = [stack.enter_context(path.open("rb", buffering=0)) for path in paths]
        process = box.start([PYTHON, "-I", "-S", "-c", _WATCHES], {"PATH": "/usr/bin"}, "/", writing, writing)
        os.close(writing)
        with os.fdopen(reading) as output:
            first = output.readline()
            while process.poll() is None:  # the whole time, on the machine
                os.listdir("/usr/lib")
                for file in held:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    file.seek(0)
                    file.read(10)
            rest = output.read().split()

    assert first == "ready\n"
    assert rest == ["nothing", "init", _NAME]
