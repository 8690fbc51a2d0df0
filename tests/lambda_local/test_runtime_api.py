"""Runtimes and extensions that break the rules are refused, and harm nobody."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from lambda_local.function import Code, Function
from lambda_local.http import Exchange, HttpRequest
from lambda_local.instances.extensions_api import ExtensionsApi
from lambda_local.instances.invocation import Invocation
from lambda_local.instances.runtime_api import RuntimeApi

FUNCTION = Function("f", "arn:f", "provided.al2023", "bootstrap", "role", Code("", 0, Path("/nonesuch")))


class Program:
    """What a program in the instance sends and hears."""

    def __init__(self, *expected: str) -> None:
        self.changes = 0
        self.extensions = ExtensionsApi(FUNCTION, frozenset(expected), self._changed)
        self.api = RuntimeApi(self.extensions, self._changed)

    def _changed(self) -> None:
        self.changes += 1

    def call(self, method: str, path: str, body: bytes = b"", too_large: bool = False, **headers: str) -> Heard:
        heard = Heard()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        request = HttpRequest(method, path, "", given, body, too_large, 2_000)
        self.api.handle(Exchange(request, heard.take, keep_alive=True))
        return heard

    def runtime(self, method: str, path: str, body: bytes = b"", **more: Any) -> Heard:
        return self.call(method, f"/2018-06-01/runtime/{path}", body, **more)

    def extension(self, method: str, path: str, body: bytes = b"", **headers: str) -> Heard:
        return self.call(method, f"/2020-01-01/extension/{path}", body, **headers)


def handed() -> tuple[Program, Invocation]:
    """A program that has been given an event, and the event."""
    program, invocation = Program(), Invocation(b"{}", FUNCTION.arn)
    program.runtime("GET", "invocation/next")
    program.api.hand_out(invocation)
    return program, invocation


class Heard:
    """The answer to one request, if there is one yet."""

    def __init__(self) -> None:
        self.raw = b""

    def take(self, exchange: Exchange, answer: bytes) -> None:
        self.raw = answer

    @property
    def status(self) -> int | None:
        return int(self.raw.split()[1]) if self.raw else None

    @property
    def document(self) -> Any:
        return json.loads(self.raw.partition(b"\r\n\r\n")[2])

    def header(self, name: str) -> str:
        return self.raw.partition(name.encode() + b": ")[2].partition(b"\r\n")[0].decode()


def test_an_event_is_handed_out_and_its_answer_taken_once():
    program, invocation = Program(), Invocation(b'{"a":1}', FUNCTION.arn, deadline_epoch_ms=1234)

    waiting = program.runtime("GET", "invocation/next")
    before = waiting.status
    program.api.hand_out(invocation)
    answer = program.runtime("POST", f"invocation/{invocation.request_id}/response", b"7")
    again = program.runtime("POST", f"invocation/{invocation.request_id}/response", b"8")

    assert before is None
    assert waiting.document == {"a": 1}
    assert waiting.header("Lambda-Runtime-Aws-Request-Id") == invocation.request_id
    assert waiting.header("Lambda-Runtime-Deadline-Ms") == "1234"
    assert (answer.status, again.status) == (202, 403)
    assert invocation.payload == b"7"
    assert not invocation.failed
    assert invocation.answered_ns == 2_000


def test_identifiers_of_requests_are_random_uuids():
    identifiers = {Invocation(b"", FUNCTION.arn).request_id for _ in range(200)}

    assert len(identifiers) == 200
    for identifier in identifiers:
        parsed = uuid.UUID(identifier)
        assert (str(parsed), parsed.version, parsed.variant) == (identifier, 4, uuid.RFC_4122)


def test_answers_to_other_events_are_refused():
    program, invocation = handed()

    nothing_yet = Program().runtime("POST", f"invocation/{invocation.request_id}/response", b"7")
    other = program.runtime("POST", "invocation/other/response", b"7")
    asks_for_more = program.runtime("GET", "invocation/next")

    assert (nothing_yet.status, other.status, asks_for_more.status) == (400, 400, 403)
    assert other.document["errorType"] == "InvalidRequestID"
    assert asks_for_more.document["errorType"] == "InvalidStateTransition"
    assert invocation.payload is None


def test_an_answer_that_is_too_large_becomes_an_error():
    program, invocation = handed()

    answer = program.runtime("POST", f"invocation/{invocation.request_id}/response", too_large=True)

    assert answer.status == 413
    assert invocation.failed
    assert json.loads(invocation.payload or b"")["errorType"] == "Function.ResponseSizeTooLarge"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("eyJlcnJvclR5cGUiOiAiRG93biJ9", {"errorType": "Down"}),
        (
            "not Base64",
            {"errorType": "Stream.Broken", "errorMessage": "the function failed in the middle of its answer"},
        ),
    ],
)
def test_an_answer_whose_trailers_report_an_error_is_one(body, error):
    program, invocation = handed()
    trailers = {"lambda_runtime_function_error_type": "Stream.Broken", "lambda_runtime_function_error_body": body}

    answer = program.runtime("POST", f"invocation/{invocation.request_id}/response", b"half an ans", **trailers)

    assert answer.status == 202
    assert invocation.failed
    assert json.loads(invocation.payload or b"") == error


def test_an_error_of_init_counts_only_in_init():
    program = Program()

    first = program.runtime("POST", "init/error", b'{"errorType":"X"}', lambda_runtime_function_error_type="X")
    program.runtime("GET", "invocation/next")
    late = program.runtime("POST", "init/error", b"{}")

    assert (first.status, late.status) == (202, 403)
    assert program.api.init_error.for_caller("id") == b'{"errorType":"X"}'


def numbers(end: int) -> bytes:
    return b'{"events":["' + b'","'.join(b"%d" % n for n in range(end)) + b'"]}'


@pytest.mark.parametrize(
    ("name", "body", "kind"),
    [
        ("", b'{"events":[]}', "Extension.InvalidExtensionName"),
        ("x" * 129, b"{}", "Extension.InvalidExtensionName"),
        ("watch", b"{", "InvalidRequestFormat"),
        ("watch", b'{"events":' + b"[" * 4000, "InvalidRequestFormat"),
        ("watch", numbers(100_000), "InvalidRequestFormat"),
        ("watch", numbers(500), "Extension.InvalidEventType"),
        ("watch", b'{"events":["SLEEP"]}', "Extension.InvalidEventType"),
        ("inner", b'{"events":["SHUTDOWN"]}', "ShutdownEventNotSupportedForInternalExtension"),
    ],
    ids=range(8),
)
def test_registrations_that_cannot_be_are_refused_in_few_words(name, body, kind):
    program = Program("watch")

    heard = program.extension("POST", "register", body, lambda_extension_name=name)

    assert (heard.status, heard.document["errorType"]) == (403, kind)
    assert len(heard.document["errorMessage"]) <= 200
    assert not program.extensions.all_registered


def test_an_extension_registers_once_and_before_the_first_event():
    program = Program("watch")

    first = program.extension("POST", "register", b'{"events":["INVOKE"]}', lambda_extension_name="watch")
    again = program.extension("POST", "register", b'{"events":[]}', lambda_extension_name="watch")
    program.extensions.closed = True
    late = program.extension("POST", "register", b'{"events":[]}', lambda_extension_name="inner")

    assert first.document == {"functionName": "f", "functionVersion": "$LATEST", "handler": "bootstrap"}
    assert program.extensions.all_registered
    assert again.document["errorType"] == "Extension.AlreadyRegistered"
    assert late.document["errorType"] == "Extension.RegistrationClosed"


def test_who_is_no_extension_hears_no_events():
    program = Program("watch")

    unknown = program.extension("GET", "event/next", lambda_extension_identifier="x" * 1_000_000)
    missing = program.extension("POST", "exit/error", b"{}")

    assert unknown.document["errorType"] == "Extension.UnknownExtensionIdentifier"
    assert len(unknown.document["errorMessage"]) == 200
    assert missing.document["errorType"] == "Extension.MissingExtensionIdentifier"
    assert program.extensions.failure is None


def test_an_extension_that_is_busy_at_the_end_gets_shutdown_with_its_next_request():
    program = Program("watch")
    registered = program.extension("POST", "register", b'{"events":["SHUTDOWN"]}', lambda_extension_name="watch")
    identifier = registered.header("Lambda-Extension-Identifier")

    program.extensions.send_shutdown("FAILURE", 1)
    heard = program.extension("GET", "event/next", lambda_extension_identifier=identifier)

    assert heard.document["shutdownReason"] == "FAILURE"


def test_the_instance_is_free_when_all_that_hear_events_wait_for_the_next():
    program = Program("watch")
    registered = program.extension("POST", "register", b'{"events":["INVOKE"]}', lambda_extension_name="watch")
    identifier = registered.header("Lambda-Extension-Identifier")
    before = program.extensions.all_waiting

    waiting = program.extension("GET", "event/next", lambda_extension_identifier=identifier)
    free = program.extensions.all_waiting
    program.extensions.send_invoke(Invocation(b"{}", FUNCTION.arn, request_id="id"))

    assert (before, free, program.extensions.all_waiting) == (False, True, False)
    assert waiting.document["requestId"] == "id"
