"""AWS's Secrets Manager Agent: a fixed release, built by cargo.

It has the interface of AWS's Parameters and Secrets Lambda Extension, which is not available outside AWS.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable
from pathlib import Path

from sectax.parts import cache, installer
from sectax.parts.files import checksum
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import Missing

CRATE, VERSION = "aws_secretsmanager_agent", "2.1.0"
PROGRAM = "aws_secretsmanager_agent"
# The hash of the crate on crates.io; nothing else is built under this version.
_CRATE_SHA256 = "8ffe85d324228cbf2f407e3f952e7834ee47f0553707d1bd2f75b63c4a526f79"
TITLE = "AWS's Secrets Manager Agent"
_CRATES = 287  # in its lock file, for Linux


def program() -> Path:
    """Return the agent's program; `SetUpFailed` if missing or changed."""
    lack = missing()
    if lack is not None:
        raise SetUpFailed(f"{TITLE}: {lack.reason}", lack.hint)
    return _program()


def fingerprint() -> str:
    """Return the release and the first 16 hexadecimal digits of the program's SHA-256."""
    return f"{CRATE} {VERSION}, sha256 {_hash_file().read_text().strip()[:16]}"


def missing() -> Missing | None:
    """Return why it cannot run; None if it is built and unchanged."""
    cache.refuse_foreign(_program())
    if _program().is_file() and _hash_file().is_file():
        if checksum(_program()) == _hash_file().read_text().strip():
            return None
        return Missing("its file has changed since it was built", "sectax setup secrets", makable=True)
    if shutil.which("cargo") is None:
        return Missing(f"cargo is not installed; it builds {TITLE}", "install Rust and cargo from https://rustup.rs")
    return Missing(f"{TITLE} is not built yet", "sectax setup secrets", makable=True)


def build(say: Callable[[str], None]) -> None:
    """Build the program, which takes some minutes, and delete everything else.

    Args:
        say: called at the start, and every 15 seconds with the progress.
    Raises:
        SetUpFailed: cargo failed, or crates.io returned an unexpected crate.
    """

    def follow(printed: str, seconds: float) -> None:
        # Cargo prints nothing while it compiles one crate, which may take minutes.
        say(f"building {TITLE}: {printed.count('Compiling ')} of {_CRATES} crates, {seconds:.0f} s")

    say(f"building {TITLE} {VERSION} with cargo, which takes some minutes")
    target = _folder()
    with installer.scratch_beside(target) as scratch:
        root = scratch / "root"
        command = ["cargo", "install", "--locked", "--no-track", f"{CRATE}@{VERSION}", "--root", str(root)]
        # By default cargo would leave about 900 MB in /tmp.
        environment = os.environ | {"CARGO_TARGET_DIR": str(scratch / "target")}
        installer.run(command, f"{TITLE} could not be built", environment=environment, progress=follow)
        _check_crate()
        built = root / "bin" / PROGRAM
        finished = scratch / "finished"
        finished.mkdir()
        shutil.copy(built, finished / PROGRAM)
        (finished / PROGRAM).chmod(0o755)
        (finished / "sha256").write_text(checksum(built) + "\n")
        shutil.rmtree(target, ignore_errors=True)
        finished.replace(target)


def _folder() -> Path:
    return cache.place("secrets", f"agent-{VERSION}", _CRATE_SHA256.encode(), platform.machine().encode())


def _program() -> Path:
    return _folder() / PROGRAM


def _hash_file() -> Path:
    return _folder() / "sha256"


def _check_crate() -> None:
    home = Path(os.environ.get("CARGO_HOME") or "~/.cargo").expanduser()
    fetched = sorted(home.glob(f"registry/cache/*/{CRATE}-{VERSION}.crate"))
    if not any(checksum(path) == _CRATE_SHA256 for path in fetched):
        raise SetUpFailed(
            f"the SHA-256 of crate {CRATE} {VERSION} is not the expected one",
            "check which registry cargo uses",
        )
