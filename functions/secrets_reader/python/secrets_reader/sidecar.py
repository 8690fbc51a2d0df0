"""AWS's sidecar, over one connection that is kept."""

from __future__ import annotations

import requests

from secrets_reader.agent import ADDRESS, TIMEOUT_S, init_ns, secret_of, token
from secrets_reader.timing import handler

_SESSION = requests.Session()
_SESSION.trust_env = False  # no proxy, and no search for one, as where the study ran
_SESSION.headers.update(token())


def read(name: str) -> str:
    return secret_of(_SESSION.get(ADDRESS, params={"secretId": name}, timeout=TIMEOUT_S))


lambda_handler = handler(read, init_ns())
