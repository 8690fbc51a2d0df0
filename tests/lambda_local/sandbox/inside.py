"""Runs small Python programs in an instance and finds what instances leave behind."""

from __future__ import annotations

import atexit
import functools
import os
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lambda_local.sandbox import Instance, Limits, Mount, leave
from lambda_local.work_folder import WorkFolder, new_folder
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


def output(box: Instance, argv: Sequence[str]) -> Ran:
    """Run a program in the instance to its end."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as written:
        try:
            process = box.start(argv, {"PATH": "/usr/bin:/bin"}, "/tmp", writing, writing)
        finally:
            os.close(writing)
        text = written.read()
    return Ran(process.wait(60), text.strip())


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


def processes_of(name: str) -> list[int]:
    """Processes that carry this name: launcher and init in their arguments, programs in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                text = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
                ended = (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
            except OSError:
                continue
            if name.encode() in text and not ended:
                found.append(int(folder.name))
    return found


def wait_until_none(name: str, seconds: float = 60.0) -> list[int]:
    """The processes that are still there at the end of the time."""
    until = time.monotonic() + seconds
    while (found := processes_of(name)) and time.monotonic() < until:
        time.sleep(0.005)
    return found


def traces_of(name: str) -> list[str]:
    """Control groups, folders and mounts of instances of this name."""
    groups = [path for top in Path("/sys/fs/cgroup").iterdir() for path in top.glob(f"lambda-local/*.{name}.*")]
    groups += Path("/sys/fs/cgroup").glob(f"lambda-local/*.{name}.*")
    mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if name in line]
    return [*map(str, groups), *mounts]
