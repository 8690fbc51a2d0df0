"""Remembers on disk what an instance is made of, and removes what owners that were killed have left behind.

Each instance has a folder, `name.random`, with a lock that its owner holds as long as it lives, the list of what must
be removed, and the empty folder on which the instance builds its root (in a namespace of its own: nothing is ever
mounted there as seen from outside).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lambda_local.sandbox.groups import remove_groups
from lambda_local.sandbox.limits import InstanceFailed
from lambda_local.settings import NAME

_LOCK, _REMAINS, _STAGING = "lock", "remains.json", "root"


@dataclass(frozen=True)
class Place:
    """The folder of one living instance; `lock` is its owner's descriptor."""

    folder: Path
    lock: int

    @property
    def staging(self) -> Path:
        return self.folder / _STAGING

    def note(self, groups: list[Path], launcher: int | None = None) -> None:
        """Write down what is about to be made, before it is."""
        remains = {"groups": [str(path) for path in groups], "launcher": launcher, "start": _start_of(launcher)}
        unfinished = self.folder / f"{_REMAINS}.new"
        unfinished.write_text(json.dumps(remains))
        unfinished.replace(self.folder / _REMAINS)

    def leave(self) -> None:
        """Remove the folder, the lock last; never raises."""
        _remove_folder(self.folder)
        os.close(self.lock)


def new_place(name: str) -> Place:
    """A folder for a new instance, locked.

    Raises:
        InstanceFailed: there is nowhere to write.
    """
    try:
        with _alone(state_folder()) as state:
            folder = state / f"{name}.{secrets.token_hex(4)}"
            folder.mkdir(mode=0o700)
            lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            (folder / _STAGING).mkdir()
    except OSError as error:
        raise InstanceFailed(f"no folder for an instance can be made: {error}") from error
    return Place(folder, lock)


def sweep() -> list[str]:
    """Remove the remains of instances whose owner is dead; returns their names. Never raises.

    What cannot be removed (a group with a process that does not die) is left for the next sweep.
    """
    swept: list[str] = []
    with contextlib.suppress(OSError), _alone(state_folder()) as state:
        for folder in sorted(path for path in state.iterdir() if path.is_dir()):
            with contextlib.suppress(OSError):
                if _sweep_one(folder):
                    swept.append(folder.name.rpartition(".")[0])
    return swept


def state_folder() -> Path:
    """Where the instances' folders are: root's in /run, where a reboot ends them as it ends the instances."""
    user = os.getuid()
    if user == 0 and os.access("/run", os.W_OK):
        return Path("/run", NAME)
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / NAME if runtime else Path(tempfile.gettempdir()) / f".{NAME}-{user}"


@contextlib.contextmanager
def _alone(state: Path) -> Iterator[Path]:
    """Nobody else makes or sweeps a folder meanwhile: a folder without a lock is then no newcomer's."""
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    if state.stat().st_uid != os.getuid():
        raise PermissionError(f"{state} belongs to another user")
    lock = os.open(state / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield state
    finally:
        os.close(lock)


def _sweep_one(folder: Path) -> bool:
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:  # its owner was killed while it made or removed the folder
        _remove_folder(folder)
        return True
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        remains = _remains(folder)
        launcher = remains.get("launcher")
        if isinstance(launcher, int) and _start_of(launcher) == remains.get("start"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(launcher, signal.SIGKILL)
        if not remove_groups([Path(path) for path in remains.get("groups", [])]):
            return False
        _remove_folder(folder)
        return True
    finally:
        os.close(lock)


def _remains(folder: Path) -> dict[str, Any]:
    try:
        remains = json.loads((folder / _REMAINS).read_text())
    except (OSError, ValueError):  # killed before anything was made
        return {}
    return remains if isinstance(remains, dict) else {}


def _remove_folder(folder: Path) -> None:
    for name in (_STAGING, _REMAINS, f"{_REMAINS}.new", _LOCK):
        path = folder / name
        with contextlib.suppress(OSError):
            path.rmdir() if name == _STAGING else path.unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()


def _start_of(pid: int | None) -> int | None:
    """When a process began, in ticks since boot: together with its number it is that process and no other."""
    if pid is None:
        return None
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return int(stat[stat.rindex(")") + 1 :].split()[19])  # field 22 of proc_pid_stat(5)
