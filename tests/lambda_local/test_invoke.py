"""What comes of an event: answers, errors in Lambda's words, logs, and instances that come and go."""

from __future__ import annotations

import platform
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.processes import eventually
from tests.lambda_local.serving import PYTHON, archive, client_of, create, invoke, provide

REPORT = re.compile(
    r"REPORT RequestId: (?P<id>[0-9a-f-]{36})\tDuration: (?P<ms>\d+\.\d\d) ms\tBilled Duration: (?P<billed>\d+) ms\t"
    r"Memory Size: (?P<size>\d+) MB\tMax Memory Used: (?P<used>\d+) MB\t(Init Duration: (?P<init>\d+\.\d\d) ms\t)?"
    r"(Status: (?P<status>\w+)\t)?(Error Type: (?P<type>[\w.]+)\t)?\n"
)
# Waits until a file is there, so that a test decides when the function ends.
WAITS = """
import os, time
def handler(event, context):
    open(event["here"], "w").close()
    while not os.path.exists(event["until"]):
        time.sleep(0.005)
    return os.getpid()
"""


def begin(lambda_: Any, name: str, folder: Path) -> tuple[threading.Thread, list[Any]]:
    """Call a new function of WAITS, which ends once `until` is in the folder: the caller, and what comes of it."""
    create(lambda_, name, WAITS)
    outcomes: list[Any] = []

    def call() -> None:
        try:
            outcomes.append(invoke(lambda_, name, waiting(folder)).error)
        except Exception as error:
            outcomes.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    assert eventually((folder / "here").exists)
    return caller, outcomes


def waiting(folder: Path) -> dict[str, str]:
    return {name: str(folder / name) for name in ("here", "until")}


def test_a_function_gets_its_event_and_its_context(lambda_):
    source = """
def handler(event, context):
    return [event, context.function_name, context.memory_limit_in_mb, context.invoked_function_arn,
            context.get_remaining_time_in_millis(), context.aws_request_id]
"""
    create(lambda_, "context", source, Timeout=9, MemorySize=512)

    answer = invoke(lambda_, "context", {"n": [1, "ü"]})

    event, name, memory, arn, left, request_id = answer.value
    assert (event, name, memory) == ({"n": [1, "ü"]}, "context", "512")
    assert arn == "arn:aws:lambda:us-east-1:000000000000:function:context"
    assert 8000 < left <= 9000
    assert request_id == answer.raw["ResponseMetadata"]["RequestId"]
    assert invoke(lambda_, "context").value[0] == {}  # no payload is an empty object


def test_the_log_is_between_platform_lines_and_the_measurement_in_a_header(lambda_):
    create(lambda_, "logs", "def handler(event, context):\n    print('one')\n    print('two', end='')\n")

    answer = invoke(lambda_, "logs")

    request_id = answer.raw["ResponseMetadata"]["RequestId"]
    init_start, *lines = answer.log.splitlines(keepends=True)
    assert init_start == f"INIT_START Runtime Version: python:{platform.python_version()}\n"
    assert lines[0] == f"START RequestId: {request_id} Version: $LATEST\n"
    assert lines[1:3] == ["one\n", "two\n"]
    assert lines[3] == f"END RequestId: {request_id}\n"
    report = REPORT.fullmatch(lines[4])
    assert report["id"] == request_id
    assert (report["size"], report["used"]) == ("256", "43")
    assert float(report["init"]) > 1
    assert int(report["billed"]) >= float(report["ms"]) + float(report["init"])
    assert f"{answer.measured['duration_s'] * 1e3:.2f}" == report["ms"]
    assert f"{answer.measured['init_s'] * 1e3:.2f}" == report["init"]
    assert answer.measured["cpu_time_s"] == 0.001  # the plain box counts so much each time that it is read
    assert answer.measured["throttled_periods"] == 0
    assert answer.measured["cpu_quota"] == pytest.approx(256 / 1769)
    assert answer.measured["memory_limit_bytes"] == 256 * 2**20


def test_the_environment_is_the_function_s_own_and_lambda_s(lambda_):
    source = "import os\ndef handler(event, context):\n    return dict(os.environ)\n"
    create(lambda_, "env", source, Environment={"Variables": {"COLOUR": "red"}})

    seen = invoke(lambda_, "env").value

    assert seen["COLOUR"] == "red"
    assert seen["AWS_LAMBDA_FUNCTION_NAME"] == "env"
    assert seen["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == "256"
    assert seen["AWS_EXECUTION_ENV"] == f"AWS_Lambda_{PYTHON}"
    assert seen["_HANDLER"] == "f.handler"
    assert "HOME" not in seen  # nothing of the machine's own


def test_an_exception_is_an_unhandled_error_with_its_stack(lambda_):
    create(lambda_, "raises", "def handler(event, context):\n    raise KeyError('x')\n")

    answer = invoke(lambda_, "raises")

    assert answer.error == "Unhandled"
    assert answer.value["errorType"] == "KeyError"
    assert answer.value["errorMessage"] == "'x'"
    assert "line 2, in handler" in answer.value["stackTrace"][0]
    assert "[ERROR] KeyError: 'x'\nTraceback" in answer.log
    assert invoke(lambda_, "raises").measured["instance"] == answer.measured["instance"]  # it lives on


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import nonesuch\n", "Runtime.ImportModuleError"),
        ("def handler(:\n", "Runtime.UserCodeSyntaxError"),
        ("x = 1\n", "Runtime.HandlerNotFound"),
        ("1 / 0\n", "ZeroDivisionError"),
    ],
)
def test_a_module_that_cannot_be_loaded_is_an_error_of_init(lambda_, source, kind):
    name = f"load-{kind.rpartition('.')[2]}"
    create(lambda_, name, source)

    answer = invoke(lambda_, name)

    assert answer.error == "Unhandled"
    assert answer.value["errorType"] == kind
    assert f"Status: error\tError Type: {kind}" in answer.log
    assert invoke(lambda_, name).measured["instance"] != answer.measured["instance"]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("os._exit(7)", "Runtime exited with error: exit status 7"),
        ("os._exit(0)", "Runtime exited without providing a reason"),
        ("os.kill(os.getpid(), 9)", "Runtime exited with error: signal: killed"),
        ("os.kill(os.getpid(), 11)", "Runtime exited with error: signal: segmentation fault"),
    ],
)
def test_a_runtime_that_ends_is_an_exit_error_and_the_next_call_a_cold_start(lambda_, statement, words):
    name = "exit-" + re.sub(r"\W", "", statement)
    create(lambda_, name, f"import os\ndef handler(event, context):\n    print('last words')\n    {statement}\n")

    answer, again = invoke(lambda_, name), invoke(lambda_, name)

    request_id = answer.raw["ResponseMetadata"]["RequestId"]
    assert answer.error == "Unhandled"
    assert answer.value == {"errorType": "Runtime.ExitError", "errorMessage": f"RequestId: {request_id} Error: {words}"}
    assert "last words" in answer.log
    assert answer.log.endswith(f"RequestId: {request_id} Error: {words}\nRuntime.ExitError\n")
    assert "Init Duration" in again.log


def test_a_runtime_that_ends_after_its_answer_fails_the_invocation_as_on_aws(lambda_):
    source = """
import os, threading
def handler(event, context):
    threading.Timer(0.05, os._exit, [1]).start()
    return 'done'
"""
    create(lambda_, "answers-first", source)

    first = invoke(lambda_, "answers-first")
    time.sleep(0.2)  # it asked for its next event before it ended: that is the next invocation's affair
    again = invoke(lambda_, "answers-first")

    assert (first.error, first.value) == (None, "done")
    assert "Init Duration" in again.log


def test_time_out_kills_the_instance(lambda_, tmp_path):
    create(lambda_, "slow", WAITS, Timeout=1)

    answer = invoke(lambda_, "slow", waiting(tmp_path))
    (tmp_path / "until").touch()
    again = invoke(lambda_, "slow", waiting(tmp_path))

    assert answer.error == "Unhandled"
    assert answer.value["errorType"] == "Sandbox.Timedout"
    assert answer.value["errorMessage"].endswith("Error: Task timed out after 1.00 seconds")
    report = REPORT.search(answer.log)
    assert report["status"] == "timeout"
    assert float(report["ms"]) >= 1000
    assert again.error is None
    assert again.measured["instance"] != answer.measured["instance"]


def test_an_init_phase_that_does_not_end_is_a_time_out(box):
    with client_of(box.create, init_s=0.2) as lambda_:
        create(lambda_, "late", "import time\ntime.sleep(60)\n", Timeout=1)

        answer = invoke(lambda_, "late")

    assert answer.value["errorType"] == "Sandbox.Timedout"
    assert answer.value["errorMessage"].endswith("Init timed out after 1.00 seconds")
    assert box.alive == 0


def test_an_event_that_is_too_large_is_refused_as_lambda_does(lambda_):
    create(lambda_, "large", "def handler(event, context):\n    return len(event)\n")

    fits = invoke(lambda_, "large", "x" * (6 * 2**20 - 2))
    with pytest.raises(lambda_.exceptions.ClientError, match="smaller than 6291456 bytes") as refused:
        invoke(lambda_, "large", "x" * (6 * 2**20 - 1))

    assert fits.value == 6 * 2**20 - 2
    assert refused.value.response["Error"]["Code"] == "RequestEntityTooLargeException"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 413


def test_an_answer_that_is_too_large_is_the_function_s_error(lambda_):
    create(lambda_, "large-answer", "def handler(event, context):\n    return 'x' * event\n")

    fits = invoke(lambda_, "large-answer", 6 * 2**20 - 2)
    answer, much = invoke(lambda_, "large-answer", 6 * 2**20), invoke(lambda_, "large-answer", 20 * 2**20)

    assert len(fits.text) == 6 * 2**20
    assert answer.error == "Unhandled"
    assert answer.value["errorType"] == much.value["errorType"] == "Function.ResponseSizeTooLarge"


def test_two_events_at_once_take_two_instances_and_one_after_the_other_take_one(box, tmp_path):
    with client_of(box.create) as lambda_:
        create(lambda_, "parallel", WAITS)
        events = [{"here": str(tmp_path / own), "until": str(tmp_path / other)} for own, other in ("ab", "ba")]
        with ThreadPoolExecutor(2) as threads:  # each ends only when the other has begun
            at_once = list(threads.map(lambda event: invoke(lambda_, "parallel", event), events))
        in_turn = [invoke(lambda_, "parallel", events[0]) for _ in range(5)]

    assert len({answer.value for answer in at_once}) == 2
    assert len({answer.value for answer in in_turn}) == 1
    assert {answer.value for answer in in_turn} < {answer.value for answer in at_once}


@pytest.mark.more
def test_no_more_instances_than_allowed(box, tmp_path):
    with client_of(box.create, instances=1) as lambda_:
        caller, first = begin(lambda_, "only", tmp_path)

        with pytest.raises(lambda_.exceptions.TooManyRequestsException, match="Rate Exceeded") as refused:
            invoke(lambda_, "only", waiting(tmp_path))
        assert refused.value.response["ResponseMetadata"]["HTTPHeaders"]["retry-after"] == "1"
        (tmp_path / "until").touch()
        caller.join()
        # A free instance makes room for another function's.
        create(lambda_, "other", "def handler(event, context):\n    return 1\n")
        other = invoke(lambda_, "other")

    assert first == [None]
    assert other.value == 1
    assert box.alive == 0


def test_an_instance_that_ends_takes_room_until_it_is_gone(box):
    class Slow(box):  # type: ignore[misc]
        most = 0

        @classmethod
        def create(cls, *arguments: object, **more: object) -> object:
            made = super().create(*arguments, **more)
            Slow.most = max(Slow.most, cls.alive)
            return made

        def destroy(self) -> None:
            time.sleep(0.1)
            super().destroy()

    with client_of(Slow.create, instances=2) as lambda_:
        for number in range(5):
            create(lambda_, f"passing-{number}", "def handler(event, context):\n    return 1\n")
            assert invoke(lambda_, f"passing-{number}").value == 1

    assert Slow.most <= 2


_BUSY_AFTER = """
import http.client, os, time
host = os.environ["AWS_LAMBDA_RUNTIME_API"]
api = "/2018-06-01/runtime/invocation/"
connection = http.client.HTTPConnection(host)
while True:
    connection.request("GET", api + "next")
    asked = connection.getresponse()
    seconds = float(asked.read())
    connection.request("POST", api + asked.headers["Lambda-Runtime-Aws-Request-Id"] + "/response", b"1")
    connection.getresponse().read()
    time.sleep(seconds)
"""


def test_work_after_the_answer_is_in_the_duration_and_reported_separately(lambda_):
    provide(lambda_, "after", {"bootstrap": f"#!{sys.executable} -IS\n{_BUSY_AFTER}"}, Timeout=1)

    first, warm, late = (invoke(lambda_, "after", seconds) for seconds in (0, 0.2, 3))

    report = REPORT.search(warm.log)
    assert first.value == warm.value == 1
    assert warm.measured["duration_s"] > warm.measured["after_answer_s"] >= 0.2
    assert warm.measured["billed_ms"] == int(report["billed"]) >= 200
    assert 0 < first.measured["after_answer_s"] < first.measured["duration_s"]
    assert late.value["errorMessage"].endswith("Task timed out after 1.00 seconds")


def test_a_flood_of_lines_costs_the_server_little_and_its_end_is_kept(lambda_):
    source = """
import os
def handler(event, context):
    for _ in range(event["writes"]):
        os.write(1, b"\\n" * event["lines"])
    print("the end")
"""
    create(lambda_, "flood-of-lines", source)
    invoke(lambda_, "flood-of-lines", {"writes": 1, "lines": 1})
    for writes, lines in ((300, 60_000), (20_000, 1)):
        before = time.process_time()
        answer = invoke(lambda_, "flood-of-lines", {"writes": writes, "lines": lines})

        assert "the end\nEND RequestId" in answer.log
        assert len(answer.log) == 4096
        assert time.process_time() - before < 0.5  # the server is a thread of this process


@pytest.mark.parametrize("what", ["configuration", "code"])
def test_an_update_retires_the_instances_of_before(box, what):
    source = "import os\ndef handler(event, context):\n    return [os.environ.get('COLOUR'), os.getpid()]\n"
    with client_of(box.create) as lambda_:
        create(lambda_, "changed", source, Environment={"Variables": {"COLOUR": "red"}})
        before = invoke(lambda_, "changed")

        if what == "code":
            new = source.replace("os.environ.get('COLOUR')", "'blue'")
            lambda_.update_function_code(FunctionName="changed", ZipFile=archive({"f.py": new}))
        else:
            colours = {"Variables": {"COLOUR": "blue"}}
            lambda_.update_function_configuration(FunctionName="changed", Environment=colours, MemorySize=512)
        gone = eventually(lambda: box.alive == 0)
        after = invoke(lambda_, "changed")

    assert gone
    assert (before.value[0], after.value[0]) == ("red", "blue")
    assert "Init Duration" in after.log


def test_a_busy_instance_of_before_ends_after_its_event(box, tmp_path):
    with client_of(box.create) as lambda_:
        caller, outcomes = begin(lambda_, "busy", tmp_path)
        lambda_.delete_function(FunctionName="busy")
        (tmp_path / "until").touch()
        caller.join()

        assert outcomes == [None]
        assert eventually(lambda: box.alive == 0)


def test_unused_instances_are_stopped(box):
    with client_of(box.create, idle_s=0.1) as lambda_:
        create(lambda_, "idle", "def handler(event, context):\n    return 1\n")
        invoke(lambda_, "idle")

        assert eventually(lambda: box.alive == 0)
        assert "Init Duration" in invoke(lambda_, "idle").log


def test_nothing_is_left_when_the_service_stops_in_the_middle(box, tmp_path):
    with client_of(box.create) as lambda_:
        caller, outcomes = begin(lambda_, "middle", tmp_path)

    caller.join()
    assert isinstance(outcomes[0], Exception)
    assert box.alive == 0
