"""Hosts `oci:RUNTIME`, with a runtime on PATH or built by `sectax setup`."""

from __future__ import annotations

import shutil

from sectax.hosts.containers import OciHost
from sectax.parts import cache, gvisor


def oci_host(name: str) -> OciHost:
    """The host of this name. Raises `WrongUse`."""
    return OciHost(name, _runtime)


def _runtime(word: str) -> str | None:
    path = shutil.which(word)
    if path is None and word == gvisor.PROGRAM and cache.is_intact(gvisor.built()):
        return str(gvisor.built())
    return path
