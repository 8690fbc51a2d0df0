"""AWS's own clients for Node, Go and Rust, and a shell's worth of mistakes in programs that functions bring."""

from __future__ import annotations

import pytest

from lambda_local.runtimes import node
from tests.lambda_local.builds import go_bootstrap
from tests.lambda_local.serving import archive, create, invoke, provide
from tests.needs import SANDBOX, needs

HELLO_JS = """
const fs = require("fs");
exports.handler = async (event, context) => {
  if (!event.name) throw new RangeError("nobody to greet");
  console.log(`greeting ${event.name}`);
  return {greeting: `hello ${event.name}`, id: context.awsRequestId, env: process.env.AWS_EXECUTION_ENV,
          programs: fs.readdirSync("/var/lang/bin"), mounts: fs.readFileSync("/proc/self/mountinfo", "utf8")};
};
"""


@pytest.mark.more
@needs("the runtime of Node", *SANDBOX)
def test_a_node_function_runs_under_aws_s_own_client(real):
    runtime = node.here()
    create(real, "js", "", Runtime=runtime, Handler="index.handler", Code={"ZipFile": archive({"index.js": HELLO_JS})})

    answers = [invoke(real, "js", {"name": name}) for name in ("ann", "bob")]
    error = invoke(real, "js", {})

    assert [answer.value["greeting"] for answer in answers] == ["hello ann", "hello bob"]
    first = answers[0].value
    assert first["id"] == answers[0].measured["request_id"]
    assert first["env"] == f"AWS_Lambda_{runtime}"
    assert first["programs"] == ["node"]
    assert "lambda-local" not in first["mounts"]
    assert "greeting ann" in answers[0].log
    assert answers[0].measured["instance"] == answers[1].measured["instance"]
    assert error.error == "Unhandled"
    assert (error.value["errorType"], error.value["errorMessage"]) == ("RangeError", "nobody to greet")


@pytest.mark.more
@needs("Go")
def test_a_go_function_runs_under_aws_s_own_client(lambda_):
    provide(lambda_, "go", {"bootstrap": go_bootstrap()})

    answers = [invoke(lambda_, "go", {"name": name}) for name in ("ann", "bob")]

    assert [answer.value["greeting"] for answer in answers] == ["hello ann", "hello bob"]
    assert answers[0].value["function"] == "go"
    assert answers[0].value["id"] == answers[0].measured["request_id"]
    assert "greeting ann\n" in answers[0].log
    assert answers[0].measured["instance"] == answers[1].measured["instance"]


@needs("Go")
def test_errors_and_panics_of_go_are_unhandled_errors(lambda_):
    provide(lambda_, "go-errors", {"bootstrap": go_bootstrap()})

    error, panic = invoke(lambda_, "go-errors", {"name": ""}), invoke(lambda_, "go-errors", {"name": "panic"})

    assert error.error == panic.error == "Unhandled"
    assert error.value == {"errorMessage": "nobody to greet", "errorType": "errorString"}
    assert panic.value["errorMessage"] == "asked to"
    assert panic.value["stackTrace"]


@pytest.mark.parametrize(
    ("files", "executable", "words"),
    [
        ({"readme": "x"}, (), "Couldn't find valid bootstrap(s): [/var/task/bootstrap /opt/bootstrap]"),
        ({"bootstrap": "#!/bin/sh\n"}, (), "ermission denied"),
        ({"bootstrap": "#!/nonesuch\n"}, ("bootstrap",), "No such file"),
    ],
    ids=["none", "not executable", "no interpreter"],
)
def test_a_bootstrap_that_cannot_be_started_is_an_invalid_entrypoint(lambda_, files, executable, words, request):
    name = request.node.callspec.id.replace(" ", "-")
    provide(lambda_, name, files, executable)

    answer = invoke(lambda_, name)

    assert answer.error == "Unhandled"
    assert answer.value["errorType"] == "Runtime.InvalidEntrypoint"
    assert words in answer.value["errorMessage"]
