"""A server in a process of its own whose temporary folder lies among files that nobody may touch."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

_SERVE = """
import sys
from tests.lambda_local.plain_box import PlainBox
from tests.lambda_local.serving import served
with served(PlainBox.create) as endpoint:
    print(endpoint, flush=True)
    sys.stdin.read()
"""
_ROOT = Path(__file__).parents[2]


class Canary:
    """Files around the server's folder `own`; `outside` tells whether anything about them has changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.own = folder / "temporary"
        self.own.mkdir()
        (folder / "victim").mkdir()
        (folder / "victim" / "file").write_text("untouched")
        (folder / "file").write_text("untouched")
        (folder / "link").symlink_to("victim")
        self._before = self.outside()

    def outside(self) -> str:
        """A hash of everything outside the server's folder: names, kinds, modes, times, contents."""
        seen = hashlib.sha256()
        for path in sorted(_all_below(self.folder, but=self.own)):
            about = os.lstat(path)
            seen.update(f"{path} {about.st_mode} {about.st_uid} {about.st_mtime_ns} {about.st_nlink}\n".encode())
            if stat.S_ISREG(about.st_mode):
                seen.update(Path(path).read_bytes())
        return seen.hexdigest()

    def untouched(self) -> bool:
        return self.outside() == self._before

    def escapes(self) -> list[str]:
        """Links of unpacked archives that lead out of them, and what is neither file, folder nor link."""
        found = []
        for top in (*self.own.glob("*/code/*"), *self.own.glob("*/opt/*")):
            inside = f"{os.path.realpath(top)}/"
            for path in _all_below(top):
                mode = os.lstat(path).st_mode
                if stat.S_ISLNK(mode):
                    if not f"{os.path.realpath(path)}/".startswith(inside):
                        found.append(f"{path} -> {os.readlink(path)}")
                elif not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or mode & (stat.S_ISUID | stat.S_ISGID):
                    found.append(path)
        return found


def _all_below(folder: Path, but: Path | None = None) -> Iterator[str]:
    """Paths of a folder and of everything in it, without *but* and what is in it."""
    yield str(folder)
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if but is None or f"{place}/{name}" != str(but)]
        yield from (f"{place}/{name}" for name in (*files, *folders))


class Memory(NamedTuple):
    """The server's memory before an attack, the most of it, and after everything was deleted."""

    began_mb: float
    peak_mb: float
    ended_mb: float

    @property
    def grown_mb(self) -> float:
        return self.ended_mb - self.began_mb


class Server:
    """The running server."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.port = port
        self._process = process

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def resident_mb(self) -> float:
        """The memory that it has now."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    @property
    def peak_mb(self) -> float:
        """The most memory that it ever had."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@contextlib.contextmanager
def server_within(canary: Canary) -> Iterator[Server]:
    environment = os.environ | {"TMPDIR": str(canary.own), "PYTHONPATH": str(_ROOT)}
    argv = [sys.executable, "-c", _SERVE]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True, env=environment, cwd=_ROOT) as process:
        assert process.stdin is not None
        port = urlsplit(process.stdout.readline().strip()).port
        assert port is not None
        try:
            yield Server(process, port)
        finally:
            process.kill()  # an orderly end would remove ten thousand folders within a deadline
    for left in canary.own.iterdir():
        shutil.rmtree(left)
