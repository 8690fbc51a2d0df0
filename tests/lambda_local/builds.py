"""Builds the Go function of the tests, once: kept in the user's cache under the hash of its sources."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from lambda_local.runtimes.installing import place

HERE = Path(__file__).parent


def go_bootstrap() -> bytes:
    """The bytes of the program."""

    def build(beside: Path) -> Path:
        words = ["go", "build", "-trimpath", "-ldflags=-s -w", "-tags=lambda.norpc", "-o", str(beside), "."]
        environment = os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly"}
        subprocess.run(words, cwd=HERE / "go_function", env=environment, check=True)
        return beside

    return _built(HERE / "go_function", ("main.go", "go.mod", "go.sum"), build)


def _built(folder: Path, sources: tuple[str, ...], build: Callable[[Path], Path]) -> bytes:
    program = place(f"tests/{folder.name}", *((folder / name).read_bytes() for name in sources))
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        build(program.with_suffix(f".{os.getpid()}")).rename(program)
    return program.read_bytes()
