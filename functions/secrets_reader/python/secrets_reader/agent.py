"""What AWS's sidecar wants of a request, and what its answers mean."""

from __future__ import annotations

import json
import os
from pathlib import Path

import requests

from secrets_reader.timing import NotRead

ADDRESS = "http://localhost:2773/secretsmanager/get"
TIMEOUT_S = 10.0
# Both are made by sectax's extension for this instance alone: a token, and the nanoseconds until the agent was ready.
_TOKEN = Path("/tmp/secrets-agent.token")
_READY = Path("/tmp/secrets-agent.ready")


def token() -> dict[str, str]:
    """The header without which the sidecar refuses: a request that somebody else forged lacks it.

    AWS's own Lambda extension wants the session token of the function's role.
    """
    made = _TOKEN.read_text() if _TOKEN.exists() else os.environ["AWS_SESSION_TOKEN"]
    return {"X-Aws-Parameters-Secrets-Token": made}


def init_ns() -> int | None:
    """What the sidecar took from its start until it answered; None where nobody says."""
    return int(_READY.read_text()) if _READY.exists() else None


def secret_of(answer: requests.Response) -> str:
    """The secret in an answer. Raises `NotRead` for any but 200: no failure counts as a fast reading."""
    if answer.status_code != 200:
        raise NotRead(f"the sidecar answered {answer.status_code}")
    text = json.loads(answer.content).get("SecretString")
    if not isinstance(text, str):
        raise NotRead("the sidecar's answer holds no secret")
    return text
