"""Builds the Rust function of the tests, once: the result is kept in the user's cache under the hash of its source."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from sectax.toolchain.cache import cache_folder

SOURCE = Path(__file__).parent / "rust_function"


def rust_bootstrap() -> bytes:
    """The bytes of the program, whose build takes minutes."""
    cargo = shutil.which("cargo")
    assert cargo is not None
    digest = hashlib.sha256(b"".join((SOURCE / name).read_bytes() for name in ("src/main.rs", "Cargo.lock")))
    program = cache_folder() / "tests" / f"rust-bootstrap-{digest.hexdigest()[:16]}"
    if not program.exists():
        target = program.with_suffix(f".{os.getpid()}")
        build = [cargo, "build", "--release", "--locked", "--quiet", "--target-dir", str(target)]
        subprocess.run(build, cwd=SOURCE, check=True)
        (target / "release" / "bootstrap").rename(program)
        shutil.rmtree(target)
    return program.read_bytes()
