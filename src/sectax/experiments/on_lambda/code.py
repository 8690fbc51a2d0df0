"""The archive of a function or a layer, and whether it holds what the runtime will call.

It is a zip as it is, or a folder packed so that equal files give equal bytes.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import zipfile
from collections.abc import Collection
from pathlib import Path

from sectax.model.errors import WrongUse

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can hold


def read_code(path: str) -> bytes:
    """The zip at *path*, or of the folder there; links are followed, byte code is left out.

    Raises:
        WrongUse: there is nothing, or what is there is no zip.
    """
    place = Path(path)
    try:
        if place.is_dir():
            return packed(place)
        if zipfile.is_zipfile(place):
            return place.read_bytes()
    except OSError as error:
        raise WrongUse(f"{path} cannot be read: {error.strerror or error}", "give a zip or a folder") from error
    raise WrongUse(f"{path} is {'no zip' if place.exists() else 'not there'}", "give a zip or a folder")


def digest(path: str) -> str:
    """The first 16 hexadecimal digits of the archive's SHA-256: other code, another digest."""
    return hashlib.sha256(read_code(path)).hexdigest()[:16]


def packed(folder: Path, leave_out: Collection[str] = (), *, executable: bool = False) -> bytes:
    """A folder as a zip, in which equal files give equal bytes; byte code is left out.

    Args:
        leave_out: names of files that are not packed.
        executable: every file becomes so, whatever the umask was.
    Raises:
        WrongUse: there is no file.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    if not files:
        raise WrongUse(f"the folder {folder} holds no file", "give a zip or a folder with the function's code")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            if path.name in leave_out:
                continue
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
            entry.create_system = 3  # unix, whose modes these are
            entry.external_attr = (0o100755 if executable or os.access(path, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return content.getvalue()


def check_handler(what: str, archive: bytes, runtime: str, handler: str, *, layers: bool) -> None:
    """Refuse an archive that certainly lacks the handler's file.

    Args:
        what: names the function in the error.
        archive: a zip, as `read_code` gives it.
        layers: whether there are some, which may hold what the archive does not.
    Raises:
        WrongUse: there is no such file.
    """
    with zipfile.ZipFile(io.BytesIO(archive)) as zipped:
        if runtime.startswith("python") and not layers:
            _check_python(what, zipped, handler)
        elif runtime.startswith("provided") and not layers:
            _check_bootstrap(what, zipped)


def _check_bootstrap(what: str, zipped: zipfile.ZipFile) -> None:
    if "bootstrap" not in zipped.namelist():
        raise WrongUse(f"{what} has no file 'bootstrap' at its top", "build the program under that name")
    if not (zipped.getinfo("bootstrap").external_attr >> 16) & stat.S_IXUSR:
        raise WrongUse(f"the file 'bootstrap' of {what} is not executable", "chmod +x bootstrap, and pack it again")


def _check_python(what: str, zipped: zipfile.ZipFile, handler: str) -> None:
    module, dot, _ = handler.rpartition(".")
    if not dot:
        raise WrongUse(f"the handler {handler!r} is not of the form MODULE.FUNCTION", "say --handler MODULE.FUNCTION")
    path = module.replace(".", "/")
    if not any(entry.startswith((f"{path}.", f"{path}/__init__.")) for entry in zipped.namelist()):
        raise WrongUse(
            f"{what} holds no {path}.py, in which the handler {handler} would be",
            "say --handler MODULE.FUNCTION, or pack the files so that this one lies there",
        )
