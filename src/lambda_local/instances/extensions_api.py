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
from lambda_local.instances.errors import InstanceGone
from lambda_local.instances.invocation import Invocation

PREFIX = "/2020-01-01/extension/"
# The API for logs and telemetry is not here. Extensions that ask for it get a success, as from Lambda's own emulator,
# since many give up on anything else.
TELEMETRY = ("/2020-08-15/logs", "/2022-07-01/telemetry")

MOST = 10  # extensions: MaxAgentsAllowed in AWS's emulator of Lambda
NAME_LENGTH = 128
# A list of many events would take many times its size as objects of Python's, and what a refusal quotes stays in our
# memory where nobody reads it.
_REGISTRATION_BYTES = 4096
_QUOTED = 200

INVOKE = "INVOKE"
SHUTDOWN = "SHUTDOWN"


class _Registration(msgspec.Struct):
    events: list[str] | None = None  # Go clients write a missing list as null


@dataclass(eq=False)
class Extension:
    """One that has registered. `asking` is its unanswered request for the next event."""

    name: str
    events: frozenset[str]
    identifier: str = field(default_factory=lambda: str(uuid.uuid4()))
    asking: Exchange | None = None
    ever_asked: bool = False
    undelivered: dict[str, object] | None = None

    @property
    def waiting(self) -> bool:
        """Whether it has done with its last event; one that wants no INVOKE has once it asked for any."""
        asking = self.asking is not None and not self.asking.gone
        return asking or (self.ever_asked and INVOKE not in self.events)

    def tell(self) -> None:
        """Give it the event that it has not heard of, once it asks."""
        if self.undelivered is not None and self.asking is not None and not self.asking.gone:
            self.asking.answer_json(200, self.undelivered, [("Lambda-Extension-Event-Identifier", str(uuid.uuid4()))])
            self.asking = self.undelivered = None


class ExtensionsApi:
    """What the extensions of one instance have said, and the events that they are sent."""

    def __init__(self, function: Function, expected: frozenset[str], notify: Callable[[], None]) -> None:
        """Args:
        expected: names of the external ones, the files under /opt/extensions.
        notify: called whenever something changed.
        """
        self.failure: InstanceGone | None = None
        self.closed = False  # to new registrations: the runtime has asked for its first event
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
        """What the log says of them once the init phase is over."""
        return [
            f"EXTENSION\tName: {extension.name}\tState: Ready\tEvents: [{', '.join(sorted(extension.events))}]\n"
            for extension in self._extensions.values()
        ]

    @property
    def asked_ns(self) -> int:
        """When the last of those that hear of events asked for its next one; 0 where there is none."""
        hearing = [extension.asking for extension in self._extensions.values() if INVOKE in extension.events]
        return max((asking.request.received_ns for asking in hearing if asking is not None), default=0)

    @property
    def any_registered(self) -> bool:
        return bool(self._extensions)

    def any_hears(self, kind: str) -> bool:
        """Whether an extension registered for events of this kind, INVOKE or SHUTDOWN."""
        return any(kind in extension.events for extension in self._extensions.values())

    def handle(self, exchange: Exchange) -> None:
        """Answer one request under PREFIX, now or later."""
        match exchange.request.method, exchange.request.path.removeprefix(PREFIX):
            case "POST", "register":
                self._register(exchange)
            case "GET", "event/next":
                self._next(exchange)
            case "POST", "init/error" | "exit/error":
                self._error(exchange)
            case _:
                exchange.answer(404)

    def tell_invoke(self, invocation: Invocation) -> None:
        if not self._extensions:
            return
        event = {
            "eventType": INVOKE,
            "deadlineMs": invocation.deadline_epoch_ms,
            "requestId": invocation.request_id,
            "invokedFunctionArn": invocation.arn,
            "tracing": {"type": "X-Amzn-Trace-Id", "value": invocation.trace_id},
        }
        self._tell(INVOKE, event)

    def tell_shutdown(self, reason: str, deadline_epoch_ms: int) -> None:
        """Say that the instance ends (SPINDOWN, TIMEOUT, FAILURE), to those that are still busy when they ask."""
        event = {"eventType": SHUTDOWN, "shutdownReason": reason, "deadlineMs": deadline_epoch_ms}
        self._tell(SHUTDOWN, event)

    def _tell(self, kind: str, event: dict[str, object]) -> None:
        for extension in self._extensions.values():
            if kind in extension.events:
                extension.undelivered = event
                extension.tell()

    def _register(self, exchange: Exchange) -> None:
        name = exchange.request.headers.get("lambda-extension-name", "")
        if len(exchange.request.body) > _REGISTRATION_BYTES:
            _refuse(exchange, "InvalidRequestFormat", f"it has more than {_REGISTRATION_BYTES} bytes")
            return
        try:
            events = frozenset(msgspec.json.decode(exchange.request.body, type=_Registration).events or ())
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            _refuse(exchange, "InvalidRequestFormat", str(error))
            return
        if not 0 < len(name) <= NAME_LENGTH:
            _refuse(exchange, "Extension.InvalidExtensionName", f"it takes 1 to {NAME_LENGTH} characters")
        elif any(extension.name == name for extension in self._extensions.values()):
            _refuse(exchange, "Extension.AlreadyRegistered", name)
        elif len(self._extensions) >= MOST:
            _refuse(exchange, "Extension.TooManyExtensions", f"Extension limit ({MOST}) reached")
        elif self.closed:
            _refuse(exchange, "Extension.RegistrationClosed", "the runtime has begun to wait for events")
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
            extension.asking = exchange
            extension.ever_asked = True
            extension.tell()  # it may have worked on its last event when the next one came
            self._notify()

    def _error(self, exchange: Exchange) -> None:
        extension = self._known(exchange)
        if extension is None:
            return
        at_init = exchange.request.path.endswith("init/error")
        reported = exchange.request.headers.get("lambda-extension-function-error-type", "")
        error_type = "Extension.InitError" if at_init else "Extension.ExitError"
        self.failure = InstanceGone(error_type, f"extension {extension.name} reported {reported or 'an error'}")
        exchange.answer_json(202, {"status": "OK"})
        self._notify()

    def _known(self, exchange: Exchange) -> Extension | None:
        """The extension that speaks; where it is not known which one it is, the request is refused."""
        identifier = exchange.request.headers.get("lambda-extension-identifier", "")
        extension = self._extensions.get(identifier)
        if extension is None:
            kind = "Extension.UnknownExtensionIdentifier" if identifier else "Extension.MissingExtensionIdentifier"
            _refuse(exchange, kind, identifier)
        return extension


def _refuse(exchange: Exchange, error_type: str, message: str) -> None:
    exchange.answer_json(403, {"errorType": error_type, "errorMessage": message[:_QUOTED]})
