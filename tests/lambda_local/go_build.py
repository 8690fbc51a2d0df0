"""Builds the Go function of the tests, once: the result is kept in the user's cache under the hash of its source."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from lambda_local.runtimes.installing import place

SOURCE = Path(__file__).parent / "go_function"


def bootstrap() -> bytes:
    """The bytes of the program."""
    go = shutil.which("go")
    assert go is not None
    program = place("tests/go-bootstrap", *((SOURCE / name).read_bytes() for name in ("main.go", "go.mod", "go.sum")))
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        building = program.with_suffix(f".{os.getpid()}")
        subprocess.run(
            [go, "build", "-trimpath", "-ldflags=-s -w", "-tags=lambda.norpc", "-o", str(building), "."],
            cwd=SOURCE,
            env=os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly"},
            check=True,
        )
        building.rename(program)
    return program.read_bytes()
