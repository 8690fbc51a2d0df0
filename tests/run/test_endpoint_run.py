"""Runs whose functions are deployed on a Lambda that another process serves."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from tests.experiments.on_lambda.functions import needs_sandbox
from tests.program import PROGRAM, sectax

FAST = "import time\ndef lambda_handler(event, context):\n    time.sleep(0.005)\n    return 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lambda_function.py").write_text(FAST)
    return tmp_path


@pytest.fixture
def address() -> Iterator[str]:
    """`sectax lambda serve` in a process of its own."""
    with subprocess.Popen(
        [*PROGRAM, "lambda", "serve", "--port", "0"],
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            found = re.search(r"http://\S+", server.stdout.readline())
            yield found[0]
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)


def function(*more: str) -> list[str]:
    return ["run", "function", "--baseline", "a", "--treatment", "b=b", "--level", "memory=1769", *more]


HMAC = ["run", "hmac", "--quick", "--level", "payload=10KiB", "--level", "authentication=none,hmac-sha512"]


@pytest.mark.more
@needs_sandbox
@pytest.mark.parametrize("words", [function(), HMAC], ids=["function", "hmac"])
def test_functions_are_deployed_there_measured_and_deleted(folder, address, words):
    result = sectax(*words, "--blocks", "6", "--endpoint", address, "--json", "--out", "r.sectax", folder=folder)

    document = json.loads(result.out)
    assert result.status == 0, result.err
    (primary,) = (finding for finding in document["findings"] if finding["standing"] == "primary")
    assert primary["verdict"]["id"] != "not-measured"
    own = {"aws_access_key_id": "local", "aws_secret_access_key": "local", "region_name": "us-east-1"}
    assert boto3.client("lambda", endpoint_url=address, **own).list_functions()["Functions"] == []
