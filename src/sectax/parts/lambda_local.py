"""The local Lambda, which is a package of its own: its command, what this machine has for it, and its runtimes."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from typing import Any

from sectax.model.why_not import WhyNot
from sectax.parts.cache import cache_folder
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import Missing

_RUNTIMES = ("python3.", "nodejs")


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "lambda_local", *words]


def environment() -> dict[str, str]:
    """Its environment: what sectax was told of a cache holds for it, too."""
    own = {"LAMBDA_LOCAL_CACHE": str(cache_folder() / "lambda")} if os.environ.get("SECTAX_CACHE") else {}
    return dict(os.environ) | own


def is_runtime(name: str) -> bool:
    """Whether it looks like the name of a managed runtime, e.g. `nodejs20.x`."""
    return name.startswith(_RUNTIMES) and name[-1:].isalnum()


@functools.cache
def check() -> tuple[str, WhyNot | None]:
    """The control groups that instances have here (v1, v2, none), and why none can be made; tried once."""
    answer = _ask("check")
    return answer.get("cgroup", "none"), WhyNot(answer["error"], answer["hint"]) if "error" in answer else None


def others_here() -> tuple[str, ...]:
    """The runtimes besides Python that this machine's programs give, e.g. `nodejs20.x`."""
    return tuple(runtime["name"] for runtime in _ask("runtimes") if not runtime["name"].startswith("python"))


def missing(name: str) -> Missing | None:
    """What is lacking here to have the runtime of this name; None where it is ready."""
    (answer,) = _ask("runtimes", name)
    if "error" not in answer:
        return None
    hint = answer["hint"].replace("python -m lambda_local", "sectax")
    apt = tuple(answer.get("apt", ()))
    return Missing(answer["error"], hint, apt, bool(answer.get("makable")), bool(answer.get("on_first_use")))


def client(name: str) -> str:
    """The name of AWS's runtime client, with a hash of all that it is made of; installed where it is not yet."""
    if missing(name) is not None:
        install(name)
    return str(_ask("runtimes", name)[0].get("client", ""))


def install(name: str) -> None:
    """Install AWS's runtime client for a runtime that only lacks that. Raises `SetUpFailed`."""
    answer = _ask("setup", name)
    if "error" in answer:
        raise SetUpFailed(answer["error"], answer["hint"])


def _ask(*words: str) -> Any:
    """What it prints. Raises `SetUpFailed` where it says nothing that can be read."""
    done = subprocess.run(
        command(*words), env=environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        stderr = done.stderr.decode(errors="replace").strip()
        raise SetUpFailed(
            f"lambda_local {words[0]} ended with status {done.returncode}\n{stderr}", "report it"
        ) from error
