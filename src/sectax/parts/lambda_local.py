"""The local Lambda, which is a package of its own: its command, what this machine has for it, and its runtimes."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

import msgspec

from sectax.parts.cache import cache_folder
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import Missing


class LambdaCheck(msgspec.Struct, frozen=True):
    """What its command prints, of which each word has members of its own; `error` is empty where it worked."""

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
    """Its environment: what sectax was told of a cache holds for it, too."""
    own = {"LAMBDA_LOCAL_CACHE": str(cache_folder() / "lambda")} if os.environ.get("SECTAX_CACHE") else {}
    return dict(os.environ) | own


def is_runtime(name: str) -> bool:
    """Whether it looks like the name of a managed runtime, e.g. `nodejs20.x`."""
    return name.startswith(("python3.", "nodejs")) and name[-1:].isalnum()


@functools.cache
def check() -> LambdaCheck:
    """The control groups that instances have here (v1, v2), or why none can be made; tried once."""
    return _ask("check")[0]


def others_here() -> tuple[str, ...]:
    """The runtimes besides Python that this machine's programs give, e.g. `nodejs20.x`."""
    return tuple(runtime.name for runtime in _ask("runtimes") if not runtime.name.startswith("python"))


def missing(name: str) -> Missing | None:
    """What is lacking here to have the runtime of this name; None where it is ready."""
    (lack,) = _ask("runtimes", name)
    hint = lack.hint.replace("python -m lambda_local", "sectax")
    return Missing(lack.error, hint, lack.apt, lack.makable, lack.on_first_use) if lack.error else None


def client(name: str) -> str:
    """The name of AWS's runtime client, with a hash of all that it is made of; installed where it is not yet."""
    install(name)
    return _done("runtimes", name).client


def install(name: str) -> None:
    """Install AWS's runtime client for a runtime that at most lacks that. Raises `SetUpFailed`."""
    _done("setup", name)


def _done(*words: str) -> LambdaCheck:
    """Its one answer. Raises `SetUpFailed` where that cannot be read, or is an error."""
    (answer,) = _ask(*words)
    if answer.error:
        raise SetUpFailed(answer.error, answer.hint)
    return answer


def _ask(*words: str) -> list[LambdaCheck]:
    """What it prints. Raises `SetUpFailed` where that cannot be read."""
    quiet = subprocess.DEVNULL
    done = subprocess.run(command(*words), env=environment(), stdin=quiet, capture_output=True, check=False)
    try:
        answer = msgspec.json.decode(done.stdout, type=LambdaCheck | list[LambdaCheck])
    except msgspec.DecodeError as error:
        stderr = done.stderr.decode(errors="replace").strip()
        reason = f"lambda_local {words[0]} ended with status {done.returncode}\n{stderr}"
        raise SetUpFailed(reason, "report it") from error
    return answer if isinstance(answer, list) else [answer]
