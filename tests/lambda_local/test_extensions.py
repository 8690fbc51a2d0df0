"""External extensions: they register, hear of every event, and of the end."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from tests.lambda_local.serving import CALLS_API, client_of, create, extension_layer, invoke, provide

# Writes what it hears to the file that RECORD names.
EXTENSION = f"""#!{sys.executable} -IS
{CALLS_API}
name = os.path.basename(sys.argv[0])
events = os.environ.get("EVENTS", "INVOKE SHUTDOWN").split()
own, answer = call("POST", "register", json.dumps({{"events": events}}), **{{"Lambda-Extension-Name": name}})
identifier = {{"Lambda-Extension-Identifier": own}}
print("registered for", answer["functionName"], flush=True)
if os.environ.get("FAIL") == "init":
    call("POST", "init/error", "{{}}", **identifier, **{{"Lambda-Extension-Function-Error-Type": "Test.Init"}})
    sys.exit(1)
while True:
    _, event = call("GET", "event/next", **identifier)
    with open(os.environ["RECORD"], "a") as record:
        record.write(json.dumps(event) + "\\n")
    if event["eventType"] == "SHUTDOWN":
        sys.exit(0)
    if os.environ.get("FAIL") == "invoke":
        os._exit(3)
"""
ECHO = "def handler(event, context):\n    return event\n"


def deployed(
    lambda_: Any, record: Path, source: str = ECHO, timeout: int = 20, name: str = "extended", **variables: str
) -> None:
    layers = [extension_layer(lambda_, "recorder", EXTENSION)]
    environment = {"Variables": {"RECORD": str(record)} | variables}
    create(lambda_, name, source, Layers=layers, Environment=environment, Timeout=timeout)


def events(record: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in record.read_text().splitlines()]


def test_an_extension_registers_hears_every_event_and_the_end(box, tmp_path):
    record = tmp_path / "record"
    with client_of(box.create) as lambda_:
        deployed(lambda_, record)
        answers = [invoke(lambda_, "extended", {"n": n}) for n in range(3)]

    assert [answer.value for answer in answers] == [{"n": 0}, {"n": 1}, {"n": 2}]
    lines = [line.split("\t") for line in answers[0].log.splitlines() if line.startswith("EXTENSION")]
    assert [(line[2], line[3]) for line in lines] == [("State: Ready", "Events: [INVOKE, SHUTDOWN]")]
    assert "EXTENSION" not in answers[1].log
    heard = events(record)
    assert [event["eventType"] for event in heard] == ["INVOKE"] * 3 + ["SHUTDOWN"]
    assert [event["requestId"] for event in heard[:3]] == [answer.measured["request_id"] for answer in answers]
    assert heard[0]["invokedFunctionArn"].endswith(":function:extended")
    assert heard[3]["shutdownReason"] == "SPINDOWN"
    assert heard[3]["deadlineMs"] > 1e12
    assert box.alive == 0


def test_an_extension_that_fails_in_init_fails_the_invocation(lambda_, tmp_path):
    deployed(lambda_, tmp_path / "record", name="fails", FAIL="init")

    answer = invoke(lambda_, "fails")

    assert answer.error == "Unhandled"
    assert answer.value["errorType"] == "Extension.InitError"
    assert re.search(r"\brecorder\b.*Test\.Init", answer.value["errorMessage"])


def test_an_extension_that_dies_takes_the_instance_with_it(lambda_, tmp_path):
    source = "import time\ndef handler(event, context):\n    time.sleep(60)\n"
    deployed(lambda_, tmp_path / "record", source, name="dies", FAIL="invoke")

    answer = invoke(lambda_, "dies")

    assert answer.value["errorType"] == "Extension.Crash"
    assert answer.value["errorMessage"].endswith("exit status 3")


_INTERNAL = f"""#!{sys.executable} -IS
import http.client, os, signal, time
def ask(method, path, body=None, **headers):
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    connection.request(method, path, body, headers)
    return connection
def stop(number, frame):
    with open(os.environ["RECORD"], "a") as record:
        record.write("terminated")
    time.sleep(60)
signal.signal(signal.SIGTERM, stop)
extension = "/2020-01-01/extension/"
named = {{"Lambda-Extension-Name": "inner"}}
answer = ask("POST", extension + "register", '{{"events": []}}', **named).getresponse()
identifier = {{"Lambda-Extension-Identifier": answer.getheader("Lambda-Extension-Identifier")}}
waiting = ask("GET", extension + "event/next", **identifier)
while True:
    event = ask("GET", "/2018-06-01/runtime/invocation/next").getresponse()
    request = event.getheader("Lambda-Runtime-Aws-Request-Id")
    ask("POST", f"/2018-06-01/runtime/invocation/{{request}}/response", event.read()).getresponse()
"""


def test_a_runtime_with_an_internal_extension_is_told_to_end_and_has_half_a_second(box, tmp_path):
    record = tmp_path / "record"
    with client_of(box.create) as lambda_:
        environment = {"Variables": {"RECORD": str(record)}}
        provide(lambda_, "internal", {"bootstrap": _INTERNAL}, Environment=environment)
        answer = invoke(lambda_, "internal", 1)
        began = time.monotonic()
    took = time.monotonic() - began

    assert answer.value == 1
    assert record.read_text() == "terminated"
    assert took >= 0.5
    assert box.alive == 0
