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
from lambda_local.instances.errors import InstanceFailure
from lambda_local.instances.extensions_api import PREFIX as EXTENSION
from lambda_local.instances.extensions_api import TELEMETRY, ExtensionsApi
from lambda_local.instances.invocation import Invocation
from lambda_local.settings import PAYLOAD_BYTES

# The header Lambda-Runtime-Function-XRay-Error-Cause may have a stack of 1 MiB. Connections wait for events without a
# limit of time. Requests are in the server's memory, not the instance's: one answer, and those of a few extensions.
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
    """The Runtime API of one instance; forwards requests for the Extensions API, which has the same address."""

    def __init__(self, extensions: ExtensionsApi, notify: Callable[[], None]) -> None:
        self.init_error: InstanceFailure | None = None
        self.ready = False  # it has requested its first event
        self.requested_ns = 0  # when it last requested an event
        self._extensions = extensions
        self._notify = notify
        self._request: Exchange | None = None
        self._invocation: Invocation | None = None

    @property
    def waiting(self) -> bool:
        return self._request is not None and not self._request.gone

    def hand_out(self, invocation: Invocation) -> None:
        request, self._request = self._request, None
        assert request is not None, "no runtime waits"
        self._invocation = invocation
        headers = [
            *_JSON,
            ("Lambda-Runtime-Aws-Request-Id", invocation.request_id),
            ("Lambda-Runtime-Deadline-Ms", str(invocation.deadline_epoch_ms)),
            ("Lambda-Runtime-Invoked-Function-Arn", invocation.arn),
            ("Lambda-Runtime-Trace-Id", invocation.trace_id),
        ]
        answer = response(200, invocation.event, headers, keep_alive=request.keep_alive)
        invocation.handed_ns = time.monotonic_ns()
        request.send(answer)

    def handle(self, exchange: Exchange) -> None:
        """Answer one request of a program in the instance, possibly later."""
        method, path = exchange.request.method, exchange.request.path
        if path.startswith(EXTENSION):
            self._extensions.handle(exchange)
        elif path.startswith(_RUNTIME):
            self._runtime(exchange, method, path.removeprefix(_RUNTIME))
        elif path in TELEMETRY:
            exchange.answer_json(202, {"errorType": "Telemetry.NotSupported", "errorMessage": "not supported"})
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
        self._request = exchange
        self.requested_ns = exchange.request.received_ns
        self._notify()

    def _answered(self, exchange: Exchange, request_id: str, kind: str) -> None:
        invocation = self._invocation
        if kind not in ("response", "error"):
            exchange.answer(404)
        elif invocation is None or invocation.request_id != request_id:
            _refuse(exchange, 400, "InvalidRequestID", "Invalid request ID")
        elif invocation.payload is not None:
            _refuse(exchange, 403, "InvalidStateTransition", "this event was already answered")
        else:
            invocation.answered_ns = exchange.request.received_ns
            # A failure in the middle of a streamed answer is reported in its trailers.
            incomplete = kind == "response" and _ERROR_TYPE in exchange.request.headers
            invocation.failed = kind == "error" or incomplete or exchange.request.too_large
            if exchange.request.too_large:
                words = f"Response payload size exceeded maximum allowed payload size ({PAYLOAD_BYTES} bytes)."
                error = {"errorType": "Function.ResponseSizeTooLarge", "errorMessage": words}
                invocation.payload = msgspec.json.encode(error)
                _refuse(exchange, 413, "RequestEntityTooLarge", words)
            else:
                invocation.payload = _trailer_error(exchange.request) if incomplete else exchange.request.body
                exchange.answer(202, _OK, _JSON)

    def _init_error(self, exchange: Exchange) -> None:
        if self.ready:
            _refuse(exchange, 403, "InvalidStateTransition", "the init phase is over")
            return
        reported = exchange.request.headers.get(_ERROR_TYPE, "")
        self.init_error = InstanceFailure(reported or "Runtime.Unknown", "init failed", payload=exchange.request.body)
        exchange.answer(202, _OK, _JSON)
        self._notify()


def _trailer_error(request: HttpRequest) -> bytes:
    """Return the error in an answer's trailers: its Base64 body if valid, else a message."""
    with contextlib.suppress(ValueError, msgspec.DecodeError):
        body = base64.b64decode(request.headers.get(_ERROR_BODY, ""), validate=True)
        msgspec.json.decode(body)
        return body
    words = "the function failed in the middle of its answer"
    return msgspec.json.encode({"errorType": request.headers[_ERROR_TYPE], "errorMessage": words})


def _refuse(exchange: Exchange, status: int, error_type: str, message: str) -> None:
    exchange.answer_json(status, {"errorType": error_type, "errorMessage": message})
