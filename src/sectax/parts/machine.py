"""The machine's architecture."""

from __future__ import annotations

import platform


def architecture() -> str:
    """Architecture as Lambda names it (`x86_64`, `arm64`), or as the kernel does."""
    machine = platform.machine()
    return "arm64" if machine == "aarch64" else machine
