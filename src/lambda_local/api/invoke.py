"""Invoke and InvokeWithResponseStream: hand an event to a function and answer what came of it."""

from __future__ import annotations

import base64
import binascii
import json
import struct
import zlib

import msgspec

from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.concurrency import Invoker
from lambda_local.api.errors import ApiError, invalid, too_large
from lambda_local.api.event_queue import EVENT_BYTES, EventQueue
from lambda_local.function import LATEST, Function
from lambda_local.http import Exchange
from lambda_local.instances.invocation import Event, Outcome, Stream
from lambda_local.settings import PAYLOAD_BYTES

MEASURED_HEADER = "X-Sectax-Measured"

_CONTEXT_BYTES = 3583  # API reference, Invoke, ClientContext
_PIECE_BYTES = 64 * 1024
_NOT_HERE = {"x-amz-durable-execution-name": "DurableExecutionName", "x-amz-tenant-id": "TenantId"}


class Invoke:
    """The two actions."""

    def __init__(self, catalogue: Catalogue, invoker: Invoker, queue: EventQueue) -> None:
        self._catalogue = catalogue
        self._invoker = invoker
        self._queue = queue

    async def invoke(self, call: Call) -> None:
        """Answer an Invoke. Raises `ApiError`."""
        exchange = call.exchange
        name, qualifier = call.function()
        event = self._event(call, name, qualifier)
        match exchange.request.headers.get("x-amz-invocation-type", "RequestResponse"):
            case "RequestResponse":
                function, outcome = await self._invoker.invoke(name, qualifier, event)
                headers = _headers(function, outcome, exchange)
                exchange.answer(200, outcome.payload, [("Content-Type", "application/json"), *headers])
            case "Event":
                if len(event.payload) > EVENT_BYTES:
                    raise too_large(EVENT_BYTES, "InvokeFunction")
                self._queue.put(name, qualifier, event)
                exchange.answer(202, headers=[("x-amzn-RequestId", event.request_id)])
            case "DryRun":
                exchange.answer(204)
            case kind:
                raise invalid(f"there is no invocation type {kind[:100]!r}")

    async def with_stream(self, call: Call) -> None:
        """Answer an InvokeWithResponseStream: each part as it comes, where the runtime streams its answer."""
        name, qualifier = call.function()
        event = self._event(call, name, qualifier)
        if call.exchange.request.headers.get("x-amz-invocation-type", "RequestResponse") == "DryRun":
            call.exchange.answer(204)
            return
        exchange = call.exchange
        streamed = _StreamedAnswer(exchange, event.request_id)
        function, outcome = await self._invoker.invoke(name, qualifier, event, streamed.of)
        end: dict[str, str] = {}
        if outcome.function_error is not None:
            end = {"ErrorCode": outcome.function_error, "ErrorDetails": outcome.payload.decode(errors="replace")}
        if _wants_log(exchange):
            end["LogResult"] = base64.b64encode(outcome.log).decode()
        complete = _stream_message("InvokeComplete", "application/json", msgspec.json.encode(end))
        if streamed.begun:
            exchange.part(complete)
            exchange.end()
            return
        payload = outcome.payload if outcome.function_error is None else b""
        pieces = [_chunk(payload[at : at + _PIECE_BYTES]) for at in range(0, len(payload), _PIECE_BYTES)]
        headers = [("Content-Type", _STREAM_TYPE), *_headers(function, outcome, exchange, log=False)]
        exchange.answer(200, b"".join([*pieces, complete]), headers)

    def _event(self, call: Call, name: str, qualifier: str | None) -> Event:
        """The event, if the function is there to take it."""
        request = call.exchange.request
        if request.too_large or len(request.body) > PAYLOAD_BYTES:
            raise too_large(PAYLOAD_BYTES, "InvokeFunction")
        for header, member in _NOT_HERE.items():
            if header in request.headers:
                raise invalid(f"{member} is not here")
        self._catalogue.called(name, qualifier)  # its absence is told before what is wrong with the event
        arn = self._catalogue.registry.function_arn(name, qualifier)
        return Event(_json(request.body), arn, _client_context(request.headers.get("x-amz-client-context", "")))


class _StreamedAnswer:
    """Implements `Stream`: parts as they come, in the encoding of AWS's event streams."""

    def __init__(self, exchange: Exchange, request_id: str) -> None:
        self.begun = False
        self.ready = exchange.ready
        self._exchange = exchange
        self._request_id = request_id
        self._version = LATEST

    def of(self, function: Function) -> Stream:
        """It is this one that will answer."""
        self._version = function.version
        return self

    def begin(self, content_type: str) -> None:
        """Tell the caller. What was measured is not known yet: the REPORT line of `LogResult` says it."""
        self.begun = True
        headers = [("x-amzn-RequestId", self._request_id), ("X-Amz-Executed-Version", self._version)]
        self._exchange.begin(200, [("Content-Type", _STREAM_TYPE), *headers])

    def put(self, part: bytes) -> None:
        """Send it."""
        self._exchange.part(_chunk(part))


def _json(body: bytes) -> bytes:
    if not body:
        return b"{}"
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f"Could not parse request body into json: {error}"
        raise ApiError(400, "InvalidRequestContentException", message) from error
    return body


def _client_context(given: str) -> str:
    if not given:
        return ""
    try:
        if len(given) > _CONTEXT_BYTES:
            raise ValueError("it is too long")
        # Written again in ASCII, so that it can stand in a header and no line break in it ends that.
        return json.dumps(msgspec.json.decode(base64.b64decode(given, validate=True), type=dict[str, object]))
    except (binascii.Error, msgspec.DecodeError, ValueError) as error:
        message = f"Client context must be a valid Base64-encoded JSON object: {error}"
        raise ApiError(400, "InvalidRequestContentException", message) from error


def _wants_log(exchange: Exchange) -> bool:
    return exchange.request.headers.get("x-amz-log-type", "None") == "Tail"


def _headers(function: Function, outcome: Outcome, exchange: Exchange, *, log: bool = True) -> list[tuple[str, str]]:
    headers = [
        ("x-amzn-RequestId", outcome.measured.request_id),
        ("X-Amz-Executed-Version", function.version),
        (MEASURED_HEADER, msgspec.json.encode(outcome.measured).decode()),
    ]
    if outcome.function_error is not None and log:
        headers.append(("X-Amz-Function-Error", outcome.function_error))
    if log and _wants_log(exchange):
        headers.append(("X-Amz-Log-Result", base64.b64encode(outcome.log).decode()))
    return headers


def _chunk(piece: bytes) -> bytes:
    return _stream_message("PayloadChunk", "application/octet-stream", piece)


_STREAM_TYPE = "application/vnd.amazon.eventstream"
_TEXT = 7


def _stream_message(kind: str, content_type: str, payload: bytes) -> bytes:
    """One event in AWS's event-stream encoding, in which InvokeWithResponseStream answers.

    Source: https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html describes the framing.
    """
    headers = b"".join(
        _header(name, value)
        for name, value in ((":message-type", "event"), (":event-type", kind), (":content-type", content_type))
    )
    prelude = struct.pack("!II", 12 + len(headers) + len(payload) + 4, len(headers))
    head = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + payload
    return head + struct.pack("!I", zlib.crc32(head))


def _header(name: str, value: str) -> bytes:
    return bytes([len(name)]) + name.encode() + bytes([_TEXT]) + struct.pack("!H", len(value)) + value.encode()
