"""Small C programs of sectax, built into the cache with this machine's compiler."""

from __future__ import annotations

import contextlib
import hashlib
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from sectax.parts import cache

# Argument with which every program does nothing, to try it.
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
    """A program in the cache, built if necessary, and its linking; or None.

    Args:
        source: its only source file.
        kind: folder in the cache.
        links: allowed kinds of linking, the best first; other machines need a static program.
        libraries: compiler options for libraries.
    """
    folder = cache.cache_folder() / kind
    mark = hashlib.sha256(source.read_bytes() + " ".join((*_FLAGS, *libraries)).encode()).hexdigest()[:16]
    paths = {link: folder / f"{platform.machine()}-{mark}-{link}" for link in links}
    for link, path in paths.items():
        if cache.is_intact(path) and _runs_here(path):
            return path, link
    with contextlib.suppress(OSError):  # a read-only cache
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for link, path in paths.items():
            if _build(source, path, _LINKS[link], libraries) and _runs_here(path):
                return path, link
    return None


def _build(source: Path, path: Path, flags: tuple[str, ...], libraries: tuple[str, ...]) -> bool:
    program = compiler()
    if program is None:
        return False
    with (
        contextlib.suppress(OSError, subprocess.SubprocessError),
        tempfile.TemporaryDirectory(dir=path.parent) as scratch,
    ):
        building = Path(scratch, path.name)
        _run([program, *_FLAGS, *flags, "-o", str(building), str(source), *libraries], _BUILD_TIMEOUT_S)
        cache.store(building, path)
        return True
    return False


def _runs_here(path: Path) -> bool:
    """Whether it runs here: the cache may be noexec, or of another machine."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        _run([str(path), *NOTHING], _TRIAL_TIMEOUT_S)
        return True
    return False


def _run(command: list[str], timeout_s: float) -> None:
    subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=timeout_s, check=True)
