"""Chooses the launcher: the small C program, built once into the cache, or else the Python one."""

from __future__ import annotations

import dataclasses
import functools
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from sectax.model.environment import LOCAL_HOST
from sectax.sandboxes.hosts import Host
from sectax.sandboxes.process.errors import ChildNotStarted
from sectax.toolchain import c_programs

_SOURCE = Path(__file__).with_name("launcher.c")
_SCRIPT = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True)
class Launcher:
    """A program that starts and times others.

    Attributes:
        argv: what starts it.
        name: what it is, for the record: arms that were timed by different launchers cannot be compared.
        nothing: a program that does nothing, to find out what launching itself costs; None where there is none.
        file: the one file that is all of it; None where it needs more.
    """

    argv: tuple[str, ...]
    name: str
    nothing: tuple[str, ...] | None
    file: Path | None = None


@functools.cache
def launcher() -> Launcher:
    """The best launcher that is available here; looked for once per process."""
    return built_launcher() or python_launcher()


def launcher_on(host: Host) -> Launcher:
    """The launcher for programs of this host: another one than this machine is sent the one in C.

    Raises:
        ChildNotStarted: it cannot be built here, or is not available there.
    """
    best = launcher()
    if host.name == LOCAL_HOST:
        return best
    if best.file is None:
        raise ChildNotStarted("the launcher", f"no C compiler is here to build what times programs on {host.name}")
    path = host.put(best.file)
    return dataclasses.replace(best, argv=(path,), nothing=(path, *c_programs.NOTHING))


def python_launcher() -> Launcher:
    """The launcher that needs nothing but the interpreter. Every program seems to need its 9 MB of memory."""
    argv = (sys.executable, "-I", "-S", "-E", str(_SCRIPT))
    nothing = shutil.which("true")
    return Launcher(argv, f"python {platform.python_version()}", None if nothing is None else (nothing,))


def built_launcher() -> Launcher | None:
    """The launcher in C out of the cache, built before where it is not there; None where it cannot be.

    Static first: with a dynamic libc the floor of peak memory is 1.5 MB instead of 0.7 MB.
    """
    found = c_programs.built(_SOURCE, "launchers")
    if found is None:
        return None
    path, link = found
    return Launcher((str(path),), f"c, {link}", (str(path), *c_programs.NOTHING), path)
