"""One conversation with a probe, without I/O: requests and replies as bytes.

It opens no process and reads no clock, so that it can be tested with byte strings. Its caller (a process, a test, a
transcript) transports the bytes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

import msgspec

from sectax.protocol import messages
from sectax.text.printable import printable

StructT = TypeVar("StructT", bound=msgspec.Struct)
ReplyT = TypeVar("ReplyT", bound=messages.Reply)

# Enough of a bad line to recognise it, little enough to print.
_QUOTED = 120

_encoder = msgspec.json.Encoder()


class ReplyRule(StrEnum):
    """The rules that a reply can break, by stable identifiers."""

    LINE_LENGTH = "line-length"
    JSON_OBJECT = "json-object"  # the line is not a JSON object
    SEQ = "seq"
    MEMBERS = "members"  # a member is missing, of the wrong type or out of its bounds
    VERSION = "version"
    EMPTY_OFFERED = "empty-offered"
    JUDGEMENTS = "judgements"  # one judgement for every artefact presented
    COUNTS = "counts"  # as many operations, timings and failures as requested


class ProtocolViolation(Exception):
    """The reply violates the protocol. The message is safe to print."""

    def __init__(self, rule: ReplyRule, message: str) -> None:
        super().__init__(message)
        self.rule = rule


class AnsweredSkipped(Exception):
    """The probe cannot do what was requested here; `hint` says what would help."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class AnsweredFailed(Exception):
    """The probe replied that the request went wrong."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class ProbeSession:
    """Numbers the requests and checks the replies of one conversation.

    Every request method returns the line to send; `receive` takes the line that came back and returns the reply to the
    last request. A new request abandons an unanswered one: its late reply then has the wrong `seq`.
    """

    def __init__(self, first_seq: int = 1) -> None:
        self._next_seq = first_seq
        self._asked: messages.ProbeRequest | None = None

    def hello(self, protocol: int = messages.PROTOCOL_VERSION) -> bytes:
        return self._ask(messages.Hello(seq=self._seq(), protocol=protocol))

    def prepare(self, operation: str, parameters: dict[str, str], inputs: dict[str, str]) -> bytes:
        return self._ask(messages.Prepare(seq=self._seq(), operation=operation, parameters=parameters, inputs=inputs))

    def witness(self, present: list[str]) -> bytes:
        return self._ask(messages.WitnessRequest(seq=self._seq(), present=present))

    def measure(self, count: int, settle: int = 0, each: bool = False) -> bytes:
        return self._ask(messages.Measure(seq=self._seq(), count=count, settle=settle, each=each))

    def stop(self) -> bytes:
        return self._ask(messages.Stop(seq=self._seq()))

    def receive(self, line: bytes, kind: type[ReplyT]) -> ReplyT:
        """Read the reply to the last request.

        A line that is not recognised as the reply (not a JSON object, another `seq`) leaves the request open, so that
        the caller may try the next line.

        Args:
            line: one line of the probe's stdout, with or without its line break.
            kind: type of reply that the last request asked for.
        Raises:
            ProtocolViolation: not a JSON object, wrong `seq`, wrong members, impossible values.
            AnsweredSkipped: the probe cannot do this here.
            AnsweredFailed: the request went wrong.
            RuntimeError: no such reply was requested; an error of the caller, not the probe.
        """
        request = self._asked
        if request is None or messages.REPLIES[type(request)] is not kind:
            raise RuntimeError(f"no {kind.__name__} was requested")
        if len(line) > messages.MAX_LINE_BYTES:
            message = f"a reply of {len(line)} bytes; at most {messages.MAX_LINE_BYTES} are allowed"
            raise ProtocolViolation(ReplyRule.LINE_LENGTH, message)
        head = _decode(line, messages.Head)
        if head.seq != request.seq:
            message = f"the reply carries seq {head.seq}, the request had {request.seq}"
            raise ProtocolViolation(ReplyRule.SEQ, message)
        self._asked = None
        if head.status != "ok":
            refusal = _decode(line, messages.Refusal)
            refused = AnsweredSkipped if head.status == "skipped" else AnsweredFailed
            raise refused(refusal.reason, refusal.hint)
        reply = _decode(line, kind)
        _check(request, reply)
        return reply

    def _seq(self) -> int:
        seq = self._next_seq
        self._next_seq += 1
        return seq

    def _ask(self, request: messages.ProbeRequest) -> bytes:
        line = _encoder.encode(request) + b"\n"
        if len(line) > messages.MAX_LINE_BYTES:
            raise ValueError(f"a request of {len(line)} bytes; at most {messages.MAX_LINE_BYTES} are allowed")
        self._asked = request
        return line


# Decoders of all kinds of reply, made once: a measurement is read every few milliseconds.
_kinds: tuple[type[msgspec.Struct], ...] = (messages.Head, messages.Refusal, *messages.REPLIES.values())
_decoders = {kind: msgspec.json.Decoder(kind) for kind in _kinds}


def _decode(line: bytes, kind: type[StructT]) -> StructT:
    try:
        decoded = _decoders[kind].decode(line)
    # Unbounded nesting is a RecursionError, not a DecodeError.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        an_object = isinstance(error, msgspec.ValidationError) and line.lstrip().startswith(b"{")
        rule = ReplyRule.MEMBERS if an_object else ReplyRule.JSON_OBJECT
        message = f"no valid reply ({printable(str(error))}): '{printable(line.rstrip(), _QUOTED)}'"
        raise ProtocolViolation(rule, message) from error
    assert isinstance(decoded, kind)
    return decoded


def _check(request: messages.ProbeRequest, reply: messages.Reply) -> None:
    """Check what the types alone cannot express."""
    match request, reply:
        case messages.Hello(), messages.HelloReply():
            _check_hello(request, reply)
        case messages.WitnessRequest(), messages.WitnessReply():
            if len(reply.accepted) != len(request.present):
                message = f"{len(request.present)} artefacts were presented, {len(reply.accepted)} were judged"
                raise ProtocolViolation(ReplyRule.JUDGEMENTS, message)
        case messages.Measure(), messages.MeasureReply():
            _check_measure(request, reply)


def _check_hello(request: messages.Hello, reply: messages.HelloReply) -> None:
    if reply.protocol != request.protocol:
        message = f"the probe speaks protocol {reply.protocol}, {request.protocol} was requested"
        raise ProtocolViolation(ReplyRule.VERSION, message)
    if not any(operation.name == "empty" for operation in reply.operations):
        message = "the probe offers no operation 'empty', so the cost of its loop cannot be known"
        raise ProtocolViolation(ReplyRule.EMPTY_OFFERED, message)


def _check_measure(request: messages.Measure, reply: messages.MeasureReply) -> None:
    if reply.count != request.count:
        message = f"{request.count} operations were requested, {reply.count} were run"
        raise ProtocolViolation(ReplyRule.COUNTS, message)
    wanted = request.count if request.each else 1
    if len(reply.elapsed_ns) != wanted:
        message = f"{wanted} timings were requested, {len(reply.elapsed_ns)} were returned"
        raise ProtocolViolation(ReplyRule.COUNTS, message)
    if reply.failures > reply.count:
        message = f"{reply.failures} failures among {reply.count} operations were reported"
        raise ProtocolViolation(ReplyRule.COUNTS, message)
