"""The JSON Schemas of all messages, made from the messages themselves.

They stand in `probes/schemas/` for authors of probes; `probes/schemas/generate.py` writes them, and a test keeps both
equal.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sectax.protocol.messages import MINOR_VERSION, PROTOCOL_VERSION, REPLIES, Refusal, Reply, Request

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def schemas() -> dict[str, Schema]:
    """File name without ending -> JSON Schema, two for every command: `hello-request`, `hello-reply`, …

    A reply is either the one that says ok, or a refusal. Unknown members are allowed everywhere, as the protocol says.
    """
    made: dict[str, Schema] = {}
    for request, reply in REPLIES.items():
        command = str(request.__struct_config__.tag)
        made[f"{command}-request"] = _request(request)
        made[f"{command}-reply"] = _reply(command, reply)
    # With the version of the protocol that the schema describes.
    version = f"{PROTOCOL_VERSION}.{MINOR_VERSION}"
    return {name: {"$id": f"urn:sectax:probe-protocol:{version}:{name}"} | schema for name, schema in made.items()}


def _request(request: type[Request]) -> Schema:
    (reference,), definitions = msgspec.json.schema_components([request], ref_template="#/$defs/{name}")
    definition = definitions[request.__name__]
    # sectax writes every member, so that the authors of probes need no defaults.
    definition["required"] = list(definition["properties"])
    for member in definition["properties"].values():
        member.pop("default", None)
    return {"$schema": _DIALECT, "title": request.__name__, **reference, "$defs": definitions}


def _reply(command: str, reply: type[Reply]) -> Schema:
    references, definitions = msgspec.json.schema_components([reply, Refusal], ref_template="#/$defs/{name}")
    return {"$schema": _DIALECT, "title": f"reply to {command}", "anyOf": list(references), "$defs": definitions}
