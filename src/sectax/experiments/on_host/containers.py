"""Hosts `oci:RUNTIME`, with a runtime on PATH or built by `sectax setup`."""

from __future__ import annotations

import shutil

from sectax.hosts.containers import OciHost
from sectax.parts import gvisor


def oci_host(name: str) -> OciHost:
    """The host of this name. Raises `WrongUse`."""
    return OciHost(name, _runtime)


def _runtime(word: str) -> str | None:
    path = shutil.which(word)
    if path is None and word == gvisor.PROGRAM and gvisor.built().exists():
        return str(gvisor.built())
    return path
