"""The work that is the same for all: how much of it a baseline does, and a treatment."""

from __future__ import annotations

import shlex
from pathlib import Path

LINKS = 1000  # HMAC-SHA-256 of 1 KiB, each over the tag before it: about 0.7 ms
REPEATS = 60  # of the chain in a command: about 50 ms
SIGNATURES = 100  # ES256: about 2 ms

# Both are hundreds, so that two and five per cent more are whole numbers.


def with_extra(count: int, extra: float) -> int:
    return round(count * (1 + extra))


def chain_command(program: Path, extra: float) -> str:
    """The words of a command that computes the chain."""
    return shlex.join([str(program), str(REPEATS), str(with_extra(LINKS, extra))])


def chain_environment(extra: float) -> dict[str, str]:
    """What the benchmark functions read."""
    return {"CHAIN_LINKS": str(with_extra(LINKS, extra))}
