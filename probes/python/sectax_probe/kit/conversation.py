"""One request line in, one reply line out, and nothing but these on stdout."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, NamedTuple

from sectax_probe.kit import timing
from sectax_probe.kit.timing import Failed, Operation, Skipped

MAX_LINE_BYTES = 16 * 1024 * 1024
MOST_SINGLE_TIMINGS = 1_000_000  # of ten digits they are 11 MB of reply
Reply = dict[str, object]
Texts = Mapping[str, str]
_TEXTS = "an object whose members are texts"
_KINDS: dict[str, Callable[[Any], bool]] = {
    "an integer": lambda value: type(value) is int,
    "true or false": lambda value: type(value) is bool,
    "a text": lambda value: type(value) is str,
    "a list of texts": lambda value: type(value) is list and all(type(item) is str for item in value),
    _TEXTS: lambda value: type(value) is dict and all(type(item) is str for item in value.values()),
}
# The members of each command: their kind, and what those are that may be left out.
_MEMBERS: dict[str, dict[str, tuple[Any, ...]]] = {
    "hello": {"protocol": ("an integer",)},
    "prepare": {"operation": ("a text",), "parameters": (_TEXTS, {}), "inputs": (_TEXTS, {})},
    "witness": {"present": ("a list of texts", [])},
    "measure": {"count": ("an integer",), "settle": ("an integer", 0), "each": ("true or false", False)},
    "stop": {},
}
_LEAST = {"protocol": 1, "count": 1, "settle": 0}


class Probe(NamedTuple):
    name: str
    version: str
    libraries: Callable[[], dict[str, str]]  # the version of each that is here
    operations: dict[str, dict[str, list[str]]]  # but `empty`: their parameters and the values of each
    # Makes one ready, of its parameters (one value each, but the algorithm may be another's) and inputs.
    prepare: Callable[[str, Texts, Texts], Operation]


def serve(probe: Probe) -> int:
    """Take stdout for the replies alone; what anything else prints, even from C, lands on stderr."""
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return Conversation(probe, sys.stdin.buffer, replies).run()


class Conversation:
    def __init__(self, probe: Probe, requests: BinaryIO, replies: BinaryIO | io.RawIOBase) -> None:
        self._probe, self._requests, self._replies = probe, requests, replies
        self._operations = {"empty": {}, **probe.operations}
        self._live: Operation | None = None
        self._stopped = False

    def run(self) -> int:
        """Answer until `stop`, the end of input, or a reader that went away; give back the exit status."""
        while not self._stopped and (line := self._requests.readline(MAX_LINE_BYTES + 1)):
            rest = line if len(line) > MAX_LINE_BYTES else b""
            while rest and not rest.endswith(b"\n"):
                rest = self._requests.readline(MAX_LINE_BYTES)
            left = memoryview(json.dumps(self.answer(line), separators=(",", ":")).encode() + b"\n")
            try:
                while left:
                    left = left[self._replies.write(left) or 0 :]
            except BrokenPipeError:
                return 1
        return 0

    def answer(self, line: bytes) -> Reply:
        """Answer one line; nothing that a request can hold makes this raise."""
        seq = None
        try:
            request = _parsed(line)
            seq = _member(request, "seq", "an integer")
            command = _member(request, "command", "a text")
            if command not in _MEMBERS:
                raise Failed(f"unknown command {command[:40]!r}: {', '.join(_MEMBERS)} are known")
            if command == "prepare":  # whatever comes of it, what was live before must not be measured for it
                self._live = None
            members = {name: _member(request, name, *rule) for name, rule in _MEMBERS[command].items()}
            self._stopped = command == "stop"
            done = {} if self._stopped else getattr(self, f"_{command}")(**members)
            return {"seq": seq, "status": "ok", **done}
        except Skipped as skipped:
            return {"seq": seq, "status": "skipped", "reason": str(skipped), "hint": skipped.hint}
        except Failed as failed:
            reason = str(failed)
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)  # into the log
            reason = f"{type(error).__name__}: {error}"
        return {"seq": seq, "status": "failed", "reason": reason}

    def _hello(self, protocol: int) -> Reply:
        if protocol != 1:
            raise Failed(f"protocol {protocol} was asked for, this probe speaks 1")
        runtime = {"cpython": "CPython", "pypy": "PyPy"}.get(sys.implementation.name, sys.implementation.name)
        libraries = self._probe.libraries().items()
        return {
            "protocol": 1,
            "probe": {"name": self._probe.name, "version": self._probe.version},
            "runtime": {"name": runtime, "version": sys.version.split()[0]},
            "libraries": [{"name": name, "version": version} for name, version in libraries],
            "operations": [{"name": name, "parameters": known} for name, known in self._operations.items()],
            "clock": timing.describe("time.perf_counter_ns", time.perf_counter_ns),
            "cpu_clock": timing.describe("time.process_time_ns", time.process_time_ns),
        }

    def _prepare(self, operation: str, parameters: Texts, inputs: Texts) -> Reply:
        known = self._operations.get(operation)
        if known is None:
            raise Failed(f"unknown operation {operation[:40]!r}; known: {', '.join(self._operations)}")
        # A parameter passed over in silence would be a mislabelled measurement.
        for name in parameters.keys() - known:
            raise Failed(f"unknown parameter {name[:40]!r}")
        for name, values in known.items():
            value = parameters.get(name)
            if value is None:
                raise Failed(f"the parameter {name!r} is missing")
            if value not in values and name != "algorithm":
                raise Failed(f"unknown {name} {value[:40]!r}: {', '.join(values)} are known")
        empty = Operation(lambda: None, {})
        self._live = empty if operation == "empty" else self._probe.prepare(operation, parameters, inputs)
        return {"witnesses": self._live.witnesses}

    def _witness(self, present: list[str]) -> Reply:
        live = self._prepared()
        artefact = live.artefact()
        accepted = [live.accepts(shown) for shown in present]
        return {"witnesses": live.read_back(artefact or ""), "artefact": artefact, "accepted": accepted}

    def _measure(self, count: int, settle: int, each: bool) -> Reply:
        live = self._prepared()
        if each and max(count, settle) > MOST_SINGLE_TIMINGS:
            raise Failed(f"`count` must be at most {MOST_SINGLE_TIMINGS} one by one")
        return {"count": count, **timing.measure(live, count=count, settle=settle, each=each)}

    def _prepared(self) -> Operation:
        if self._live is None:
            raise Failed("no operation is prepared")
        return self._live


def _parsed(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE_BYTES:
        raise Failed(f"a request of more than {MAX_LINE_BYTES} bytes")
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        # No part of the line is quoted: it may hold a key.
        raise Failed(f"a request that is no JSON: {type(error).__name__}") from None
    if not isinstance(request, dict):
        raise Failed("a request must be a JSON object")
    return request


def _member(request: dict[str, Any], name: str, kind: str, otherwise: object = None) -> Any:
    value = request.get(name, otherwise)
    if not _KINDS[kind](value):
        came = next((f"not {other}" for other, fits in _KINDS.items() if fits(value)), "not this")
        raise Failed(f"`{name}` must be {kind}, {came if name in request else 'it is missing'}")
    if kind == "an integer" and not _LEAST.get(name, value) <= value <= sys.maxsize:
        raise Failed(f"`{name}` must be from {_LEAST.get(name)} to {sys.maxsize}")
    try:  # JSON can spell half a character (`"\ud800"`), on which libraries stumble in ways of their own.
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Failed(f"`{name}` holds half a character") from None
    return value
