"""Builds the Rust function of the tests, once: the result is kept in the user's cache under the hash of its source."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from lambda_local.runtimes.installing import place

SOURCE = Path(__file__).parent / "rust_function"


def rust_bootstrap() -> bytes:
    """The bytes of the program, whose build takes minutes."""
    cargo = shutil.which("cargo")
    assert cargo is not None
    program = place("tests/rust-bootstrap", *((SOURCE / name).read_bytes() for name in ("src/main.rs", "Cargo.lock")))
    if not program.exists():
        target = program.with_suffix(f".{os.getpid()}")
        build = [cargo, "build", "--release", "--locked", "--quiet", "--target-dir", str(target)]
        subprocess.run(build, cwd=SOURCE, check=True)
        (target / "release" / "bootstrap").rename(program)
        shutil.rmtree(target)
    return program.read_bytes()
