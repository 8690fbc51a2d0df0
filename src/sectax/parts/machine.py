"""The machine's architecture."""

from __future__ import annotations

import platform


def architecture() -> str:
    """Architecture as Lambda names it: `x86_64`, `arm64`, or the kernel's name for others."""
    machine = platform.machine()
    return "arm64" if machine == "aarch64" else machine
