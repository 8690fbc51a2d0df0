"""What AWS's sidecar wants of a request, and what its answers mean."""

from __future__ import annotations

import json
from pathlib import Path

import requests

from secrets_reader.timing import NotRead

ADDRESS = "http://localhost:2773/secretsmanager/get"
TIMEOUT_S = 10.0
# Made by the extension for this instance alone.
_TOKEN = Path("/tmp/secrets-agent.token")


def token() -> dict[str, str]:
    """The header without which the sidecar refuses: a request that somebody else forged lacks it."""
    return {"X-Aws-Parameters-Secrets-Token": _TOKEN.read_text()}


def secret_of(answer: requests.Response) -> str:
    """The secret in an answer. Raises `NotRead` for any but 200: no failure counts as a fast reading."""
    if answer.status_code != 200:
        raise NotRead(f"the sidecar answered {answer.status_code}")
    text: str = json.loads(answer.content)["SecretString"]
    return text
