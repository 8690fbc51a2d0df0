"""The Extensions API of one instance (version 2020-01-01): register, next, init/error, exit/error.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-extensions-api.html
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from lambda_local.function import LATEST, Function
from lambda_local.http import Exchange
from lambda_local.instances.errors import InstanceFailure
from lambda_local.instances.invocation import Invocation

PREFIX = "/2020-01-01/extension/"
# The APIs for logs and telemetry are not supported, but answer with success, as AWS's emulator: many extensions fail
# otherwise.
TELEMETRY = ("/2020-08-15/logs", "/2022-07-01/telemetry")

MOST = 10  # extensions: MaxAgentsAllowed in AWS's emulator of Lambda
NAME_LENGTH = 128
# Limits of memory: many events need much more memory as Python objects, and unread refusals stay in memory.
_REGISTRATION_BYTES = 4096
_QUOTED = 200

INVOKE = "INVOKE"
SHUTDOWN = "SHUTDOWN"


class _Registration(msgspec.Struct):
    events: list[str] | None = None  # Go clients write a missing list as null


@dataclass(eq=False)
class Extension:
    """A registered extension. `request` is its unanswered request for the next event."""

    name: str
    events: frozenset[str]
    identifier: str = field(default_factory=lambda: str(uuid.uuid4()))
    request: Exchange | None = None
    ever_requested: bool = False
    undelivered: dict[str, object] | None = None

    @property
    def waiting(self) -> bool:
        """Whether it has finished its last event; one without INVOKE events has after its first request."""
        requested = self.request is not None and not self.request.gone
        return requested or (self.ever_requested and INVOKE not in self.events)

    def deliver(self) -> None:
        """Send the undelivered event, if it has requested one."""
        if self.undelivered is not None and self.request is not None and not self.request.gone:
            self.request.answer_json(200, self.undelivered, [("Lambda-Extension-Event-Identifier", str(uuid.uuid4()))])
            self.request = self.undelivered = None


class ExtensionsApi:
    """The extensions of one instance, and their events."""

    def __init__(self, function: Function, expected: frozenset[str], notify: Callable[[], None]) -> None:
        """Args:
        expected: names of external extensions, the files in /opt/extensions.
        notify: called after each change.
        """
        self.failure: InstanceFailure | None = None
        self.closed = False  # for registrations, after the runtime's first request
        self._function = function
        self._expected = expected
        self._notify = notify
        self._extensions: dict[str, Extension] = {}

    @property
    def all_registered(self) -> bool:
        return self._expected <= {extension.name for extension in self._extensions.values()}

    @property
    def all_waiting(self) -> bool:
        return all(extension.waiting for extension in self._extensions.values())

    def log_lines(self) -> list[str]:
        """Return the log lines after the init phase."""
        return [
            f"EXTENSION\tName: {extension.name}\tState: Ready\tEvents: [{', '.join(sorted(extension.events))}]\n"
            for extension in self._extensions.values()
        ]

    @property
    def requested_ns(self) -> int:
        """Time of the last request for a next INVOKE event by an extension; 0 without one."""
        requests = [extension.request for extension in self._extensions.values() if INVOKE in extension.events]
        return max((exchange.request.received_ns for exchange in requests if exchange is not None), default=0)

    @property
    def any_registered(self) -> bool:
        return bool(self._extensions)

    def any_receives(self, kind: str) -> bool:
        """Return whether an extension is registered for events of this kind, INVOKE or SHUTDOWN."""
        return any(kind in extension.events for extension in self._extensions.values())

    def handle(self, exchange: Exchange) -> None:
        """Answer one request under PREFIX, possibly later."""
        match exchange.request.method, exchange.request.path.removeprefix(PREFIX):
            case "POST", "register":
                self._register(exchange)
            case "GET", "event/next":
                self._next(exchange)
            case "POST", "init/error" | "exit/error":
                self._error(exchange)
            case _:
                exchange.answer(404)

    def send_invoke(self, invocation: Invocation) -> None:
        if not self._extensions:
            return
        event = {
            "eventType": INVOKE,
            "deadlineMs": invocation.deadline_epoch_ms,
            "requestId": invocation.request_id,
            "invokedFunctionArn": invocation.arn,
            "tracing": {"type": "X-Amzn-Trace-Id", "value": invocation.trace_id},
        }
        self._send(INVOKE, event)

    def send_shutdown(self, reason: str, deadline_epoch_ms: int) -> None:
        """Send the end of the instance (SPINDOWN, TIMEOUT, FAILURE); busy extensions get it with their next request."""
        event = {"eventType": SHUTDOWN, "shutdownReason": reason, "deadlineMs": deadline_epoch_ms}
        self._send(SHUTDOWN, event)

    def _send(self, kind: str, event: dict[str, object]) -> None:
        for extension in self._extensions.values():
            if kind in extension.events:
                extension.undelivered = event
                extension.deliver()

    def _register(self, exchange: Exchange) -> None:
        name = exchange.request.headers.get("lambda-extension-name", "")
        if len(exchange.request.body) > _REGISTRATION_BYTES:
            _refuse(exchange, "InvalidRequestFormat", f"the body has more than {_REGISTRATION_BYTES} bytes")
            return
        try:
            events = frozenset(msgspec.json.decode(exchange.request.body, type=_Registration).events or ())
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            _refuse(exchange, "InvalidRequestFormat", str(error))
            return
        if not 0 < len(name) <= NAME_LENGTH:
            _refuse(exchange, "Extension.InvalidExtensionName", f"a name has 1 to {NAME_LENGTH} characters")
        elif any(extension.name == name for extension in self._extensions.values()):
            _refuse(exchange, "Extension.AlreadyRegistered", name)
        elif len(self._extensions) >= MOST:
            _refuse(exchange, "Extension.TooManyExtensions", f"Extension limit ({MOST}) reached")
        elif self.closed:
            _refuse(exchange, "Extension.RegistrationClosed", "the runtime already waits for events")
        elif not events <= {INVOKE, SHUTDOWN}:
            _refuse(exchange, "Extension.InvalidEventType", ", ".join(sorted(events - {INVOKE, SHUTDOWN})))
        elif SHUTDOWN in events and name not in self._expected:
            _refuse(exchange, "ShutdownEventNotSupportedForInternalExtension", name)
        else:
            extension = Extension(name, events)
            self._extensions[extension.identifier] = extension
            function = self._function
            answer = {"functionName": function.name, "functionVersion": LATEST, "handler": function.handler}
            exchange.answer_json(200, answer, [("Lambda-Extension-Identifier", extension.identifier)])
            self._notify()

    def _next(self, exchange: Exchange) -> None:
        extension = self._known(exchange)
        if extension is not None:
            extension.request = exchange
            extension.ever_requested = True
            extension.deliver()  # it may have been busy when the event came
            self._notify()

    def _error(self, exchange: Exchange) -> None:
        extension = self._known(exchange)
        if extension is None:
            return
        at_init = exchange.request.path.endswith("init/error")
        reported = exchange.request.headers.get("lambda-extension-function-error-type", "")
        error_type = "Extension.InitError" if at_init else "Extension.ExitError"
        self.failure = InstanceFailure(error_type, f"extension {extension.name} reported {reported or 'an error'}")
        exchange.answer_json(202, {"status": "OK"})
        self._notify()

    def _known(self, exchange: Exchange) -> Extension | None:
        """Return the extension of a request, or refuse the request."""
        identifier = exchange.request.headers.get("lambda-extension-identifier", "")
        extension = self._extensions.get(identifier)
        if extension is None:
            kind = "Extension.UnknownExtensionIdentifier" if identifier else "Extension.MissingExtensionIdentifier"
            _refuse(exchange, kind, identifier)
        return extension


def _refuse(exchange: Exchange, error_type: str, message: str) -> None:
    exchange.answer_json(403, {"errorType": error_type, "errorMessage": message[:_QUOTED]})
