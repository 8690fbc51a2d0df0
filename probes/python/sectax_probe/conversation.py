"""One request line in, one reply line out: what each command does with the operation that is live."""

from __future__ import annotations

import json
import sys
import time

from sectax_probe import PROTOCOL_VERSION, VERSION, catalogue, clock, fields, libraries, timing
from sectax_probe.answers import Failed, Skipped
from sectax_probe.channel import MAX_LINE_BYTES, Channel, LineTooLong
from sectax_probe.fields import Request
from sectax_probe.operation import Operation

Reply = dict[str, object]

# A million timings of ten digits are 11 MB of reply; a line holds 16 MiB.
MOST_SINGLE_TIMINGS = 1_000_000


class Conversation:
    """Answers until `stop`, the end of input, or a reader that went away."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._live: Operation | None = None
        self._stopped = False
        self._commands = {
            "hello": self._hello,
            "prepare": self._prepare,
            "witness": self._witness,
            "measure": self._measure,
            "stop": self._stop,
        }

    def run(self) -> int:
        """Give back the exit status."""
        while not self._stopped:
            try:
                line = self._channel.read()
                if not line:
                    return 0
                reply = self.answer(line)
            except LineTooLong:
                reply = _failed(None, f"a request of more than {MAX_LINE_BYTES} bytes")
            try:
                self._channel.write(_encode(reply))
            except BrokenPipeError:
                return 1
        return 0

    def answer(self, line: bytes) -> Reply:
        """Answer one line; nothing that a request can hold makes this raise."""
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            # No part of the line is quoted: it may hold a key.
            return _failed(None, f"a request that is no JSON: {type(error).__name__}")
        if not isinstance(request, dict):
            return _failed(None, "a request must be a JSON object")
        seq = request.get("seq")
        if not isinstance(seq, int) or isinstance(seq, bool):
            return _failed(None, "`seq` must be an integer")
        try:
            return {"seq": seq, "status": "ok", **self._obey(request)}
        except Skipped as skipped:
            return {"seq": seq, "status": "skipped", "reason": skipped.reason, "hint": skipped.hint}
        except Failed as failed:
            return _failed(seq, failed.reason)
        except Exception as error:
            import traceback

            traceback.print_exc(file=sys.stderr)
            return _failed(seq, f"{type(error).__name__}: {error}")

    def _obey(self, request: Request) -> Reply:
        name = fields.text(request, "command")
        command = self._commands.get(name)
        if command is None:
            raise Failed(f"unknown command {name[:40]!r}: {', '.join(self._commands)} are known")
        return command(request)

    def _hello(self, request: Request) -> Reply:
        wanted = fields.integer(request, "protocol", least=1)
        if wanted != PROTOCOL_VERSION:
            raise Failed(f"protocol {wanted} was asked for, this probe speaks {PROTOCOL_VERSION}")
        return {
            "protocol": PROTOCOL_VERSION,
            "probe": {"name": "python", "version": VERSION},
            "runtime": libraries.runtime(),
            "libraries": libraries.installed(),
            "operations": catalogue.OPERATIONS,
            "clock": {"name": "time.perf_counter_ns", **clock.describe(time.perf_counter_ns)},
            "cpu_clock": {"name": "time.process_time_ns", **clock.describe(time.process_time_ns)},
        }

    def _prepare(self, request: Request) -> Reply:
        # Whatever comes of it, a later `measure` must not time what was live before.
        self._live = None
        self._live = catalogue.prepare(
            fields.text(request, "operation"),
            fields.text_members(request, "parameters"),
            fields.text_members(request, "inputs"),
        )
        return {"witnesses": self._live.witnesses}

    def _witness(self, request: Request) -> Reply:
        operation = self._operation()
        present = fields.texts(request, "present")
        artefact = operation.artefact()
        token = artefact if artefact is not None else operation.token
        return {
            "witnesses": {} if token is None or operation.read_back is None else operation.read_back(token),
            "artefact": artefact,
            "accepted": [operation.accepts(token) for token in present],
        }

    def _measure(self, request: Request) -> Reply:
        operation = self._operation()
        each = fields.boolean(request, "each")
        most = MOST_SINGLE_TIMINGS if each else sys.maxsize
        count = fields.integer(request, "count", least=1, most=most)
        settle = fields.integer(request, "settle", least=0, most=most)
        measured = timing.measure(operation, count=count, settle=settle, each=each)
        return {"count": count, **measured._asdict()}

    def _stop(self, request: Request) -> Reply:
        self._stopped = True
        return {}

    def _operation(self) -> Operation:
        if self._live is None:
            raise Failed("no operation is prepared")
        return self._live


def _failed(seq: int | None, reason: str) -> Reply:
    return {"seq": seq, "status": "failed", "reason": reason}


def _encode(reply: Reply) -> bytes:
    line = json.dumps(reply, separators=(",", ":")).encode("ascii")
    if len(line) <= MAX_LINE_BYTES:
        return line
    return _encode({"seq": reply["seq"], "status": "failed", "reason": f"a reply of {len(line)} bytes"})
