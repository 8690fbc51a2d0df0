"""The archive of a function or a layer, and whether it holds what the runtime will call.

It is a zip as it is, or a folder packed so that equal files give equal bytes.
"""

from __future__ import annotations

import ast
import hashlib
import io
import os
import stat
import sys
import zipfile
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


_OWN_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


def check_handler(what: str, archive: bytes, runtime: str, handler: str, *, layers: bool) -> None:
    """Refuse an archive in which the handler certainly is not; what is not known passes.

    Args:
        what: names the function in the error.
        archive: a zip, as `read_code` gives it.
        layers: whether there are some, which may hold what the archive does not.
    Raises:
        WrongUse: there is no such file, or no such name in it.
    """
    with zipfile.ZipFile(io.BytesIO(archive)) as zipped:
        if runtime.startswith("python"):
            _check_python(what, zipped, runtime, handler, layers)
        elif runtime.startswith("provided") and not layers:
            _check_bootstrap(what, zipped)


def _check_bootstrap(what: str, zipped: zipfile.ZipFile) -> None:
    if "bootstrap" not in zipped.namelist():
        raise WrongUse(f"{what} has no file 'bootstrap' at its top", "build the program under that name")
    if not (zipped.getinfo("bootstrap").external_attr >> 16) & stat.S_IXUSR:
        raise WrongUse(f"the file 'bootstrap' of {what} is not executable", "chmod +x bootstrap, and pack it again")


def _check_python(what: str, zipped: zipfile.ZipFile, runtime: str, handler: str, layers: bool) -> None:
    module, dot, name = handler.rpartition(".")
    if not dot:
        raise WrongUse(f"the handler {handler!r} is not of the form MODULE.FUNCTION", "say --handler MODULE.FUNCTION")
    path = module.replace(".", "/")
    entries = set(zipped.namelist())
    source = next((entry for entry in (f"{path}.py", f"{path}/__init__.py") if entry in entries), None)
    compiled = any(entry.startswith(f"{path}.") and entry.endswith((".so", ".pyc")) for entry in entries)
    if source is None and not compiled:
        if layers:
            return
        raise WrongUse(
            f"{what} holds no {path}.py, in which the handler {handler} would be",
            "say --handler MODULE.FUNCTION, or pack the files so that this one lies there",
        )
    if source is None or runtime != _OWN_PYTHON:  # another version may have another grammar
        return
    try:
        names = _names(ast.parse(zipped.read(source)))
    except (SyntaxError, ValueError) as error:
        raise WrongUse(
            f"{source} of {what} is not valid {runtime}: {error}", "correct it, or name another --runtime"
        ) from error
    if names is not None and name not in names:
        raise WrongUse(f"{source} of {what} has nothing called {name!r}", "say --handler MODULE.FUNCTION")


def _names(tree: ast.Module) -> set[str] | None:
    """The names that a module has once it is loaded; None where that is not known without loading it."""
    names: set[str] = set()
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            continue  # what is inside is not the module's
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Name) and node.id in ("globals", "exec", "setattr", "vars"):
            return None
        waiting += ast.iter_child_nodes(node)
    return None if names & {"*", "__getattr__"} else names
