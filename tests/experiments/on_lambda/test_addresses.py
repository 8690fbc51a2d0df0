"""A Lambda at an address is used as it is; what is none is told once, before anything is deployed there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sectax.experiments.on_lambda import AWS
from sectax.experiments.on_lambda.local_lambda import LocalLambda
from tests.experiments.on_lambda.functions import close_services, needs_sandbox, service
from tests.experiments.on_lambda.web import SilentHandler, web_server


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No credentials, and a proxy that must not be asked."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    yield
    close_services()


@contextmanager
def serving(status: int, body: bytes, **headers: str) -> Iterator[str]:
    """A web server that answers everything alike."""

    class Handler(SilentHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            for name, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(body)

    with web_server(Handler) as address:
        yield address


@needs_sandbox
def test_a_lambda_of_another_process_is_used_with_any_credentials_and_no_proxy():
    with LocalLambda() as other:
        functions = service(other.endpoint).client(10.0).list_functions()["Functions"]

    assert functions == []


ELSEWHERE = "http://203.0.113.9:4566"


@pytest.mark.parametrize(
    ("environment", "configured"),
    [
        ({"AWS_ENDPOINT_URL": ELSEWHERE, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "false"}, ""),
        ({"AWS_ENDPOINT_URL_LAMBDA": ELSEWHERE, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "false"}, ""),
        ({}, f"endpoint_url = {ELSEWHERE}\n"),
        ({}, f"services = mine\n[services mine]\nlambda =\n  endpoint_url = {ELSEWHERE}\n"),
        ({}, f"ignore_configured_endpoint_urls = false\nendpoint_url = {ELSEWHERE}\n"),
    ],
)
def test_what_is_configured_in_the_place_of_aws_is_not_asked(tmp_path, monkeypatch, environment, configured):
    (tmp_path / "config").write_text(f"[default]\n{configured}")
    settings = {"AWS_DEFAULT_REGION": "eu-central-1", "AWS_CONFIG_FILE": str(tmp_path / "config")}
    for name, value in (settings | environment).items():
        monkeypatch.setenv(name, value)

    assert service(AWS).client(10.0).meta.endpoint_url == "https://lambda.eu-central-1.amazonaws.com"


def test_the_environment_diverts_no_address_either(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", ELSEWHERE)
    with serving(200, b'{"Functions": []}', Content_Type="application/json") as address:
        assert service(address).client(10.0).meta.endpoint_url == address
