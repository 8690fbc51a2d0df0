"""Functions for the subject's tests, as folders, and the local Lambda that runs them where it can be had."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from sectax.subjects.function import FunctionSpec
from sectax.subjects.function.promises import obstacle
from sectax.subjects.function.spec import LOCAL

_here = obstacle(LOCAL)
needs_sandbox = pytest.mark.skipif(_here is not None, reason=_here.message if _here else "")

PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


def folder(where: Path, source: str, name: str = "f") -> str:
    """A folder with a function `f.handler` of this source."""
    made = where / name
    made.mkdir()
    (made / "f.py").write_text(source)
    return str(made)


def spec(code: str, **more: Any) -> FunctionSpec:
    wanted: dict[str, Any] = {"memory_mb": 1769, "timeout_s": 20} | more
    return FunctionSpec("plain", code, PYTHON, "f.handler", **wanted)
