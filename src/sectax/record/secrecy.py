"""Nothing secret is written: a last line of defence for what reaches the run file all the same."""

from __future__ import annotations

import re

from sectax.record.errors import SecretRefused

_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----")
_PRIVATE_KEY_TEXT = re.compile(
    _PRIVATE_KEY.pattern + r".*?(-----END [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----|\Z)", re.DOTALL
)


def refuse_private_keys(text: str, what: str) -> str:
    """The *text* itself.

    Raises:
        SecretRefused: it holds a private key.
    """
    if _PRIVATE_KEY.search(text):
        raise SecretRefused(
            f"{what} holds a private key, and nothing secret is written to a run file",
            hint="give the key in a file and name the file; if you did not give it, this is a defect of the experiment",
        )
    return text


def readable(text: str) -> str:
    """Text for the record, as it came from somebody's stderr: without private keys, and valid as UTF-8."""
    return _PRIVATE_KEY_TEXT.sub("[private key left out]", text).encode("utf-8", "replace").decode()
