"""Chooses the launcher: the small C program, built once into the cache, or else the Python one."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sectax.model.environment import LOCAL_HOST
from sectax.sandboxes.hosts import Host
from sectax.sandboxes.process.errors import ChildNotStarted
from sectax.toolchain.cache import cache_folder
from sectax.toolchain.files import beside

_SOURCE = Path(__file__).with_name("launcher.c")
_SCRIPT = Path(__file__).with_name("launcher.py")
_NOTHING = ("nothing",)  # what makes it do nothing
_COMPILERS = ("cc", "gcc", "clang")
_FLAGS = ("-std=gnu11", "-O2")
# Static first: with a dynamic libc the floor of peak memory is 1.5 MB instead of 0.7 MB.
_LINKS = {"static": ("-static",), "dynamic": ()}
_BUILD_TIMEOUT_S = 60
_TRIAL_TIMEOUT_S = 10


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
    return dataclasses.replace(best, argv=(path,), nothing=(path, *_NOTHING))


def python_launcher() -> Launcher:
    """The launcher that needs nothing but the interpreter. Every program seems to need its 9 MB of memory."""
    argv = (sys.executable, "-I", "-S", "-E", str(_SCRIPT))
    nothing = shutil.which("true")
    return Launcher(argv, f"python {platform.python_version()}", None if nothing is None else (nothing,))


def built_launcher() -> Launcher | None:
    """The launcher in C out of the cache, built before where it is not there; None where it cannot be."""
    folder = cache_folder() / "launchers"
    mark = hashlib.sha256(_SOURCE.read_bytes() + " ".join(_FLAGS).encode()).hexdigest()[:16]
    for link in _LINKS:
        path = folder / f"{platform.machine()}-{mark}-{link}"
        if _works(path):
            return _of(path, link)
    with contextlib.suppress(OSError):  # a cache that cannot be written to
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for link, flags in _LINKS.items():
            path = folder / f"{platform.machine()}-{mark}-{link}"
            if _build(path, flags) and _works(path):
                return _of(path, link)
    return None


def _of(path: Path, link: str) -> Launcher:
    return Launcher((str(path),), f"c, {link}", (str(path), *_NOTHING), path)


def _build(path: Path, flags: tuple[str, ...]) -> bool:
    compiler = next((found for name in _COMPILERS if (found := shutil.which(name))), None)
    if compiler is None:
        return False
    with contextlib.suppress(OSError, subprocess.SubprocessError), beside(path) as building:
        _run([compiler, *_FLAGS, *flags, "-o", str(building), str(_SOURCE)], _BUILD_TIMEOUT_S)
        return True
    return False


def _works(path: Path) -> bool:
    """Whether it runs here: the cache may lie on a file system where nothing may, or come from another machine."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        _run([str(path), *_NOTHING], _TRIAL_TIMEOUT_S)
        return True
    return False


def _run(command: list[str], timeout_s: float) -> None:
    subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=timeout_s, check=True)
