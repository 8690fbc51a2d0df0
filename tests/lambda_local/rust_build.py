"""Builds the Rust function of the tests, once: the result is kept in the user's cache under the hash of its source."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lambda_local.runtimes.installing import place

SOURCE = Path(__file__).parent / "rust_function"


def rust_bootstrap() -> bytes:
    """The bytes of the program, whose build takes minutes; the test is skipped where there is no Rust."""
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("Rust is not installed")
    program = place("tests/rust-bootstrap", *((SOURCE / name).read_bytes() for name in ("src/main.rs", "Cargo.lock")))
    if not program.exists():
        target = program.with_suffix(f".{os.getpid()}")
        build = [cargo, "build", "--release", "--locked", "--quiet", "--target-dir", str(target)]
        done = subprocess.run(build, cwd=SOURCE, capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip(f"the Rust function cannot be built here: {done.stderr[-400:]}")
        (target / "release" / "bootstrap").rename(program)
        shutil.rmtree(target)
    return program.read_bytes()
