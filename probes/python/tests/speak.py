"""Talks to a conversation as sectax would, with byte strings alone."""

from __future__ import annotations

import io
import json
from typing import Any, cast

from sectax_probe.catalogue import PROBE
from sectax_probe.kit.conversation import Conversation
from tests.vectors import Inputs, Vector

Reply = dict[str, Any]

CLAIMS = '{"sub":"1234567890","name":"Jörg","admin":true}'


def say(*lines: bytes | Reply) -> list[Reply]:
    """Send all lines, and give back all replies."""
    sent = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    replies = io.BytesIO()
    status = Conversation(PROBE, io.BytesIO(sent), replies).run()
    assert status == 0
    return [json.loads(line) for line in replies.getvalue().splitlines()]


def prepare(operation: str, vector: Vector, layer: str, key_use: str = "parsed-once", **inputs: str) -> Reply:
    everything: Inputs = {
        **vector.keys,
        "claims": CLAIMS,
        "signing_input": vector.signing_input,
        "token": vector.token,
        **inputs,
    }
    parameters = {"algorithm": vector.algorithm, "layer": layer, "key_use": key_use}
    return {
        "seq": 1,
        "command": "prepare",
        "operation": operation,
        "parameters": parameters,
        "inputs": everything,
    }


def witness(*present: str) -> Reply:
    return {"seq": 2, "command": "witness", "present": list(present)}


def measure(count: object = 2, **members: object) -> Reply:
    return {"seq": 3, "command": "measure", "count": count, "settle": 1, "each": False, **members}


def token_of(vector: Vector, layer: str) -> str:
    """A token that `sign` made of `CLAIMS`, or in the layer `primitive` of the vector's own signing input."""
    _, reply = say(prepare("sign", vector, layer), witness())
    return cast("str", reply["artefact"])
