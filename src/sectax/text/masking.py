"""Hide the environment's secrets, and CI commands, in programs' output."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

_SECRET_NAMES = re.compile(r"TOKEN|SECRET|PASSW|KEY|CREDENTIAL", re.IGNORECASE)
# A shorter value, such as a key's number, would mask ordinary text.
_SHORTEST = 8


def masked(output: bytes, environment: Mapping[str, str] = os.environ) -> bytes:
    """Replace values of `*_TOKEN` and the like, and break up CI commands.

    It cannot see values that the program encoded, and secrets that are in no variable of sectax's own environment.
    """
    secrets = {
        value: name for name, value in environment.items() if len(value) >= _SHORTEST and _SECRET_NAMES.search(name)
    }
    for value in sorted(secrets, key=len, reverse=True):
        output = output.replace(os.fsencode(value), f"[{secrets[value]}]".encode())
    # GitHub reads ::command:: and ##[command] in a log.
    return output.replace(b"::", b": :").replace(b"##[", b"## [") if "GITHUB_ACTIONS" in environment else output


def masked_text(output: str) -> str:
    """`masked` for text."""
    return masked(output.encode(errors="surrogateescape")).decode(errors="replace")
