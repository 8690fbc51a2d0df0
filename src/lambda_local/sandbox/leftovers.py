"""Removes the folder of a server and the control groups with its name."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from pathlib import Path

from lambda_local.sandbox.groups import owner_groups, remove_groups
from lambda_local.sandbox.launch import LAUNCHER
from lambda_local.work_folder import WorkFolder, dead_folders


def leave(owner: WorkFolder) -> None:
    """Remove the files of an owner after its instances were destroyed; never raises."""
    _remove(owner.path)
    os.close(owner.lock)


def sweep() -> list[str]:
    """Remove leftovers of killed owners; return the names of their folders. Never raises."""
    return [folder.name for folder in dead_folders() if _remove(folder)]


def _remove(folder: Path) -> bool:
    """Return whether everything is removed. The folder stays for the next sweep if a process does not die."""
    _kill_launchers(folder)
    if not remove_groups(owner_groups(folder.name)):
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return True


def _kill_launchers(folder: Path) -> None:
    """Kill launchers whose init was stopped; others exit with their owner."""
    staging = os.fsencode(WorkFolder(folder, -1).staging)
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")[:-1]
            if LAUNCHER in words and words[-1] == staging and process.stat().st_uid == os.geteuid():
                os.kill(int(process.name), signal.SIGKILL)
