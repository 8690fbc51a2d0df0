"""AWS's Secrets Manager Agent: one release, built by cargo into the user's cache, and checked by its hash before use.

It answers as AWS's Parameters and Secrets Lambda Extension does, and the extension itself is not to be had outside AWS.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from sectax.toolchain import cache
from sectax.toolchain.installer import TRY_AGAIN, SetUpFailed
from sectax.toolchain.programs import Missing

CRATE, VERSION = "aws_secretsmanager_agent", "2.1.0"
PROGRAM = "aws_secretsmanager_agent"
# Of the crate as crates.io has it: another one under this version is not built.
_CRATE_SHA256 = "8ffe85d324228cbf2f407e3f952e7834ee47f0553707d1bd2f75b63c4a526f79"
_MEND = "install Rust and cargo from https://rustup.rs"
_CRATES = 287  # that its lock file has for Linux
_SAY_EVERY_S = 15.0
_TAIL_LINES = 15


def program() -> Path:
    """The agent's program. Raises `SetUpFailed` where it is not built, or is no longer what was built."""
    lack = missing()
    if lack is not None:
        raise SetUpFailed(f"AWS's Secrets Manager Agent: {lack.reason}", lack.hint)
    return _program()


def fingerprint() -> str:
    """The agent's release and the first 16 hexadecimal digits of its program's SHA-256."""
    return f"{CRATE} {VERSION}, sha256 {_hash_file().read_text().strip()[:16]}"


def missing() -> Missing | None:
    """What is lacking to run it; None where it is built and whole."""
    if _program().is_file() and _hash_file().is_file():
        if _sha256(_program()) == _hash_file().read_text().strip():
            return None
        return Missing("it is built, but its file has changed since", "sectax setup secrets", makable=True)
    if shutil.which("cargo") is None:
        return Missing("cargo is not installed, which builds AWS's Secrets Manager Agent", _MEND)
    return Missing("AWS's Secrets Manager Agent is not built yet", "sectax setup secrets", makable=True)


def build(say: Callable[[str], None]) -> None:
    """Build it, which takes cargo some minutes, and keep the program alone.

    Args:
        say: is told every 15 seconds how far it is.
    Raises:
        SetUpFailed: cargo failed, or crates.io gave another crate than the one that is wanted.
    """
    target = _folder()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".agent-", dir=target.parent) as scratch:
        root = Path(scratch, "root")
        command = ["cargo", "install", "--locked", "--no-track", f"{CRATE}@{VERSION}", "--root", str(root)]
        # Cargo's own folder for what is built would otherwise be left in /tmp, with some 900 MB.
        _follow(command, os.environ | {"CARGO_TARGET_DIR": str(Path(scratch, "target"))}, say)
        _check_crate()
        built = root / "bin" / PROGRAM
        finished = Path(scratch, "finished")
        finished.mkdir()
        shutil.copy(built, finished / PROGRAM)
        (finished / PROGRAM).chmod(0o755)
        (finished / "sha256").write_text(_sha256(built) + "\n")
        shutil.rmtree(target, ignore_errors=True)
        finished.replace(target)


def _folder() -> Path:
    return cache.place("secrets", f"agent-{VERSION}", _CRATE_SHA256.encode(), platform.machine().encode())


def _program() -> Path:
    return _folder() / PROGRAM


def _hash_file() -> Path:
    return _folder() / "sha256"


def _follow(command: list[str], environment: dict[str, str], say: Callable[[str], None]) -> None:
    """Run cargo to its end. It tells nothing while it works on one crate, which may take minutes; this does."""
    began = time.monotonic()
    lines: list[str] = []
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=pipe, text=True
    ) as cargo:
        assert cargo.stderr is not None
        reader = threading.Thread(target=lines.extend, args=(map(str.rstrip, cargo.stderr),), daemon=True)
        reader.start()
        try:
            while not _ended(cargo):
                crates = sum("Compiling " in line for line in list(lines))
                spent_s = time.monotonic() - began
                say(f"building AWS's Secrets Manager Agent: {crates} of {_CRATES} crates, {spent_s:.0f} s")
        except BaseException:
            cargo.kill()
            raise
        reader.join()
    if cargo.returncode != 0:
        said = "\n".join(lines[-_TAIL_LINES:])
        raise SetUpFailed(f"AWS's Secrets Manager Agent could not be built:\n{said}", TRY_AGAIN)


def _ended(cargo: subprocess.Popen[str]) -> bool:
    try:
        cargo.wait(_SAY_EVERY_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def _check_crate() -> None:
    home = Path(os.environ.get("CARGO_HOME") or "~/.cargo").expanduser()
    fetched = sorted(home.glob(f"registry/cache/*/{CRATE}-{VERSION}.crate"))
    if not any(_sha256(each) == _CRATE_SHA256 for each in fetched):
        raise SetUpFailed(
            f"{CRATE} {VERSION} is not the crate that sectax knows",
            "its SHA-256 is another one: see which registry cargo is set to use",
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
