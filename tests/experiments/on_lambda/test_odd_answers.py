"""What says that it is a Lambda, and then answers in another form, fails the trial in words and with no traceback."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.experiments.on_lambda.functions import folder, spec
from tests.experiments.on_lambda.web import SilentHandler, web_server
from tests.experiments.subjects import failure

CONFIGURATION = {
    "State": "Active",
    "MemorySize": 1769,
    "Timeout": 20,
    "Runtime": "python3.11",
    "Handler": "f.handler",
    "CodeSha256": "x" * 44,
}
REPORT = "REPORT RequestId: 1\tDuration: 12.34 ms\tBilled Duration: 13 ms\t\n"

pytestmark = pytest.mark.usefixtures("any_credentials")

Answer = tuple[int, bytes, dict[str, str]]


def as_json(content: object, status: int = 200) -> Answer:
    return status, json.dumps(content).encode(), {"Content-Type": "application/json"}


def without(name: str) -> dict[str, object]:
    return {item: value for item, value in CONFIGURATION.items() if item != name}


@contextmanager
def lambda_like(**odd: Answer) -> Iterator[str]:
    """An address that answers as a Lambda does as far as it must, but for the operations that are *odd*."""
    answers = {
        "list": as_json({"Functions": []}),
        "create": as_json(CONFIGURATION, 201),
        "configuration": as_json(CONFIGURATION),
        "get": as_json({"Configuration": CONFIGURATION | {"State": "Failed"}}),
        "layers": as_json({"LayerVersionArn": "arn:aws:lambda:us-east-1:123456789012:layer:l:1"}, 201),
        "invoke": as_json(None),
        "delete": (204, b"", {}),
    } | odd

    class Handler(SilentHandler):
        def do_GET(self) -> None:
            self.say({"functions": "list", "configuration": "configuration"}.get(self.last_word(), "get"))

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.say({"functions": "create", "versions": "layers", "invocations": "invoke"}[self.last_word()])

        def do_DELETE(self) -> None:
            self.say("delete")

        def last_word(self) -> str:
            return self.path.split("?")[0].rstrip("/").rpartition("/")[2]

        def say(self, name: str) -> None:
            status, body, headers = answers[name]
            self.send_response(status)
            for header, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(header, value)
            self.end_headers()
            self.wfile.write(body)

    with web_server(Handler) as address:
        yield address


SITUATIONS = [
    ("configuration", as_json({"State": "Active"}), "GetFunctionConfiguration.*`MemorySize`"),
    ("configuration", as_json(without("CodeSha256")), "GetFunctionConfiguration.*`CodeSha256`"),
    ("configuration", as_json(CONFIGURATION | {"MemorySize": "much"}), "GetFunctionConfiguration.*much"),
    ("configuration", as_json(CONFIGURATION | {"Timeout": 10**30}), "GetFunctionConfiguration"),
    ("configuration", as_json(CONFIGURATION | {"Layers": [1]}), "GetFunctionConfiguration"),
    ("configuration", as_json(CONFIGURATION | {"Layers": [{}]}), "GetFunctionConfiguration.*`Arn`"),
    ("configuration", as_json(CONFIGURATION | {"Architectures": 1}), "GetFunctionConfiguration"),
    ("configuration", as_json({}), "Waiter.*FunctionActiveV2"),
    ("configuration", as_json([1]), "GetFunctionConfiguration"),
    ("configuration", as_json("\x1b[2J"), "GetFunctionConfiguration"),
    ("configuration", (200, b"<html>", {"Content-Type": "text/html"}), "GetFunctionConfiguration|Waiter"),
    ("configuration", (200, b"\xff", {"Content-Type": "application/json"}), "GetFunctionConfiguration"),
    ("create", as_json([1], 201), "CreateFunction"),
    ("create", as_json([1], 500), "CreateFunction"),
    ("create", (404, b"<html>", {"Content-Type": "text/html"}), "CreateFunction.*404"),
    ("layers", as_json({}, 201), "PublishLayerVersion.*KeyError"),
    ("layers", as_json([1], 201), "PublishLayerVersion"),
    ("invoke", (200, b"1", {"X-Amz-Log-Result": "abc"}), "Invoke"),
    ("invoke", (200, b"1", {"X-Amz-Log-Result": "abc", "X-Amz-Function-Error": "Unhandled"}), "Invoke"),
    ("invoke", (200, b"1", {"X-Lambda-Local-Measured": "{"}), "Duration"),
    ("invoke", (200, b"1", {}), "Duration"),
    ("invoke", as_json([1], 500), "Invoke"),
]


@pytest.mark.more
@pytest.mark.parametrize(("operation", "odd", "words"), SITUATIONS)
def test_an_odd_answer_fails_the_trial_in_words(tmp_path, operation, odd, words):
    layers = (folder(tmp_path, "", "layer"),) if operation == "layers" else ()

    with lambda_like(**{operation: odd}) as address:
        failed = failure(spec(folder(tmp_path), endpoint=address, layers=layers))

    assert re.search(words, failed.message)
    assert failed.stage == "open"


def test_an_odd_answer_to_the_deletion_fails_the_trial_too(tmp_path):
    log = {"X-Amz-Log-Result": base64.b64encode(REPORT.encode()).decode()}

    with lambda_like(invoke=(200, b"1", log), delete=as_json([1], 500)) as address:
        failed = failure(spec(folder(tmp_path), endpoint=address))

    assert "DeleteFunction" in failed.message
    assert failed.stage == "close"
