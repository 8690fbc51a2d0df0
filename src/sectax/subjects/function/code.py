"""The archive of a function or a layer: a zip as it is, or a folder packed so that equal files give equal bytes."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from pathlib import Path

from sectax.model.errors import WrongUse

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can tell


def read_code(path: str) -> bytes:
    """The zip at *path*, or of the folder there; links are followed, byte code is left out.

    Raises:
        WrongUse: there is nothing, or what is there is no zip.
    """
    place = Path(path)
    try:
        if place.is_dir():
            return _packed(place)
        if zipfile.is_zipfile(place):
            return place.read_bytes()
    except OSError as error:
        raise WrongUse(f"{path} cannot be read: {error.strerror or error}", "give a zip or a folder") from error
    raise WrongUse(f"{path} is {'no zip' if place.exists() else 'not there'}", "give a zip or a folder")


def digest(path: str) -> str:
    """The first 16 hexadecimal digits of the archive's SHA-256: other code, another digest."""
    return hashlib.sha256(read_code(path)).hexdigest()[:16]


def _packed(folder: Path) -> bytes:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    if not files:
        raise WrongUse(f"the folder {folder} holds no file", "give a zip or a folder with the function's code")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
            entry.create_system = 3  # unix, whose modes these are
            entry.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return packed.getvalue()
