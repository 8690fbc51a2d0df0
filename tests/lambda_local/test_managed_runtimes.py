"""Node and Java under AWS's own runtime clients, in real sandboxes, by boto3."""

from __future__ import annotations

import io
import subprocess
import zipfile
from pathlib import Path

import pytest

from lambda_local.runtimes import java, node
from tests.lambda_local.builds import rust_bootstrap
from tests.lambda_local.serving import archive, create, invoke
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
HELLO_JAVA = """
import com.amazonaws.services.lambda.runtime.*;
import java.lang.management.ManagementFactory;
import java.util.Map;

public class Hello implements RequestHandler<Map<String, String>, Map<String, String>> {
    public Map<String, String> handleRequest(Map<String, String> event, Context context) {
        if (!event.containsKey("name")) throw new IllegalArgumentException("nobody to greet");
        context.getLogger().log("greeting " + event.get("name"));
        String collectors = "";
        for (var collector : ManagementFactory.getGarbageCollectorMXBeans()) collectors += collector.getName();
        return Map.of("greeting", "hello " + event.get("name"), "id", context.getAwsRequestId(),
            "heap", String.valueOf(Runtime.getRuntime().maxMemory() >> 20), "collectors", collectors);
    }
}
"""


def hello_java(folder: Path) -> bytes:
    """The zip of the function above, compiled."""
    (folder / "Hello.java").write_text(HELLO_JAVA)
    core = java.find(str(java.here())).source("/var/runtime") / "aws-lambda-java-core-1.2.3.jar"
    subprocess.run(["javac", "-cp", core, "-d", folder, "Hello.java"], cwd=folder, check=True)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        out.write(folder / "Hello.class", "Hello.class")
    return packed.getvalue()


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


@pytest.mark.more
@needs("the runtime of Java", "javac")
def test_a_java_function_runs_under_aws_s_own_client(real, tmp_path):
    runtime = java.here()
    code = {"ZipFile": hello_java(tmp_path)}
    create(real, "java", "", Runtime=runtime, Handler="Hello::handleRequest", Code=code, MemorySize=512, Timeout=60)

    answers = [invoke(real, "java", {"name": name}) for name in ("ann", "bob")]
    error = invoke(real, "java", {})

    assert [answer.value["greeting"] for answer in answers] == ["hello ann", "hello bob"]
    assert answers[0].value["id"] == answers[0].measured["request_id"]
    assert answers[0].value["collectors"] == "CopyMarkSweepCompact"  # the serial one
    # 85 % of the memory, of which the JVM does not count one part of its young generation
    assert 0.8 * 512 < int(answers[0].value["heap"]) < 0.86 * 512
    assert "greeting ann" in answers[0].log
    assert answers[0].measured["instance"] == answers[1].measured["instance"]
    assert error.error == "Unhandled"
    assert error.value["errorType"] == "java.lang.IllegalArgumentException"


@pytest.mark.full
@needs("cargo")
def test_a_rust_function_runs_under_aws_s_own_library(real):
    files = {"bootstrap": rust_bootstrap()}
    code = {"ZipFile": archive(files, ("bootstrap",))}
    create(real, "rust", "", Runtime="provided.al2023", Handler="bootstrap", Code=code)

    answer, error = invoke(real, "rust", {"name": "ann"}), invoke(real, "rust", {})

    assert answer.value == {"greeting": "hello ann", "id": answer.measured["request_id"]}
    assert error.error == "Unhandled"
    assert error.value["errorMessage"] == "nobody to greet"
