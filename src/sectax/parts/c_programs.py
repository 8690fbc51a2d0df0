"""Small programs in C that come with sectax, built once with this machine's compiler and kept in the cache."""

from __future__ import annotations

import contextlib
import hashlib
import platform
import shutil
import subprocess
from pathlib import Path

from sectax.parts.cache import cache_folder
from sectax.parts.files import beside

# What makes such a program do nothing: it is tried with it before it is used.
NOTHING = ("nothing",)
COMPILERS = ("cc", "gcc", "clang")
_FLAGS = ("-std=gnu11", "-O2")
STATIC, DYNAMIC = "static", "dynamic"
_LINKS: dict[str, tuple[str, ...]] = {STATIC: ("-static",), DYNAMIC: ()}
_BUILD_TIMEOUT_S = 60
_TRIAL_TIMEOUT_S = 10


def compiler() -> str | None:
    return next((path for name in COMPILERS if (path := shutil.which(name))), None)


def built(
    source: Path, kind: str, links: tuple[str, ...] = (STATIC, DYNAMIC), libraries: tuple[str, ...] = ()
) -> tuple[Path, str] | None:
    """A program out of the cache, built before where it is not there.

    Args:
        source: the one file that it is made of.
        kind: the folder of the cache that it lies in.
        links: how it may be linked, the best first; another machine needs a static one.
        libraries: what the compiler is given for them.
    Returns:
        Its path and how it is linked; None where it can neither be found nor built.
    """
    folder = cache_folder() / kind
    mark = hashlib.sha256(source.read_bytes() + " ".join((*_FLAGS, *libraries)).encode()).hexdigest()[:16]
    places = {link: folder / f"{platform.machine()}-{mark}-{link}" for link in links}
    for link, path in places.items():
        if _runs_here(path):
            return path, link
    with contextlib.suppress(OSError):  # a cache that cannot be written to
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for link, path in places.items():
            if _build(source, path, _LINKS[link], libraries) and _runs_here(path):
                return path, link
    return None


def _build(source: Path, path: Path, flags: tuple[str, ...], libraries: tuple[str, ...]) -> bool:
    using = compiler()
    if using is None:
        return False
    with contextlib.suppress(OSError, subprocess.SubprocessError), beside(path) as building:
        _run([using, *_FLAGS, *flags, "-o", str(building), str(source), *libraries], _BUILD_TIMEOUT_S)
        return True
    return False


def _runs_here(path: Path) -> bool:
    """Whether it runs here: the cache may lie on a file system where nothing may, or come from another machine."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        _run([str(path), *NOTHING], _TRIAL_TIMEOUT_S)
        return True
    return False


def _run(command: list[str], timeout_s: float) -> None:
    subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=timeout_s, check=True)
