"""Keeps a run's keys in a file of mode 600 while it goes on, so that it can be resumed; then deletes them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from sectax.toolchain.cache import state_folder


def _path(run_id: str) -> Path:
    return state_folder() / "inputs" / f"{run_id}.json"


def keep(run_id: str, inputs: dict[str, str]) -> None:
    """Write the inputs where only this user can read them."""
    if not inputs:
        return
    path = _path(run_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(inputs))


def recall(run_id: str) -> dict[str, str] | None:
    """The inputs of an unfinished run; None where they are gone."""
    try:
        return msgspec.json.decode(_path(run_id).read_bytes(), type=dict[str, str])
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def forget(run_id: str) -> None:
    """Delete the inputs of a run."""
    _path(run_id).unlink(missing_ok=True)
