"""The Runtime API of one instance (version 2018-06-01): next, response, error, init/error.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

from __future__ import annotations

import base64
import contextlib
import time
from collections.abc import Callable

import msgspec

from lambda_local.http import Exchange, HttpLimits, HttpRequest, response
from lambda_local.instances.errors import InstanceGone
from lambda_local.instances.extensions_api import PREFIX as EXTENSION
from lambda_local.instances.extensions_api import TELEMETRY, ExtensionsApi
from lambda_local.instances.invocation import Invocation
from lambda_local.settings import PAYLOAD_BYTES

# A runtime may put a stack of up to 1 MiB into the header Lambda-Runtime-Function-XRay-Error-Cause. It waits for its
# next event as long as it takes, so its connections never grow too old. What an instance sends is kept in our memory,
# not in its own: one answer, those of some extensions, and no more.
LIMITS = HttpLimits(
    header_bytes=1200 * 1024,
    body_bytes=PAYLOAD_BYTES,
    connections=64,
    held_bytes=3 * PAYLOAD_BYTES,
    idle_s=None,
    patient=True,
)

_RUNTIME = "/2018-06-01/runtime/"
_NEXT = "invocation/next"
_ERROR_TYPE, _ERROR_BODY = "lambda-runtime-function-error-type", "lambda-runtime-function-error-body"
_OK = b'{"status":"OK"}\n'
_JSON = (("Content-Type", "application/json"),)


class RuntimeApi:
    """What the runtime of one instance has said, and the events that it is given; requests for the Extensions API,
    which shares the address, are passed on."""

    def __init__(self, extensions: ExtensionsApi, notify: Callable[[], None]) -> None:
        self.init_error: InstanceGone | None = None
        self.ready = False  # it has asked for its first event
        self.asked_ns = 0  # when it last asked for an event
        self._extensions = extensions
        self._notify = notify
        self._asking: Exchange | None = None
        self._invocation: Invocation | None = None

    @property
    def waiting(self) -> bool:
        return self._asking is not None and not self._asking.gone

    def hand_out(self, invocation: Invocation) -> None:
        asking, self._asking = self._asking, None
        assert asking is not None, "no runtime waits"
        self._invocation = invocation
        headers = [
            *_JSON,
            ("Lambda-Runtime-Aws-Request-Id", invocation.request_id),
            ("Lambda-Runtime-Deadline-Ms", str(invocation.deadline_epoch_ms)),
            ("Lambda-Runtime-Invoked-Function-Arn", invocation.arn),
            ("Lambda-Runtime-Trace-Id", invocation.trace_id),
        ]
        answer = response(200, invocation.event, headers, keep_alive=asking.keep_alive)
        invocation.handed_ns = time.monotonic_ns()
        asking.send(answer)

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
        self.asked_ns = exchange.request.received_ns
        self._notify()

    def _answered(self, exchange: Exchange, request_id: str, kind: str) -> None:
        invocation = self._invocation
        if kind not in ("response", "error"):
            exchange.answer(404)
        elif invocation is None or invocation.request_id != request_id:
            _refuse(exchange, 400, "InvalidRequestID", "Invalid request ID")
        elif invocation.payload is not None:
            _refuse(exchange, 403, "InvalidStateTransition", "this event was answered before")
        else:
            invocation.answered_ns = exchange.request.received_ns
            # A runtime that streams its answer and fails in the middle says so in the trailers.
            broken_off = kind == "response" and _ERROR_TYPE in exchange.request.headers
            invocation.failed = kind == "error" or broken_off or exchange.request.too_large
            if exchange.request.too_large:
                words = f"Response payload size exceeded maximum allowed payload size ({PAYLOAD_BYTES} bytes)."
                error = {"errorType": "Function.ResponseSizeTooLarge", "errorMessage": words}
                invocation.payload = msgspec.json.encode(error)
                _refuse(exchange, 413, "RequestEntityTooLarge", words)
            else:
                invocation.payload = _trailed_error(exchange.request) if broken_off else exchange.request.body
                exchange.answer(202, _OK, _JSON)

    def _init_error(self, exchange: Exchange) -> None:
        if self.ready:
            _refuse(exchange, 403, "InvalidStateTransition", "the init phase is over")
            return
        reported = exchange.request.headers.get(_ERROR_TYPE, "")
        self.init_error = InstanceGone(reported or "Runtime.Unknown", "init failed", payload=exchange.request.body)
        exchange.answer(202, _OK, _JSON)
        self._notify()


def _trailed_error(request: HttpRequest) -> bytes:
    """The error in the trailers of an answer: its body in Base64, where there is one that can be read."""
    with contextlib.suppress(ValueError, msgspec.DecodeError):
        body = base64.b64decode(request.headers.get(_ERROR_BODY, ""), validate=True)
        msgspec.json.decode(body)
        return body
    words = "the function failed in the middle of its answer"
    return msgspec.json.encode({"errorType": request.headers[_ERROR_TYPE], "errorMessage": words})


def _refuse(exchange: Exchange, status: int, error_type: str, message: str) -> None:
    exchange.answer_json(status, {"errorType": error_type, "errorMessage": message})
