"""`Event` invocations, response streams and function URLs: events that come another way than by Invoke's answer."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.lambda_local.plain_box import PlainBox
from tests.lambda_local.serving import client, create, served
from tests.lambda_local.test_invoke import eventually

# Writes a line for each attempt, and fails as often as the event says.
COUNTS = """
def handler(event, context):
    with open(event["to"], "a") as file:
        file.write(context.aws_request_id + "\\n")
    if len(open(event["to"]).readlines()) <= event["failures"]:
        raise ValueError("once more")
"""


@pytest.fixture(scope="module")
def hasty() -> Iterator[Any]:
    """A service that repeats soon."""
    with served(PlainBox.create, retry_s=0.02, instances=2) as endpoint:
        yield client(endpoint)


def attempts(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def send(lambda_: Any, name: str, event: Any, **more: Any) -> dict[str, Any]:
    return dict(lambda_.invoke(FunctionName=name, InvocationType="Event", Payload=json.dumps(event), **more))


def test_an_event_is_taken_at_once_and_repeated_twice_under_the_same_id(hasty, tmp_path):
    create(hasty, "fails", COUNTS)

    answer = send(hasty, "fails", {"to": str(tmp_path / "tries"), "failures": 9})

    assert answer["StatusCode"] == 202
    assert answer["Payload"].read() == b""
    assert eventually(lambda: len(attempts(tmp_path / "tries")) == 3)
    time.sleep(0.2)
    assert attempts(tmp_path / "tries") == [answer["ResponseMetadata"]["RequestId"]] * 3


def test_an_event_that_succeeds_is_not_repeated(hasty, tmp_path):
    create(hasty, "recovers", COUNTS)

    send(hasty, "recovers", {"to": str(tmp_path / "tries"), "failures": 1})

    assert eventually(lambda: len(attempts(tmp_path / "tries")) == 2)
    time.sleep(0.2)
    assert len(attempts(tmp_path / "tries")) == 2


def test_how_often_an_event_is_repeated_can_be_set(hasty, tmp_path):
    create(hasty, "once", COUNTS)

    put = hasty.put_function_event_invoke_config(FunctionName="once", MaximumRetryAttempts=0)
    send(hasty, "once", {"to": str(tmp_path / "tries"), "failures": 9})
    updated = hasty.update_function_event_invoke_config(FunctionName="once", MaximumEventAgeInSeconds=60)
    listed = hasty.list_function_event_invoke_configs(FunctionName="once")["FunctionEventInvokeConfigs"]
    found = hasty.get_function_event_invoke_config(FunctionName="once")
    hasty.delete_function_event_invoke_config(FunctionName="once")

    assert eventually(lambda: len(attempts(tmp_path / "tries")) == 1)
    time.sleep(0.2)
    assert len(attempts(tmp_path / "tries")) == 1
    assert put["FunctionArn"].endswith(":once:$LATEST")
    assert (updated["MaximumRetryAttempts"], updated["MaximumEventAgeInSeconds"]) == (0, 60)
    assert [each["MaximumEventAgeInSeconds"] for each in listed] == [60]
    assert found["LastModified"].year >= 2026
    with pytest.raises(hasty.exceptions.ResourceNotFoundException, match="EventInvokeConfig"):
        hasty.get_function_event_invoke_config(FunctionName="once")


def test_more_events_than_instances_are_all_worked_on(hasty, tmp_path):
    create(hasty, "queued", COUNTS)

    for _ in range(12):
        send(hasty, "queued", {"to": str(tmp_path / "tries"), "failures": 0})

    assert eventually(lambda: len(attempts(tmp_path / "tries")) == 12, 20)
    assert len(set(attempts(tmp_path / "tries"))) == 12


def test_events_have_a_limit_of_their_own_and_need_a_function(hasty):
    create(hasty, "limited", COUNTS)

    with pytest.raises(ClientError, match=r"RequestEntityTooLargeException.*1048576"):
        send(hasty, "limited", "x" * 1_048_576)
    with pytest.raises(hasty.exceptions.ResourceNotFoundException):
        send(hasty, "nowhere", {})
    with pytest.raises(hasty.exceptions.ResourceNotFoundException):
        send(hasty, "limited", {}, Qualifier="3")


def test_a_response_stream_comes_in_aws_s_encoding(hasty):
    create(hasty, "streams", "def handler(event, context):\n    return 'x' * event['size']\n")

    answer = hasty.invoke_with_response_stream(FunctionName="streams", Payload=b'{"size": 200000}', LogType="Tail")
    events = list(answer["EventStream"])

    assert b"".join(each["PayloadChunk"]["Payload"] for each in events[:-1]) == b'"' + b"x" * 200_000 + b'"'
    assert len(events) > 2
    assert events[-1]["InvokeComplete"]["LogResult"]
    assert answer["ExecutedVersion"] == "$LATEST"


def test_a_failure_stands_at_the_end_of_a_response_stream(hasty):
    create(hasty, "stumbles", "def handler(event, context):\n    raise ValueError('no')\n")

    (end,) = hasty.invoke_with_response_stream(FunctionName="stumbles")["EventStream"]

    assert end["InvokeComplete"]["ErrorCode"] == "Unhandled"
    assert json.loads(end["InvokeComplete"]["ErrorDetails"])["errorMessage"] == "no"


WEB = """
def handler(event, context):
    if event["rawPath"] == "/plain":
        return {"hello": event["queryStringParameters"]["who"]}
    if event["rawPath"] == "/splits":
        return {"statusCode": 200, "headers": {"X-A: b\\r\\nSet-Cookie": "c=d"}}
    if event["rawPath"] == "/fails":
        raise ValueError("no")
    return {"statusCode": 201, "headers": {"X-Seen": event["requestContext"]["http"]["method"]},
            "cookies": ["a=1", "b=2"], "body": event["body"][::-1]}
"""


def fetch(url: str, data: bytes | None = None, **headers: str) -> tuple[int, bytes, Any]:
    request = urllib.request.Request(url, data, headers)  # noqa: S310 - it is http, to this machine
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), error.headers


def test_a_function_url_turns_requests_into_events_and_answers_into_responses(hasty):
    create(hasty, "web", WEB)
    made = hasty.create_function_url_config(FunctionName="web", AuthType="NONE")
    url = made["FunctionUrl"]

    plain = fetch(f"{url}plain?who=me")
    posted = fetch(f"{url}x/y", b"abc", **{"Content-Type": "text/plain"})
    failed = fetch(f"{url}fails")
    split = fetch(f"{url}splits")

    assert plain[:2] == (200, b'{"hello": "me"}')
    assert posted[:2] == (201, b"cba")
    assert posted[2]["X-Seen"] == "POST"
    assert posted[2].get_all("Set-Cookie") == ["a=1", "b=2"]
    assert failed[:2] == split[:2] == (502, b"Internal Server Error")  # no header hides in another one's name
    with pytest.raises(hasty.exceptions.ResourceConflictException):
        hasty.create_function_url_config(FunctionName="web", AuthType="NONE")


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Host", "evil.example", 403),
        ("Origin", "https://evil.example", 403),
        ("Origin", "null", 403),
        ("Origin", "http://localhost:3000", 200),
    ],
)
def test_a_function_url_without_signatures_is_open_to_this_machine_and_to_no_web_page(hasty, header, value, status):
    name = f"page-{header}-{status}-{len(value)}"
    create(hasty, name, WEB)
    url = hasty.create_function_url_config(FunctionName=name, AuthType="NONE")["FunctionUrl"]

    answer = fetch(f"{url}plain?who=me", **{header: value})

    assert answer[0] == status


def test_a_function_url_is_found_changed_and_deleted(hasty):
    create(hasty, "web-2", WEB, Publish=True)
    hasty.create_alias(FunctionName="web-2", Name="live", FunctionVersion="1")
    made = hasty.create_function_url_config(FunctionName="web-2", Qualifier="live", AuthType="NONE")

    updated = hasty.update_function_url_config(FunctionName="web-2", Qualifier="live", AuthType="AWS_IAM")
    found = hasty.get_function_url_config(FunctionName="web-2", Qualifier="live")
    listed = hasty.list_function_url_configs(FunctionName="web-2")["FunctionUrlConfigs"]
    unsigned = fetch(f"{made['FunctionUrl']}plain?who=me")
    signed = fetch(f"{made['FunctionUrl']}plain?who=me", Authorization="AWS4-HMAC-SHA256 x")
    hasty.delete_function_url_config(FunctionName="web-2", Qualifier="live")

    assert made["FunctionArn"].endswith(":web-2:live")
    assert updated["AuthType"] == found["AuthType"] == listed[0]["AuthType"] == "AWS_IAM"
    assert unsigned[0] == 403
    assert signed[:2] == (200, b'{"hello": "me"}')
    with pytest.raises(hasty.exceptions.ResourceNotFoundException):
        hasty.get_function_url_config(FunctionName="web-2", Qualifier="live")
    with pytest.raises(urllib.error.URLError):
        fetch(made["FunctionUrl"])
