"""The AWS CLI's own calls for every action that is here, as users type them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lambda_local.serving import PYTHON, ROLE, archive
from tests.needs import needs

pytestmark = [
    pytest.mark.full,  # each call starts a Python and loads botocore
    needs("the AWS CLI"),
]


@pytest.fixture
def aws(lambda_: Any, tmp_path: Path) -> Callable[[str], Any]:
    """Runs one action; what it prints, as JSON."""
    (tmp_path / "f.zip").write_bytes(archive({"f.py": "def handler(event, context):\n    return event.get('a')\n"}))
    (tmp_path / "event.json").write_text('{"a": 1}')
    environment = os.environ | {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_PAGER": ""}
    environment.pop("AWS_PROFILE", None)

    def run(words: str) -> Any:
        base = ["aws", "--endpoint-url", str(lambda_.meta.endpoint_url), "--region", "us-east-1", "lambda"]
        done = subprocess.run(
            [*base, *words.split()], capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout else None

    return run


def test_every_action_is_answered(aws, tmp_path):
    f = "--function-name cli-all"
    arn = "arn:aws:lambda:us-east-1:000000000000:function:cli-all"
    aws(f"create-function {f} --runtime {PYTHON} --handler f.handler --role {ROLE} --zip-file fileb://f.zip --tags a=b")
    layer = aws("publish-layer-version --layer-name cli --zip-file fileb://f.zip")["LayerVersionArn"]
    aws(f"update-function-configuration {f} --memory-size 256 --layers {layer}")
    aws(f"update-function-code {f} --zip-file fileb://f.zip")
    assert aws(f"publish-version {f}")["Version"] == "1"
    aws(f"create-alias {f} --name live --function-version 1")
    aws(f"update-alias {f} --name live --description d")
    assert aws(f"get-alias {f} --name live")["Description"] == "d"
    assert len(aws(f"list-aliases {f}")["Aliases"]) == 1
    assert len(aws(f"list-versions-by-function {f}")["Versions"]) == 2
    assert aws(f"get-function {f} --qualifier live")["Configuration"]["Version"] == "1"
    assert aws(f"get-function-configuration {f}")["MemorySize"] == 256
    assert aws("list-functions")["Functions"]
    assert aws(f"invoke {f} --qualifier live --payload fileb://event.json out.json")["ExecutedVersion"] == "1"
    assert (tmp_path / "out.json").read_text() == "1"
    assert aws(f"invoke {f} --invocation-type Event --payload fileb://event.json out.json")["StatusCode"] == 202
    aws(f"put-function-concurrency {f} --reserved-concurrent-executions 2")
    assert aws(f"get-function-concurrency {f}")["ReservedConcurrentExecutions"] == 2
    aws(f"delete-function-concurrency {f}")
    aws(f"put-function-event-invoke-config {f} --maximum-retry-attempts 1")
    aws(f"update-function-event-invoke-config {f} --maximum-event-age-in-seconds 60")
    assert aws(f"get-function-event-invoke-config {f}")["MaximumRetryAttempts"] == 1
    assert aws(f"list-function-event-invoke-configs {f}")["FunctionEventInvokeConfigs"]
    aws(f"delete-function-event-invoke-config {f}")
    aws(f"create-function-url-config {f} --auth-type NONE")
    aws(f"update-function-url-config {f} --auth-type AWS_IAM")
    assert aws(f"get-function-url-config {f}")["AuthType"] == "AWS_IAM"
    assert aws(f"list-function-url-configs {f}")["FunctionUrlConfigs"]
    aws(f"delete-function-url-config {f}")
    aws(f"tag-resource --resource {arn} --tags c=d")
    aws(f"untag-resource --resource {arn} --tag-keys a")
    assert aws(f"list-tags --resource {arn}")["Tags"] == {"c": "d"}
    assert aws("list-layers")["Layers"]
    assert aws("list-layer-versions --layer-name cli")["LayerVersions"]
    assert aws("get-layer-version --layer-name cli --version-number 1")["Version"] == 1
    assert aws(f"get-layer-version-by-arn --arn {layer}")["Version"] == 1
    aws("delete-layer-version --layer-name cli --version-number 1")
    assert aws("get-account-settings")["AccountUsage"]["FunctionCount"] >= 1
    aws(f"delete-alias {f} --name live")
    aws(f"delete-function {f} --qualifier 1")
    aws(f"delete-function {f}")
