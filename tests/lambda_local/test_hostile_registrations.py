"""A function that registers extensions as an attacker would: the server's memory stays what it was."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest

from tests.lambda_local.archives import archive
from tests.lambda_local.canary import Canary, Memory, server_within
from tests.lambda_local.test_hostile_archives import Caller

# Names of 1.1 MB, each on a connection of its own or on one that stays; some are of the length that is allowed.
BOOTSTRAP = """
import http.client, os
host, number = os.environ["AWS_LAMBDA_RUNTIME_API"], int(os.environ["NUMBER"])
statuses, kept = {}, http.client.HTTPConnection(host)
for turn in range(number):
    connection = kept if turn % 2 else http.client.HTTPConnection(host)
    name = (str(turn) + "x" * 1_100_000)[: 100 if turn % 5 == 0 else None]
    headers = {"Lambda-Extension-Name": name}
    try:
        connection.request("POST", "/2020-01-01/extension/register", '{"events": ["INVOKE"]}', headers)
        answer = connection.getresponse()
        answer.read()
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
    except (OSError, http.client.HTTPException):
        kept.close()
        statuses[0] = statuses.get(0, 0) + 1
open(os.environ["DONE"], "w").write(repr(statuses))
os._exit(0)
"""


def hostile_registrations(folder: Path, number: int) -> Memory:
    """Have a function of a server in this folder register so many extensions. Returns what it kept of them."""
    done = folder / "done"
    code = archive({"bootstrap": f"#!{sys.executable} -IS\n{BOOTSTRAP}"}, ("bootstrap",))
    function = {
        "FunctionName": "f",
        "Runtime": "provided.al2023",
        "Handler": "h",
        "Role": "arn:aws:iam::000000000000:role/r",
        "Timeout": 900,
        "Environment": {"Variables": {"NUMBER": str(number), "DONE": str(done)}},
        "Code": {"ZipFile": base64.b64encode(code).decode()},
    }
    (folder / "canary").mkdir()
    canary = Canary(folder / "canary")
    with server_within(canary) as server:
        call = Caller(server.port, timeout=1000.0)
        assert call("POST", "/2015-03-31/functions", function)[0] == 201
        began_mb = server.resident_mb
        status, error = call("POST", "/2015-03-31/functions/f/invocations", {})
        assert call("DELETE", "/2015-03-31/functions/f", {})[0] == 204
        call.close()
        memory = Memory(began_mb, server.peak_mb, server.resident_mb)

    assert status == 200
    assert error["errorType"] in ("Runtime.ExitError", "Sandbox.Timedout")
    statuses = eval(done.read_text())  # noqa: S307 - the function's own
    assert statuses.get(200) == 10
    assert sum(statuses.values()) == number
    return memory


@pytest.mark.parametrize(
    "number", [60, pytest.param(300, marks=pytest.mark.more), pytest.param(10_000, marks=pytest.mark.full)]
)
def test_registrations_without_end_leave_no_memory_behind(tmp_path: Path, number: int) -> None:
    memory = hostile_registrations(tmp_path, number)

    assert memory.peak_mb < 200
    assert memory.grown_mb < 60
