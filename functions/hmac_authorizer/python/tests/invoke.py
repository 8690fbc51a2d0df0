"""Invokes the function as Lambda would: the event passes through JSON, and so does the answer."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

from hmac_authorizer.authorizer import handler
from hmac_authorizer.settings import read

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[2] / "vectors.json").read_text())
KEY = "a key that only these tests know"
GENUINE = {"isAuthorized": True}
NOT_GENUINE = {"isAuthorized": False, "reason": "the token is not genuine"}


def invoke(event: object, **environment: str) -> dict[str, Any]:
    """The answer to an event; at the moment that the vectors are made for."""
    answer = handler(read({"SHARED_KEY": KEY} | environment), now=lambda: VECTORS["now"])
    answered: dict[str, Any] = json.loads(json.dumps(answer(json.loads(json.dumps(event)), None)))
    return answered


def signed(data: str, key: str = KEY, salt: str = "00112233445566778899aabbccddeeff") -> dict[str, str]:
    """A genuine event, as anyone makes it with Python's standard library alone."""
    derived = hmac.new(key.encode(), salt.encode(), hashlib.sha512).hexdigest()
    return {"key": salt, "token": hmac.new(derived.encode(), data.encode(), hashlib.sha512).hexdigest(), "data": data}
