"""The separate package lambda_local: its command, checks and runtimes."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

import msgspec

from sectax.parts.cache import cache_folder
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import Missing
from sectax.text.masking import masked


class LambdaCheck(msgspec.Struct, frozen=True):
    """Output of its commands; `error` is empty on success."""

    error: str = ""
    hint: str = ""
    endpoint: str = ""
    cgroup: str = "none"
    name: str = ""
    client: str = ""
    apt: tuple[str, ...] = ()
    makable: bool = False
    on_first_use: bool = False


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "lambda_local", *words]


def environment() -> dict[str, str]:
    """Its environment, with sectax's choice of a cache."""
    own = {"LAMBDA_LOCAL_CACHE": str(cache_folder() / "lambda")} if os.environ.get("SECTAX_CACHE") else {}
    return dict(os.environ) | own


def is_runtime(name: str) -> bool:
    """Whether it looks like the name of a managed runtime, such as `nodejs20.x`."""
    return name.startswith(("python3.", "nodejs")) and name[-1:].isalnum()


@functools.cache
def check() -> LambdaCheck:
    """Control groups of instances here (v1, v2), or why there are none; cached."""
    return _ask("check")[0]


def others_here() -> tuple[str, ...]:
    """Available runtimes other than Python, such as `nodejs20.x`."""
    return tuple(runtime.name for runtime in _ask("runtimes") if not runtime.name.startswith("python"))


def missing(name: str) -> Missing | None:
    """What a runtime lacks here, or None."""
    (lack,) = _ask("runtimes", name)
    hint = lack.hint.replace("python -m lambda_local", "sectax")
    return Missing(lack.error, hint, lack.apt, lack.makable, lack.on_first_use) if lack.error else None


def client(name: str) -> str:
    """Name of AWS's runtime client with a hash, installed if necessary."""
    install(name)
    return _ask_one("runtimes", name).client


def install(name: str) -> None:
    """Install AWS's runtime client. Raises `SetUpFailed`."""
    _ask_one("setup", name)


def _ask_one(*words: str) -> LambdaCheck:
    """The only answer. Raises `SetUpFailed`, also for an error."""
    (answer,) = _ask(*words)
    if answer.error:
        raise SetUpFailed(answer.error, answer.hint)
    return answer


def _ask(*words: str) -> list[LambdaCheck]:
    """The answers. Raises `SetUpFailed` if they cannot be parsed."""
    quiet = subprocess.DEVNULL
    done = subprocess.run(command(*words), env=environment(), stdin=quiet, capture_output=True, check=False)
    try:
        answer = msgspec.json.decode(done.stdout, type=LambdaCheck | list[LambdaCheck])
    except msgspec.DecodeError as error:
        stderr = masked(done.stderr).decode(errors="replace").strip()
        reason = f"lambda_local {words[0]} ended with status {done.returncode}\n{stderr}"
        raise SetUpFailed(reason, "report it") from error
    return answer if isinstance(answer, list) else [answer]
