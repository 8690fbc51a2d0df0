"""The Runtime API of one instance (version 2018-06-01): next, response, error, init/error.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

from __future__ import annotations

import base64
import contextlib
import time
from collections.abc import Callable

import msgspec

from lambda_local.http import Exchange, HttpLimits, Request, response
from lambda_local.instances.errors import InstanceGone
from lambda_local.instances.extensions_api import PREFIX as EXTENSION
from lambda_local.instances.extensions_api import TELEMETRY, ExtensionsApi
from lambda_local.instances.invocation import Invocation, Stream
from lambda_local.settings import PAYLOAD_BYTES, STREAM_BYTES

# A runtime may put a stack of up to 1 MiB into the header Lambda-Runtime-Function-XRay-Error-Cause. It waits for its
# next event as long as it takes, so its connections never grow too old. What an instance sends is kept in our memory,
# not in its own: one answer, those of some extensions, and no more.
LIMITS = HttpLimits(
    header_bytes=1200 * 1024, body_bytes=PAYLOAD_BYTES, connections=64, held_bytes=3 * PAYLOAD_BYTES, idle_s=None
)

_RUNTIME = "/2018-06-01/runtime/"
_NEXT = "invocation/next"
_ERROR_TYPE, _ERROR_BODY = "lambda-runtime-function-error-type", "lambda-runtime-function-error-body"
_MODE = "lambda-runtime-function-response-mode"
_OK = b'{"status":"OK"}\n'
_JSON = (("Content-Type", "application/json"),)


class RuntimeApi:
    """What the runtime of one instance has said, and the events that it is given; requests for the Extensions API,
    which shares the address, are passed on."""

    def __init__(self, extensions: ExtensionsApi, notify: Callable[[], None]) -> None:
        """Args: *notify* is called whenever something changed."""
        self.init_error: InstanceGone | None = None
        self.ready = False  # it has asked for its first event
        self._extensions = extensions
        self._notify = notify
        self._asking: Exchange | None = None
        self._invocation: Invocation | None = None
        self._streaming: Exchange | None = None  # the request whose body goes to the caller as it comes

    @property
    def waiting(self) -> bool:
        """Whether the runtime asks for its next event."""
        return self._asking is not None and not self._asking.gone

    def hand_out(self, invocation: Invocation) -> None:
        """Give the waiting runtime its event."""
        asking, self._asking = self._asking, None
        assert asking is not None, "no runtime waits"
        self._invocation = invocation
        self._streaming = None
        headers = [
            *_JSON,
            ("Lambda-Runtime-Aws-Request-Id", invocation.request_id),
            ("Lambda-Runtime-Deadline-Ms", str(invocation.deadline_epoch_ms)),
            ("Lambda-Runtime-Invoked-Function-Arn", invocation.event.arn),
            ("Lambda-Runtime-Trace-Id", invocation.trace_id),
        ]
        if invocation.event.client_context:
            headers.append(("Lambda-Runtime-Client-Context", invocation.event.client_context))
        answer = response(200, invocation.event.payload, headers, keep_alive=asking.keep_alive)
        invocation.handed_ns = time.monotonic_ns()
        asking.send(answer)

    def judge(self, exchange: Exchange) -> int:
        """How many bytes a body may have, by the headers.

        The answer to a caller who wants it part by part is sent on as it comes, where the runtime says that it streams
        it or not how long it is, as AWS's clients for Rust and for Go do.
        """
        request, invocation = exchange.request, self._invocation
        if (
            invocation is None
            or invocation.event.stream is None
            or invocation.streaming
            or invocation.payload is not None
            or not (request.headers.get(_MODE) == "streaming" or "transfer-encoding" in request.headers)
            or (request.method, request.path) != ("POST", f"{_RUNTIME}invocation/{invocation.request_id}/response")
        ):
            return PAYLOAD_BYTES
        invocation.streaming = True
        self._streaming = exchange
        exchange.outlet = _Streamed(invocation, invocation.event.stream)
        invocation.event.stream.begin(request.headers.get("content-type", ""))
        return STREAM_BYTES

    def handle(self, exchange: Exchange) -> None:
        """Answer one request of a program in the instance, now or later."""
        method, path = exchange.request.method, exchange.request.path
        if path.startswith(EXTENSION):
            self._extensions.handle(exchange)
        elif path.startswith(_RUNTIME):
            self._runtime(exchange, method, path.removeprefix(_RUNTIME))
        elif path in TELEMETRY:
            exchange.answer_json(202, {"errorType": "Telemetry.NotSupported", "errorMessage": "it is not here"})
        else:
            exchange.answer(404)

    def _runtime(self, exchange: Exchange, method: str, path: str) -> None:
        if (method, path) == ("GET", _NEXT):
            self._next(exchange)
        elif method == "POST" and path.startswith("invocation/"):
            request_id, _, kind = path.removeprefix("invocation/").partition("/")
            self._answered(exchange, request_id, kind)
        elif (method, path) == ("POST", "init/error"):
            self._init_error(exchange)
        else:
            exchange.answer(404)

    def _next(self, exchange: Exchange) -> None:
        if self._invocation is not None and self._invocation.payload is None:
            _refuse(exchange, 403, "InvalidStateTransition", "the last event was not answered")
            return
        self.ready = True
        self._asking = exchange
        self._notify()

    def _answered(self, exchange: Exchange, request_id: str, kind: str) -> None:
        invocation = self._invocation
        if kind not in ("response", "error"):
            exchange.answer(404)
        elif invocation is None or invocation.request_id != request_id:
            _refuse(exchange, 400, "InvalidRequestID", "Invalid request ID")
        elif invocation.payload is not None or (invocation.streaming and exchange is not self._streaming):
            _refuse(exchange, 403, "InvalidStateTransition", "this event was answered before")
        else:
            invocation.answered_ns = exchange.request.received_ns
            # A runtime that streams its answer and fails in the middle says so in the trailers.
            broken_off = kind == "response" and _ERROR_TYPE in exchange.request.headers
            invocation.failed = kind == "error" or broken_off or exchange.request.too_large
            if exchange.request.too_large:
                most = STREAM_BYTES if invocation.streaming else PAYLOAD_BYTES
                words = f"Response payload size exceeded maximum allowed payload size ({most} bytes)."
                error = {"errorType": "Function.ResponseSizeTooLarge", "errorMessage": words}
                invocation.payload = msgspec.json.encode(error)
                _refuse(exchange, 413, "RequestEntityTooLarge", words)
            else:
                invocation.payload = _trailed_error(exchange.request) if broken_off else exchange.request.body
                exchange.answer(202, _OK, _JSON)
            invocation.on_answer(invocation)

    def _init_error(self, exchange: Exchange) -> None:
        if self.ready:
            _refuse(exchange, 403, "InvalidStateTransition", "the init phase is over")
            return
        said = exchange.request.headers.get(_ERROR_TYPE, "")
        self.init_error = InstanceGone(said or "Runtime.Unknown", "init failed", payload=exchange.request.body)
        exchange.answer(202, _OK, _JSON)
        self._notify()


class _Streamed:
    """The body of an answer on its way from the runtime to the caller."""

    def __init__(self, invocation: Invocation, stream: Stream) -> None:
        self._invocation = invocation
        self.put = stream.put
        self.ready = stream.ready

    def cut(self) -> None:
        """The runtime broke off: what the caller has is all that there is."""
        if self._invocation.payload is None:
            self._invocation.answered_ns = time.monotonic_ns()
            self._invocation.failed = True
            error = {"errorType": "Runtime.TruncatedResponse", "errorMessage": "the answer broke off in the middle"}
            self._invocation.payload = msgspec.json.encode(error)
            self._invocation.on_answer(self._invocation)


def _trailed_error(request: Request) -> bytes:
    """The error in the trailers of an answer: its body in Base64, where there is one that can be read."""
    with contextlib.suppress(ValueError, msgspec.DecodeError):
        body = base64.b64decode(request.headers.get(_ERROR_BODY, ""), validate=True)
        msgspec.json.decode(body)
        return body
    words = "the function failed in the middle of its answer"
    return msgspec.json.encode({"errorType": request.headers[_ERROR_TYPE], "errorMessage": words})


def _refuse(exchange: Exchange, status: int, error_type: str, message: str) -> None:
    exchange.answer_json(status, {"errorType": error_type, "errorMessage": message})
