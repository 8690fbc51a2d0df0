"""Node under AWS's own runtime client, and Rust under AWS's library, in real sandboxes, by boto3."""

from __future__ import annotations

import pytest

from lambda_local.runtimes import node
from tests.lambda_local.builds import rust_bootstrap
from tests.lambda_local.serving import archive, create, invoke, provide
from tests.needs import SANDBOX, needs

pytestmark = needs(*SANDBOX)

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
@needs("the runtime of Node")
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


@pytest.mark.full
@needs("cargo")
def test_a_rust_function_runs_under_aws_s_own_library(real):
    provide(real, "rust", {"bootstrap": rust_bootstrap()})

    answer, error = invoke(real, "rust", {"name": "ann"}), invoke(real, "rust", {})

    assert answer.value == {"greeting": "hello ann", "id": answer.measured["request_id"]}
    assert error.error == "Unhandled"
    assert error.value["errorMessage"] == "nobody to greet"
