"""Whether a function's archive holds what its runtime will call: looked at before anything is deployed."""

from __future__ import annotations

import ast
import io
import stat
import sys
import zipfile

from sectax.model.errors import WrongUse

_OWN_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


def check_handler(what: str, archive: bytes, runtime: str, handler: str, *, layers: bool) -> None:
    """Refuse an archive in which the handler certainly is not; what cannot be told passes.

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
    """The names that a module has once it is loaded; None where that cannot be told without loading it."""
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
