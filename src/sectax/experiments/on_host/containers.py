"""Hosts of the kind `oci:RUNTIME`: the runtime is the one on PATH, or the one that `sectax setup` has built."""

from __future__ import annotations

import shutil

from sectax.hosts.containers import OciHost
from sectax.parts import gvisor


def oci_host(name: str) -> OciHost:
    """The host of this name. Raises `WrongUse` where it does not name a runtime."""
    return OciHost(name, _runtime)


def _runtime(word: str) -> str | None:
    path = shutil.which(word)
    if path is None and word == gvisor.PROGRAM and gvisor.built().exists():
        return str(gvisor.built())
    return path
