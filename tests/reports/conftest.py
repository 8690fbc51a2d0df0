"""Golden files: what a report prints in a situation. `SECTAX_GOLDEN=write` writes them again; read the difference."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

_GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compares a text with the golden file of this name, byte for byte."""

    def compare(name: str, text: str) -> None:
        path = _GOLDEN / name
        if os.environ.get("SECTAX_GOLDEN") == "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.exists(), f"no golden file {path}: run the tests once with SECTAX_GOLDEN=write"
        assert text == path.read_bytes().decode()

    return compare
