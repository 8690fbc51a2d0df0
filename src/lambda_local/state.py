"""What outlives a server: a folder with the archives, and one small document for each function and layer.

    archives/SHA256.zip     as uploaded
    functions/NAME.json     an Entry
    layers/NAME.json        a Layer

Every file is written whole beside its place, synced and renamed, and an archive before the document that needs it. So
after a kill or a power failure each document is the old or the new one, and its archives are there.
"""

from __future__ import annotations

import base64
import fcntl
import os
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lambda_local.entry import Entry
from lambda_local.registry import Layer
from sectax.model.errors import WrongUse
from sectax.toolchain.files import sync_folder, write_whole

_Document = TypeVar("_Document", Entry, Layer)


class State:
    """The folder of one server at a time. Its methods take long and may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        """Raises `WrongUse`: it cannot be written, or another server has it."""
        self.folder = folder
        try:
            for part in ("archives", "functions", "layers"):
                (folder / part).mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise WrongUse(f"the state folder {folder} cannot be used: {error.strerror}", "name another one") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise WrongUse(
                f"another server uses the state folder {folder}", "end it, or name another folder"
            ) from error
        for unfinished in folder.glob("*/.*"):  # of a server that was killed while it wrote
            unfinished.unlink(missing_ok=True)

    def close(self) -> None:
        """Let another server have it."""
        os.close(self._lock)

    def functions(self) -> list[Entry]:
        """All functions that were kept. Raises `WrongUse` where a document is not readable."""
        return [_read(path, Entry) for path in sorted((self.folder / "functions").glob("*.json"))]

    def layers(self) -> dict[str, Layer]:
        """All layers that were kept, by name."""
        return {path.stem: _read(path, Layer) for path in sorted((self.folder / "layers").glob("*.json"))}

    def keep_function(self, entry: Entry) -> None:
        """Write a function."""
        write_whole(self.folder / "functions" / f"{entry.name}.json", _encoded(entry), synced=True)

    def remove_function(self, name: str) -> None:
        """Forget a function."""
        path = self.folder / "functions" / f"{name}.json"
        path.unlink(missing_ok=True)
        sync_folder(path.parent)

    def keep_layer(self, name: str, layer: Layer) -> None:
        """Write a layer."""
        write_whole(self.folder / "layers" / f"{name}.json", _encoded(layer), synced=True)

    def archive(self, sha256: str) -> bytes:
        """An archive, by its hash in Base64. Raises `WrongUse` where it is missing."""
        path = archive_path(self.folder, sha256)
        try:
            return path.read_bytes()
        except OSError as error:
            raise WrongUse(f"{path} cannot be read: {error.strerror}", "restore it, or name another folder") from error

    def remove_archives_but(self, used: set[str]) -> None:
        """Remove all archives but those with these hashes, and what was never finished."""
        keep = {archive_path(self.folder, sha256) for sha256 in used}
        for path in (self.folder / "archives").iterdir():
            if path not in keep:
                path.unlink(missing_ok=True)


def archive_path(folder: Path, sha256: str) -> Path:
    """Where the archive with this hash (Base64) is kept in the folder of a state."""
    return folder / "archives" / f"{base64.b64decode(sha256).hex()}.zip"


def _encoded(document: Entry | Layer) -> bytes:
    return msgspec.json.encode(document, enc_hook=str)  # paths; they are of one server only


def _read(path: Path, kind: type[_Document]) -> _Document:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind, dec_hook=_path)
    except (OSError, msgspec.DecodeError) as error:
        raise WrongUse(f"{path} cannot be read: {error}", "restore it, or remove it to forget what it names") from error


def _path(kind: type, value: Any) -> Path:
    return Path(value)
