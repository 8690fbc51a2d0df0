"""Runs small Python programs in an instance and finds what instances leave behind."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import select
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lambda_local.sandbox import Instance, InstanceProcess, Limits, Mount, leave
from lambda_local.work_folder import WorkFolder, new_folder
from tests.hosts.processes import eventually, is_running
from tests.needs import needs

# Instances of root's, which limits hold.
needs_root = needs("control groups")

# The interpreter of a venv is a link; what it needs is where it was built.
BASE = Path(sys.base_prefix)
# An instance shows its own /usr, so the system's interpreter is shown elsewhere.
_SEEN = Path("/interpreter/usr") if BASE.is_relative_to("/usr") else BASE
PYTHON = str(_SEEN / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}")
INTERPRETER = [Mount(BASE, str(_SEEN))]


@functools.cache
def owner() -> WorkFolder:
    """This process's folder."""
    folder = new_folder()
    atexit.register(leave, folder)
    return folder


class Ran(NamedTuple):
    """How a program ended, and what it wrote on stdout and stderr."""

    status: int | None
    text: str


def instance(
    memory_mb: int = 256, cpu: float = 2.0, *, name: str = "test", processes: int = 1024, tmp_mb: int = 512
) -> Instance:
    return Instance.create(owner(), name, Limits(memory_mb, cpu, processes=processes), INTERPRETER, tmp_mb)


def ended(process: InstanceProcess, seconds: float = 60.0) -> int | None:
    """How a program ended; None where it still runs after this time."""
    select.select([process], [], [], seconds)
    return process.poll()


def output(box: Instance, argv: Sequence[str]) -> Ran:
    """Run a program in the instance to its end."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as written:
        try:
            process = box.start(argv, {"PATH": "/usr/bin:/bin"}, "/tmp", writing, writing)
        finally:
            os.close(writing)
        text = written.read()
    return Ran(ended(process), text.strip())


def run(box: Instance, code: str, *arguments: object) -> Ran:
    """Run a Python program in the instance to its end."""
    return output(box, [PYTHON, "-I", "-S", "-c", textwrap.dedent(code), *map(str, arguments)])


# Says what became of an attempt: 'done', or the name of the error that the kernel gave.
ATTEMPT = """
import errno, os, sys
def attempt(action, *arguments):
    try:
        action(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"
"""


def attempt(box: Instance, code: str, *arguments: object) -> str:
    """The result of a program that prints what `attempt(…)` gave."""
    ran = run(box, ATTEMPT + textwrap.dedent(code), *arguments)
    assert ran.status == 0, ran.text
    return ran.text


def processes_of(name: str) -> dict[int, str]:
    """Processes that carry this name, and their command lines: launcher and init have it in these, programs in their
    environment."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            text = line + (folder / "environ").read_text(errors="replace")
            if name in text and int(folder.name) != os.getpid() and is_running(int(folder.name)):
                found[int(folder.name)] = line
    return found


def left_of(name: str) -> dict[int, str]:
    """The processes of this name that do not end within a minute."""
    eventually(lambda: not processes_of(name))
    return processes_of(name)


def traces_of(name: str) -> list[str]:
    """Control groups and mounts of instances whose names begin so."""
    groups = [path for top in Path("/sys/fs/cgroup").iterdir() for path in top.glob(f"lambda-local/*.{name}[.-]*")]
    groups += Path("/sys/fs/cgroup").glob(f"lambda-local/*.{name}[.-]*")
    mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if name in line]
    return [*map(str, groups), *mounts]
