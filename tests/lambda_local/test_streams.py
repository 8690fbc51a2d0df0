"""Answers that are delivered part by part: InvokeWithResponseStream and function URLs of mode RESPONSE_STREAM."""

from __future__ import annotations

import contextlib
import http.client
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from lambda_local.settings import STREAM_BYTES
from tests.lambda_local.go_build import bootstrap
from tests.lambda_local.plain_box import PlainBox
from tests.lambda_local.raw_http import talk
from tests.lambda_local.serving import archive, client, create, served
from tests.needs import needs

WITH_PRELUDE = "application/vnd.awslambda.http-integration-response"

# A runtime of its own. The event says what it sends: texts are parts, `{"wait": path}` waits for such a file,
# `{"repeat": text, "times": n}` is many of them; `trailers` and `vanish` say how it ends.
RUNTIME = f"""#!{sys.executable} -IS
import http.client, json, os, time
host = os.environ["AWS_LAMBDA_RUNTIME_API"]
api = "/2018-06-01/runtime/invocation/"

def text(event):
    said = json.loads(event)
    if "rawPath" in said:
        said = json.loads(said["body"])
    return said

while True:
    asking = http.client.HTTPConnection(host)
    asking.request("GET", api + "next")
    got = asking.getresponse()
    said = text(got.read())
    answer = http.client.HTTPConnection(host)
    answer.putrequest("POST", api + got.headers["Lambda-Runtime-Aws-Request-Id"] + "/response")
    answer.putheader("Transfer-Encoding", "chunked")
    answer.putheader("Content-Type", said.get("type", "text/plain"))
    if said.get("mode"):
        answer.putheader("Lambda-Runtime-Function-Response-Mode", "streaming")
    answer.endheaders()
    for part in said["parts"]:
        if isinstance(part, str):
            part = {{"repeat": part, "times": 1}}
        if "wait" in part:
            while not os.path.exists(part["wait"]):
                time.sleep(0.005)
            continue
        content = part["repeat"].encode()
        for _ in range(part["times"]):
            answer.send(b"%x\\r\\n%b\\r\\n" % (len(content), content))
    if said.get("garbage"):
        answer.send(b"zz\\r\\n")
    if said.get("vanish"):
        answer.close()
        continue
    answer.send(b"0\\r\\n" + said.get("trailers", "").encode() + b"\\r\\n")
    answer.getresponse().read()
"""


@pytest.fixture(scope="module")
def streams() -> Iterator[Any]:
    with served(PlainBox.create, instances=8) as endpoint:
        lambda_ = client(endpoint)
        code = {"ZipFile": archive({"bootstrap": RUNTIME}, ("bootstrap",))}
        create(lambda_, "s", "", Runtime="provided.al2023", Handler="x", Code=code, MemorySize=512)
        made = lambda_.create_function_url_config(FunctionName="s", AuthType="NONE", InvokeMode="RESPONSE_STREAM")
        lambda_.url = urlsplit(made["FunctionUrl"])
        yield lambda_


def resident_mb() -> float:
    """Of this process, which has the server in a thread."""
    return int(Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0]) / 1024


def invoked(lambda_: Any, *parts: Any, **more: Any) -> Iterator[dict[str, Any]]:
    """The events of a streamed answer, each as it comes."""
    event = json.dumps({"parts": parts, **more})
    return iter(lambda_.invoke_with_response_stream(FunctionName="s", Payload=event, LogType="Tail")["EventStream"])


@contextlib.contextmanager
def fetched(lambda_: Any, *parts: Any, **more: Any) -> Iterator[http.client.HTTPResponse]:
    with contextlib.closing(http.client.HTTPConnection(lambda_.url.netloc, timeout=20)) as connection:
        connection.request("POST", "/", json.dumps({"parts": parts, **more}), {"Content-Type": "application/json"})
        with connection.getresponse() as answer:
            yield answer


@pytest.mark.parametrize("mode", [True, False], ids=["as Rust says it", "as Go says it"])
def test_a_part_arrives_before_the_next_one_is_made(streams, tmp_path, mode):
    seen = tmp_path / "seen"  # the function waits for it: a delivery at the end would be a time-out

    events = invoked(streams, "one", {"wait": str(seen)}, "two", mode=mode)
    first = next(events)
    seen.touch()
    *others, end = events

    assert first["PayloadChunk"]["Payload"] == b"one"
    assert b"".join(each["PayloadChunk"]["Payload"] for each in others) == b"two"
    assert "ErrorCode" not in end["InvokeComplete"]
    assert end["InvokeComplete"]["LogResult"]


def test_a_url_that_streams_sends_each_part_as_it_comes(streams, tmp_path):
    with fetched(streams, "one", {"wait": str(tmp_path / "seen")}, "two", type="text/x-parts") as answer:
        first = answer.read1()
        (tmp_path / "seen").touch()

        assert (answer.status, answer.getheader("Content-Type")) == (200, "text/x-parts")
        assert (first, answer.read()) == (b"one", b"two")


def test_a_client_of_http_1_0_gets_the_parts_until_the_connection_ends(streams):
    body = json.dumps({"parts": ["one", "two"]}).encode()
    head = b"POST / HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"

    said = talk(streams.url.port, head % len(body) + body)

    assert b"chunked" not in said
    assert said.endswith(b"\r\n\r\nonetwo")


def test_what_stands_before_the_body_says_status_headers_and_cookies(streams):
    prelude = {"statusCode": 418, "headers": {"X-Pot": "tea"}, "cookies": ["a=1", "b=2"]}
    parts = [json.dumps(prelude)[:20], json.dumps(prelude)[20:] + "\0\0\0", "\0\0\0\0\0bo", "dy"]

    with fetched(streams, *parts, type=WITH_PRELUDE) as answer:
        assert answer.status == 418
        assert answer.getheader("X-Pot") == "tea"
        assert answer.headers.get_all("Set-Cookie") == ["a=1", "b=2"]
        assert answer.getheader("Content-Type") == "application/octet-stream"
        assert answer.read() == b"body"


@pytest.mark.parametrize(
    "prelude",
    [
        '{"statusCode": "x"}',
        '{"headers": {"X-A: b\\r\\nX-C": "d"}}',
        '{"headers": {"X-A": "b\\r\\nX-C: d"}}',
        "[1]",
        "{",
        '{"statusCode": 99}',
        "x" * 70_000,
    ],
    ids=["status", "header's name", "header's value", "list", "no JSON", "no status", "without end"],
)
def test_a_prelude_that_is_none_is_a_bad_gateway(streams, prelude):
    delimiter = "" if len(prelude) > 60_000 else "\0" * 8

    with fetched(streams, prelude + delimiter, type=WITH_PRELUDE) as answer:
        assert (answer.status, answer.read()) == (502, b"Internal Server Error")


TRAILERS = (
    "Lambda-Runtime-Function-Error-Type: Stumbled\r\n"
    "Lambda-Runtime-Function-Error-Body: eyJlcnJvck1lc3NhZ2UiOiAibm8ifQ==\r\n"
)


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ({"trailers": TRAILERS}, '"no"'),
        ({"vanish": True}, "Runtime.TruncatedResponse"),
        ({"garbage": True, "vanish": True}, "Runtime.TruncatedResponse"),
    ],
    ids=["trailers", "the runtime breaks off", "it sends what is no HTTP"],
)
def test_a_failure_in_the_middle_is_told_behind_what_was_sent(streams, ending, words):
    *parts, end = invoked(streams, "one", **ending)

    assert b"".join(each["PayloadChunk"]["Payload"] for each in parts) == b"one"
    assert end["InvokeComplete"]["ErrorCode"] == "Unhandled"
    assert words in end["InvokeComplete"]["ErrorDetails"]
    with fetched(streams, "one", **ending) as broken, pytest.raises(http.client.IncompleteRead):
        broken.read()


def test_an_answer_may_be_larger_than_a_whole_one_and_is_not_kept_in_memory(streams):
    size = 40 * 2**20
    events = invoked(streams, {"repeat": "x" * 65536, "times": size // 65536})

    *parts, end = events

    assert sum(len(each["PayloadChunk"]["Payload"]) for each in parts) == size
    assert "ErrorCode" not in end["InvokeComplete"]


def test_a_caller_who_does_not_read_holds_the_function_up(streams, tmp_path):
    """What is under way is what sockets take: the function cannot fill the server's memory with its answer."""
    before = resident_mb()
    with fetched(streams, {"repeat": "x" * 2**20, "times": STREAM_BYTES // 2**20}) as answer:
        first = answer.read(2**20)
        # Another connection is served meanwhile.
        assert [each.get("PayloadChunk") for each in invoked(streams, "next")] == [{"Payload": b"next"}, None]
        time.sleep(0.5)
        grown = resident_mb() - before
    # It has hung up: the function goes on, and so does its instance.

    assert first == b"x" * 2**20
    assert grown < 50


@pytest.mark.more
def test_a_longer_stream_than_200_mb_is_an_error(streams):
    *_, end = invoked(streams, {"repeat": "x" * 2**20, "times": STREAM_BYTES // 2**20 + 1})

    assert "Function.ResponseSizeTooLarge" in end["InvokeComplete"]["ErrorDetails"]


def test_the_same_function_answers_invoke_whole(streams):
    answer = streams.invoke(FunctionName="s", Payload=json.dumps({"parts": ["one", "two"], "mode": True}))

    assert answer["Payload"].read() == b"onetwo"


def test_a_url_s_mode_is_kept_and_changed(streams):
    found = streams.get_function_url_config(FunctionName="s")
    changed = streams.update_function_url_config(FunctionName="s", InvokeMode="BUFFERED")
    again = streams.update_function_url_config(FunctionName="s", InvokeMode="RESPONSE_STREAM")

    assert [each["InvokeMode"] for each in (found, changed, again)] == [
        "RESPONSE_STREAM",
        "BUFFERED",
        "RESPONSE_STREAM",
    ]


@pytest.mark.more
@needs("Go")
def test_go_s_client_streams_a_reader(streams, tmp_path):
    code = {"ZipFile": archive({"bootstrap": bootstrap()}, ("bootstrap",))}
    create(streams, "go", "", Runtime="provided.al2023", Handler="x", Code=code)
    event = json.dumps({"name": "stream", "until": str(tmp_path / "seen")})

    events = iter(streams.invoke_with_response_stream(FunctionName="go", Payload=event)["EventStream"])
    first = next(events)
    (tmp_path / "seen").touch()
    *others, end = events

    assert first["PayloadChunk"]["Payload"] == b"one"
    assert b"".join(each["PayloadChunk"]["Payload"] for each in others) == b"two"
    assert "ErrorCode" not in end["InvokeComplete"]
