"""Powertools for AWS Lambda (Python), from the package index: its import is much work for the share of 128 MB."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.lambda_local.serving import PYTHON, LocalLambda, create, invoke, measured
from tests.needs import SANDBOX, needs

pytestmark = needs(*SANDBOX)

LOCK = Path(__file__).with_name("powertools.lock")
SOURCE = """
from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.event_handler import APIGatewayRestResolver
logger, metrics, tracer = Logger(service="test"), Metrics(namespace="test"), Tracer(disabled=True)
app = APIGatewayRestResolver()
@app.get("/hello")
def hello():
    logger.info("asked")
    return {"hello": "world"}
@logger.inject_lambda_context
def handler(event, context):
    return app.resolve(event, context)
"""
EVENT = {"path": "/hello", "httpMethod": "GET", "headers": {}, "requestContext": {"path": "/hello", "stage": "x"}}


def packed(folder: Path) -> bytes:
    """The zip of the function and what it needs."""
    uv = Path(sys.executable).with_name("uv")
    install = [str(uv), "pip", "install", "--quiet", "--python", PYTHON, "--require-hashes", "--target", str(folder)]
    subprocess.run([*install, "--requirement", str(LOCK)], check=True)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("f.py", SOURCE)
        for path in folder.rglob("*"):
            out.write(path, path.relative_to(folder))
    return content.getvalue()


@pytest.mark.full
def test_powertools_starts_at_128_mb_within_the_default_timeout(tmp_path):
    code = {"ZipFile": packed(tmp_path)}
    with LocalLambda() as local:
        client = local.client()
        create(client, "tools", "", Code=code, MemorySize=128, Timeout=3)
        first, second = invoke(client, "tools", EVENT), invoke(client, "tools", EVENT)

    assert (first.error, second.error) == (None, None), first.text
    assert first.value["statusCode"] == 200
    assert '"message":"asked"' in first.log.replace(": ", ":")
    assert measured(first.raw).init_s is not None  # within the init phase, and not a second time in the invocation
    assert measured(second.raw).init_s is None
    assert measured(second.raw).instance == measured(first.raw).instance
