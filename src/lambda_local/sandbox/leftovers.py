"""Remembers on disk what an instance is made of, and removes what owners that were killed have left behind.

Each instance has a locked folder, `name.random`, with the list of what must be removed, and the empty folder on which
the instance builds its root (in a namespace of its own: nothing is ever mounted there as seen from outside).
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import tempfile
from pathlib import Path
from typing import Any

from lambda_local.sandbox.groups import remove_groups
from lambda_local.sandbox.limits import InstanceFailed
from lambda_local.settings import NAME
from lambda_local.work_folder import LOCK, WorkFolder, new_folder
from lambda_local.work_folder import sweep as sweep_folders

_REMAINS, _STAGING = "remains.json", "root"


class Place(WorkFolder):
    """The folder of one living instance."""

    @property
    def staging(self) -> Path:
        return self.path / _STAGING

    def note(self, groups: list[Path], launcher: int) -> None:
        """Write down what is about to be made, before it is."""
        remains = {"groups": [str(path) for path in groups], "launcher": launcher, "start": _start_of(launcher)}
        unfinished = self.path / f"{_REMAINS}.new"
        unfinished.write_text(json.dumps(remains))
        unfinished.replace(self.path / _REMAINS)

    def leave(self) -> None:
        """Remove the folder; never raises."""
        _remove_folder(self.path)
        os.close(self.lock)


def new_place(name: str) -> Place:
    """A folder for a new instance, locked.

    Raises:
        InstanceFailed: there is nowhere to write.
    """
    try:
        state = state_folder()
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        if state.stat().st_uid != os.getuid():
            raise PermissionError(f"{state} belongs to another user")
        place = Place(*new_folder(state, f"{name}.{secrets.token_hex(4)}"))
        place.staging.mkdir()
    except OSError as error:
        raise InstanceFailed(f"no folder for an instance can be made: {error}") from error
    return place


def sweep() -> list[str]:
    """Remove the remains of instances whose owner is dead; returns their names. Never raises.

    What cannot be removed (a group with a process that does not die) is left for the next sweep.
    """
    return [name.rpartition(".")[0] for name in sweep_folders(state_folder(), "*", _remove)]


def state_folder() -> Path:
    """Where the instances' folders are: root's in /run, where a reboot ends them as it ends the instances."""
    user = os.getuid()
    if user == 0 and os.access("/run", os.W_OK):
        return Path("/run", NAME)
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / NAME if runtime else Path(tempfile.gettempdir()) / f".{NAME}-{user}"


def _remove(folder: Path) -> bool:
    remains = _remains(folder)
    launcher = remains.get("launcher")
    if isinstance(launcher, int) and _start_of(launcher) == remains.get("start"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(launcher, signal.SIGKILL)
    if not remove_groups([Path(path) for path in remains.get("groups", [])]):
        return False
    _remove_folder(folder)
    return True


def _remains(folder: Path) -> dict[str, Any]:
    try:
        remains = json.loads((folder / _REMAINS).read_text())
    except (OSError, ValueError):  # killed before anything was made
        return {}
    return remains if isinstance(remains, dict) else {}


def _remove_folder(folder: Path) -> None:
    for name in (_STAGING, _REMAINS, f"{_REMAINS}.new", LOCK):
        path = folder / name
        with contextlib.suppress(OSError):
            path.rmdir() if name == _STAGING else path.unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()


def _start_of(pid: int) -> int | None:
    """When a process began, in ticks since boot: together with its number it is that process and no other."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return int(stat[stat.rindex(")") + 1 :].split()[19])  # field 22 of proc_pid_stat(5)
