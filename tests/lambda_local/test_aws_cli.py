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
    aws(f"create-function {f} --runtime {PYTHON} --handler f.handler --role {ROLE} --zip-file fileb://f.zip")
    layer = aws("publish-layer-version --layer-name cli --description its --zip-file fileb://f.zip")
    assert (layer["Version"], layer["Description"]) == (1, "its")
    aws(f"update-function-configuration {f} --memory-size 256 --layers {layer['LayerVersionArn']}")
    aws(f"update-function-code {f} --zip-file fileb://f.zip")
    assert aws(f"get-function {f}")["Configuration"]["Version"] == "$LATEST"
    assert aws(f"get-function-configuration {f}")["MemorySize"] == 256
    assert aws("list-functions")["Functions"]
    assert aws(f"invoke {f} --payload fileb://event.json out.json")["ExecutedVersion"] == "$LATEST"
    assert (tmp_path / "out.json").read_text() == "1"
    aws("delete-layer-version --layer-name cli --version-number 1")
    aws(f"delete-function {f}")
