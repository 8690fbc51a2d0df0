"""Functions for the subject's tests, as folders, and the local Lambda that runs them where it can be had."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from sectax.experiments.on_lambda import LOCAL
from sectax.experiments.on_lambda.services import LambdaService
from sectax.experiments.on_lambda.subject import FunctionSpec
from tests.needs import SANDBOX, needs

needs_sandbox = needs(*SANDBOX)

PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


ONE = "def handler(event, context):\n    return 1\n"


def folder(where: Path, source: str = ONE, name: str = "f") -> str:
    """A folder with a function `f.handler` of this source."""
    made = where / name
    made.mkdir()
    (made / "f.py").write_text(source)
    return str(made)


_open: dict[str | None, LambdaService] = {}


def service(endpoint: str | None = LOCAL) -> LambdaService:
    """The service at an endpoint, which all tests of a module share; `close_services` ends it."""
    if endpoint not in _open:
        _open[endpoint] = LambdaService(endpoint).__enter__()
    return _open[endpoint]


def close_services() -> None:
    while _open:
        _open.popitem()[1].__exit__(None, None, None)


def spec(code: str, endpoint: str | None = LOCAL, **more: Any) -> FunctionSpec:
    wanted: dict[str, Any] = {"runtime": PYTHON, "memory_mb": 1769, "timeout_s": 20} | more
    return FunctionSpec("plain", code, handler="f.handler", service=service(endpoint), **wanted)
