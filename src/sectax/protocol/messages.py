"""The messages of the probe protocol, as described in `probes/PROTOCOL.md`.

The bounds in the types are checked when a line is decoded, and are part of the JSON Schemas made from the messages.
`probes/schemas/generate.py` writes these for authors of probes, and a test keeps both equal.
"""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Literal

import msgspec

# Sent in `hello`. A change that every older program can ignore (a new optional member) raises MINOR_VERSION only:
# nothing is negotiated, and the members of a probe's replies show what it supports.
PROTOCOL_VERSION = 1
MINOR_VERSION = 2

# A reply of a million single timings is about 10 MB; a longer line is not a valid reply.
MAX_LINE_BYTES = 16 * 1024 * 1024

# 2^53 - 1: what every JSON library of every language keeps exactly. As nanoseconds it is 104 days.
_LARGEST = 2**53 - 1

Natural = Annotated[int, msgspec.Meta(ge=0, le=_LARGEST)]
Positive = Annotated[int, msgspec.Meta(ge=1, le=_LARGEST)]

# Values that a probe reads back from the running system. Matches `sectax.model.subject.Witness`.
Witness = str | Annotated[int, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)] | float | bool


class ProbeRequest(msgspec.Struct, tag_field="command", kw_only=True, frozen=True):
    """A request of sectax to a probe; `seq` is echoed by the reply."""

    seq: Natural


class Hello(ProbeRequest, tag="hello", kw_only=True, frozen=True):
    """Ask for the probe's identity and capabilities."""

    protocol: int = PROTOCOL_VERSION


class Prepare(ProbeRequest, tag="prepare", kw_only=True, frozen=True):
    """Make one operation ready."""

    operation: str
    parameters: dict[str, str]
    inputs: dict[str, str]


class WitnessRequest(ProbeRequest, tag="witness", kw_only=True, frozen=True):
    """Produce an artefact of the timed code, and judge the artefacts presented."""

    present: list[str]


class Measure(ProbeRequest, tag="measure", kw_only=True, frozen=True):
    """Run and time operations."""

    count: Positive
    settle: Natural = 0
    each: bool = False


class Stop(ProbeRequest, tag="stop", kw_only=True, frozen=True):
    """Exit with status 0."""


class Named(msgspec.Struct, frozen=True):
    """A thing and its version: the probe, its runtime, a library."""

    name: str
    version: str


class Operation(msgspec.Struct, frozen=True):
    """An operation that a probe offers, and the levels of its parameters."""

    name: str
    parameters: dict[str, list[str]] = {}


class Clock(msgspec.Struct, frozen=True):
    """A clock read around the batches: its step and reading cost in nanoseconds."""

    name: str
    granularity_ns: Positive
    read_ns: Natural


class Head(msgspec.Struct, kw_only=True, frozen=True):
    """Members of every reply."""

    seq: int
    status: Literal["ok", "skipped", "failed"]


class Refusal(msgspec.Struct, kw_only=True, frozen=True):
    """Reply to a request that is not available here (skipped) or went wrong (failed)."""

    seq: int
    status: Literal["skipped", "failed"]
    reason: str
    hint: str = ""


class Reply(msgspec.Struct, kw_only=True, frozen=True):
    """A successful reply; every request has its own."""

    seq: int
    status: Literal["ok"]


class HelloReply(Reply, kw_only=True, frozen=True):
    """The probe's identity, operations and clocks.

    A probe that names a `cpu_clock` (since 1.1) reports `cpu_ns` for every batch.
    """

    protocol: int
    probe: Named
    runtime: Named
    operations: list[Operation]
    clock: Clock
    libraries: list[Named] = []
    cpu_clock: Clock | None = None


class PrepareReply(Reply, kw_only=True, frozen=True):
    """What was made ready, as read back from the running system."""

    witnesses: dict[str, Witness] = {}


class WitnessReply(Reply, kw_only=True, frozen=True):
    """A new artefact (null where there is none), and judgements of those presented."""

    accepted: list[bool]
    artefact: str | None = None
    witnesses: dict[str, Witness] = {}


class MeasureReply(Reply, kw_only=True, frozen=True):
    """Operations that were run, and their nanoseconds per batch or per operation.

    `cpu_ns` (since 1.1) is the CPU time of the whole batch, without the settling operations.
    """

    count: Positive
    elapsed_ns: list[Natural]
    failures: Natural = 0
    bytes: Natural | None = None
    cpu_ns: Natural | None = None


class StopReply(Reply, kw_only=True, frozen=True):
    """The probe's last reply."""


# The reply to each request.
REPLIES: dict[type[ProbeRequest], type[Reply]] = {
    Hello: HelloReply,
    Prepare: PrepareReply,
    WitnessRequest: WitnessReply,
    Measure: MeasureReply,
    Stop: StopReply,
}


_DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def schemas() -> dict[str, Schema]:
    """JSON Schemas by file name without suffix: `hello-request`, `hello-reply`, …

    There are two for every command. A reply is either the successful one or a refusal. Unknown members are allowed
    everywhere, as the protocol says.
    """
    by_name: dict[str, Schema] = {}
    for request, reply in REPLIES.items():
        command = str(request.__struct_config__.tag)
        by_name[f"{command}-request"] = _request(request)
        by_name[f"{command}-reply"] = _reply(command, reply)
    # With the version of the protocol that the schema describes.
    version = f"{PROTOCOL_VERSION}.{MINOR_VERSION}"
    return {
        name: {"$id": f"urn:sectax:probe-protocol:{version}:{name}"} | _without_indentation(schema)
        for name, schema in by_name.items()
    }


def _without_indentation(schema: Schema) -> Schema:
    """A schema whose descriptions have no indentation, as since Python 3.13."""
    definitions = schema["$defs"]
    for definition in definitions.values():
        if "description" in definition:
            definition["description"] = inspect.cleandoc(definition["description"])
    return schema


def _request(request: type[ProbeRequest]) -> Schema:
    (reference,), definitions = msgspec.json.schema_components([request], ref_template="#/$defs/{name}")
    definition = definitions[request.__name__]
    # sectax writes every member, so that authors of probes need no defaults.
    definition["required"] = list(definition["properties"])
    for member in definition["properties"].values():
        member.pop("default", None)
    return {"$schema": _DIALECT, "title": request.__name__, **reference, "$defs": definitions}


def _reply(command: str, reply: type[Reply]) -> Schema:
    references, definitions = msgspec.json.schema_components([reply, Refusal], ref_template="#/$defs/{name}")
    return {"$schema": _DIALECT, "title": f"reply to {command}", "anyOf": list(references), "$defs": definitions}
