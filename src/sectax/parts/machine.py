"""The machine that things are built for."""

from __future__ import annotations

import platform


def architecture() -> str:
    """Its processor as Lambda names it: `x86_64`, or `arm64` for the kernel's aarch64; any other as the kernel does."""
    machine = platform.machine()
    return "arm64" if machine == "aarch64" else machine
