"""Finds a Python interpreter and installs AWS's runtime client for it into the cache."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from lambda_local.errors import SetUpFailed
from lambda_local.instances.programs import CLIENT, LANG, Runtime
from lambda_local.runtimes import installing
from lambda_local.runtimes.installing import Missing
from lambda_local.runtimes.shell import no_programs
from lambda_local.sandbox import Mount

_LOCK = Path(__file__).with_name("python.lock")
_BOOTSTRAP = Path(__file__).with_name("bootstrap.py")
_ASK = "import json, sys; print(json.dumps([sys.base_prefix, sys.version, list(sys.version_info[:2])]))"


# Folders of programs below an interpreter's prefix; if that is /usr, they have all programs of the machine.
_PROGRAMS = ("sbin", "games", "local/bin", "local/sbin", "local/games")


def find(name: str) -> Runtime:
    """Return the runtime, as 'python3.12'; installs AWS's client if necessary.

    Raises:
        SetUpFailed: the interpreter is missing, or the client could not be installed.
    """
    executable, prefix, version = _find_interpreter(name)
    client = _client(executable, prefix, name, version)
    # -S hides the interpreter's own packages; the client's bootstrap.py sets the search path.
    argv = (f"{LANG}/bin/{name}", "-S", f"{CLIENT}/bootstrap.py")
    empty = [Mount(no_programs(), f"{LANG}/{folder}") for folder in _PROGRAMS if (prefix / folder).is_dir()]
    mounts = (Mount(prefix, LANG), Mount(client / "lang", f"{LANG}/bin"), *empty, Mount(client, CLIENT))
    return Runtime(argv, mounts, {}, f"AWS_Lambda_{name}", f"python:{version.split()[0]}")


def install(name: str) -> None:
    find(name)


def here() -> str:
    """Return the runtime of this interpreter."""
    return f"python{sys.version_info.major}.{sys.version_info.minor}"


def missing(name: str) -> Missing | None:
    """Return why the runtime is not available, or None. Raises `SetUpFailed` without this Python."""
    _, _, version = _find_interpreter(name)
    if installing.is_complete(_folder(version)):
        return None
    return Missing(
        f"the runtime client of {name} is not installed yet",
        f"python -m lambda_local setup {name}",
        makable=True,
        on_first_use=True,
    )


def _find_interpreter(name: str) -> tuple[str, Path, str]:
    """Return the interpreter, its prefix, and its full version."""
    own = here()
    executable = sys.executable if name == own else shutil.which(name) or name
    try:
        prefix, version, (major, minor) = json.loads(installing.ask(executable, "-c", _ASK))
    except ValueError:  # it is missing or fails
        major = minor = 0
    if f"python{major}.{minor}" != name:
        raise SetUpFailed(f"there is no {name} on this machine", f"install it, or use {own}")
    if not Path(prefix, "bin", name).exists():
        raise SetUpFailed(f"{executable} has no {prefix}/bin/{name}", f"use {own}")
    return executable, Path(prefix), version


def _folder(version: str) -> Path:
    return installing.place("python-2", _LOCK.read_bytes(), _BOOTSTRAP.read_bytes(), version.encode())


def _client(executable: str, prefix: Path, name: str, version: str) -> Path:
    """Return the folder of the client, installing it if necessary."""

    def make(folder: Path) -> None:
        # With byte code, which a function's sandbox cannot write.
        failure = "AWS's runtime client could not be installed"
        installing.install_python_packages(_LOCK, executable, failure, folder)
        shutil.copy(_BOOTSTRAP, folder / "bootstrap.py")
        # A copy, since the original's folder may be /usr/bin with all programs of the machine.
        (folder / "lang").mkdir()
        shutil.copy(prefix / "bin" / name, folder / "lang" / name)
        (folder / "lang" / "python3").symlink_to(name)

    return installing.make_once(_folder(version), make)
