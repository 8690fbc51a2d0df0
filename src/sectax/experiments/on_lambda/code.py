"""The archive of a function or layer: a zip, or a packed folder."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import zipfile
from collections.abc import Collection
from pathlib import Path

from sectax.model.errors import WrongUse

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time of a zip


def read_code(path: str) -> bytes:
    """Read the zip, or pack the folder with linked files, without byte code.

    Raises:
        WrongUse: it does not exist, or is not a zip.
    """
    source = Path(path)
    try:
        if source.is_dir():
            return pack(source)
        if zipfile.is_zipfile(source):
            return source.read_bytes()
    except OSError as error:
        raise WrongUse(f"{path} cannot be read: {error.strerror or error}", "give a zip or a folder") from error
    raise WrongUse(f"{path} {'is not a zip' if source.exists() else 'does not exist'}", "give a zip or a folder")


def digest(path: str) -> str:
    """Return the first 16 hexadecimal digits of the archive's SHA-256."""
    return hashlib.sha256(read_code(path)).hexdigest()[:16]


def pack(folder: Path, leave_out: Collection[str] = (), *, executable: bool = False) -> bytes:
    """Pack a folder into a zip, reproducibly and without byte code.

    Args:
        leave_out: names of files to skip.
        executable: whether to make all files executable, whatever the umask was.
    Raises:
        WrongUse: the folder has no file.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    if not files:
        raise WrongUse(f"the folder {folder} has no file", "give a zip or a folder with the function's code")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            if path.name in leave_out:
                continue
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
            entry.create_system = 3  # Unix, for the modes
            entry.external_attr = (0o100755 if executable or os.access(path, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return content.getvalue()


def check_handler(what: str, archive: bytes, runtime: str, handler: str, *, layers: bool) -> None:
    """Reject an archive that lacks the handler's file.

    Args:
        what: name of the function in messages.
        archive: a zip, as from `read_code`.
        layers: whether there are layers, which may have the file.
    Raises:
        WrongUse: the file is missing.
    """
    with zipfile.ZipFile(io.BytesIO(archive)) as zipped:
        if runtime.startswith("python") and not layers:
            _check_python(what, zipped, handler)
        elif runtime.startswith("provided") and not layers:
            _check_bootstrap(what, zipped)


def _check_bootstrap(what: str, zipped: zipfile.ZipFile) -> None:
    if "bootstrap" not in zipped.namelist():
        raise WrongUse(f"{what} has no file 'bootstrap' at the top level", "build the program under that name")
    if not (zipped.getinfo("bootstrap").external_attr >> 16) & stat.S_IXUSR:
        raise WrongUse(f"the file 'bootstrap' of {what} is not executable", "chmod +x bootstrap, and pack it again")


def _check_python(what: str, zipped: zipfile.ZipFile, handler: str) -> None:
    module, dot, _ = handler.rpartition(".")
    if not dot:
        raise WrongUse(f"the handler {handler!r} is not of the form MODULE.FUNCTION", "use --handler MODULE.FUNCTION")
    path = module.replace(".", "/")
    if not any(entry.startswith((f"{path}.", f"{path}/__init__.")) for entry in zipped.namelist()):
        raise WrongUse(
            f"{what} has no {path}.py, which the handler {handler} needs",
            "use --handler MODULE.FUNCTION, or pack the file at this path",
        )
