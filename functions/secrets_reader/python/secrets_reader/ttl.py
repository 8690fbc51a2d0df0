"""How long what is kept may be used, as the environment says; without a word, each cache's own default."""

from __future__ import annotations

import os


def ttl_s() -> int | None:
    """Whole seconds of SECRETS_TTL; None where it is not set."""
    given = os.environ.get("SECRETS_TTL")
    return None if given is None else int(given)
