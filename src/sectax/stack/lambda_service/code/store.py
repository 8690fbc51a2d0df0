"""The folder of the service: what was uploaded, unpacked, and the layers of functions laid over each other."""

from __future__ import annotations

import base64
import hashlib
import shutil
import threading
from pathlib import Path

from sectax.stack.lambda_service.code.archive import UNPACKED_BYTES, BadArchive, unpack
from sectax.stack.lambda_service.function import Code, LayerVersion


class CodeStore:
    """Keeps archives by their hash, until the service ends. Its methods take long and may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def add(self, data: bytes) -> Code:
        """Unpack an archive, unless the same one is there already. Raises `BadArchive`."""
        digest = hashlib.sha256(data)
        folder = self._folder / "code" / digest.hexdigest()
        with self._lock:
            if not folder.exists():
                unpack(data, folder)
        return Code(base64.b64encode(digest.digest()).decode(), len(data), folder)

    def merge(self, layers: tuple[LayerVersion, ...]) -> Path | None:
        """The folder that holds all these layers, later ones over earlier ones, as Lambda merges them into /opt.

        Raises:
            BadArchive: one has a file where another has a folder, or they are too large together.
        """
        if not layers:
            return None
        name = hashlib.sha256("\n".join(layer.code.sha256 for layer in layers).encode()).hexdigest()
        folder = self._folder / "opt" / name
        with self._lock:
            if not folder.exists():
                self._lay(layers, folder)
        return folder

    def _lay(self, layers: tuple[LayerVersion, ...], folder: Path) -> None:
        try:
            for layer in layers:
                shutil.copytree(layer.code.folder, folder, symlinks=True, dirs_exist_ok=True)
            size = sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
            if size > UNPACKED_BYTES:
                raise BadArchive(f"Layers consume more than the available size of {UNPACKED_BYTES} bytes")
        except OSError as error:  # shutil.Error is one
            shutil.rmtree(folder, ignore_errors=True)
            raise BadArchive(f"the layers do not fit over each other: {error}") from error
        except BadArchive:
            shutil.rmtree(folder, ignore_errors=True)
            raise
