"""Programs of an instance: the runtime's command, files and environment, and the external extensions."""

from __future__ import annotations

import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lambda_local.function import LATEST, Function
from lambda_local.sandbox import Mount
from lambda_local.settings import API_HOST, API_PORT, REGION

TASK, OPT = "/var/task", "/opt"
LANG, CLIENT = "/var/lang", "/var/runtime"  # as in Lambda's images: the interpreter, and the runtime client
WRAPPER = "AWS_LAMBDA_EXEC_WRAPPER"  # a program that starts the runtime


@dataclass(frozen=True)
class Runtime:
    """A runtime that is available here.

    Attributes:
        argv: the command of the runtime client; None if the function has its own `bootstrap`.
        mounts: its folders in the instance.
        environment: its variables.
        identity: value of AWS_EXECUTION_ENV. version: version in INIT_START.
    """

    argv: tuple[str, ...] | None
    mounts: tuple[Mount, ...]
    environment: Mapping[str, str]
    identity: str
    version: str

    def source(self, target: str) -> Path:
        return next(mount.source for mount in self.mounts if mount.target == target)


def mounts(function: Function, runtime: Runtime) -> list[Mount]:
    opt = [] if function.opt is None else [Mount(function.opt, OPT)]
    return [Mount(function.code.folder, TASK), *opt, *runtime.mounts]


def extensions(function: Function) -> list[str]:
    """Return the names of external extensions: the programs in /opt/extensions, in alphabetical order."""
    folder = None if function.opt is None else function.opt / "extensions"
    if folder is None or not folder.is_dir():
        return []
    return sorted(path.name for path in folder.iterdir() if path.is_file() and path.stat().st_mode & stat.S_IXUSR)


def command(function: Function, runtime: Runtime) -> tuple[str, ...] | None:
    """Return the command of the runtime; None if `bootstrap` is missing."""
    if runtime.argv is not None:
        wrapper = function.environment.get(WRAPPER)
        return (*((wrapper,) if wrapper else ()), *runtime.argv, function.handler)
    if (function.code.folder / "bootstrap").is_file():
        return (f"{TASK}/bootstrap",)
    if function.opt is not None and (function.opt / "bootstrap").is_file():
        return (f"{OPT}/bootstrap",)
    return None


def log_stream() -> str:
    """Return a log stream's name in Lambda's format: 2026/01/31/[$LATEST]0123…"""
    return f"{datetime.now(UTC):%Y/%m/%d}/[{LATEST}]{secrets.token_hex(16)}"


def environment(function: Function, runtime: Runtime, log_stream: str) -> dict[str, str]:
    """Return Lambda's environment variables and the function's own; the credentials are fake."""
    return {
        "PATH": "/var/lang/bin:/usr/local/bin:/usr/bin:/bin:/opt/bin",
        "LD_LIBRARY_PATH": "/var/lang/lib:/lib64:/usr/lib64:/var/runtime:/var/task:/var/task/lib:/opt/lib",
        "LANG": "C.UTF-8",
        "TZ": ":UTC",
        # Not in use, as on AWS with tracing off.
        "AWS_XRAY_CONTEXT_MISSING": "LOG_ERROR",
        "AWS_XRAY_DAEMON_ADDRESS": "169.254.79.129:2000",
        "_AWS_XRAY_DAEMON_ADDRESS": "169.254.79.129",
        "_AWS_XRAY_DAEMON_PORT": "2000",
        **runtime.environment,
        **function.environment,
        "AWS_LAMBDA_RUNTIME_API": f"{API_HOST}:{API_PORT}",
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_VERSION": LATEST,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory),
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{function.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": log_stream,
        "AWS_EXECUTION_ENV": runtime.identity,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_SESSION_TOKEN": "local",
        "LAMBDA_TASK_ROOT": TASK,
        "LAMBDA_RUNTIME_DIR": CLIENT,
        "_HANDLER": function.handler,
    }


# Variables that a function may not set.
_NAMES = """
    _HANDLER _X_AMZN_TRACE_ID AWS_DEFAULT_REGION AWS_REGION AWS_EXECUTION_ENV AWS_LAMBDA_FUNCTION_NAME
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE AWS_LAMBDA_FUNCTION_VERSION AWS_LAMBDA_INITIALIZATION_TYPE AWS_LAMBDA_LOG_GROUP_NAME
    AWS_LAMBDA_LOG_STREAM_NAME AWS_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
    AWS_LAMBDA_RUNTIME_API LAMBDA_TASK_ROOT LAMBDA_RUNTIME_DIR
"""
RESERVED = frozenset(_NAMES.split())
