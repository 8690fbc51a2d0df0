"""Every way reads what is there, asks as often as it should, and takes no failure for an answer."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service import Server, served

WAYS = ["dictionary", "library", "sidecar", "sidecar_new", "direct", "direct_new"]


@pytest.fixture
def service() -> Iterator[Server]:
    with served() as server:
        yield server


@pytest.fixture
def load(service: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Loads a way afresh, as a new instance does."""
    for name, value in {
        "AWS_ENDPOINT_URL_SECRETS_MANAGER": service.address,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-east-1",
        "NO_PROXY": "*",
    }.items():
        monkeypatch.setenv(name, value)
    token = tmp_path / "token"
    token.write_text("token")

    def _load(way: str) -> Any:
        for name in [each for each in sys.modules if each.startswith("secrets_reader")]:
            del sys.modules[name]
        agent = importlib.import_module("secrets_reader.agent")
        monkeypatch.setattr(agent, "ADDRESS", f"{service.address}/secretsmanager/get")
        monkeypatch.setattr(agent, "_TOKEN", token)
        return importlib.import_module(f"secrets_reader.{way}")

    return _load


def event(*names: str, repeat: int = 1, settle: int = 0) -> dict[str, Any]:
    return {"names": list(names), "repeat": repeat, "settle": settle, "nonce": "n"}


def proof(*names: str) -> str:
    return hashlib.sha256(("n" + "".join(f"secret of {name}" for name in names)).encode()).hexdigest()


@pytest.mark.parametrize("way", WAYS)
def test_every_way_reads_what_is_there_and_never_says_it(way: str, load: Any) -> None:
    answer = load(way).lambda_handler(event("a", "b"), None)

    assert answer["proof"] == proof("a", "b")
    assert len(answer["times_ns"]) == 2
    assert min(answer["times_ns"]) > 0
    assert "secret of" not in str(answer)


@pytest.mark.parametrize(
    ("way", "asked", "connections"),
    [
        ("dictionary", ["GetSecretValue"], 1),
        ("library", ["DescribeSecret", "GetSecretValue"], 1),
        ("sidecar", ["sidecar"] * 3, 1),
        ("sidecar_new", ["sidecar"] * 3, 3),
        ("direct", ["GetSecretValue"] * 3, 1),
        ("direct_new", ["GetSecretValue"] * 3, 3),
    ],
)
def test_the_same_secret_again_is_asked_for_as_often_as_the_way_says(
    way: str, asked: list[str], connections: int, load: Any, service: Server
) -> None:
    load(way).lambda_handler(event("a", "a", "a"), None)

    assert service.asked == asked
    assert service.connections == connections


def test_readings_before_the_ones_that_count_are_made_and_not_told(load: Any, service: Server) -> None:
    answer = load("direct").lambda_handler(event("a", "b", "c", settle=2), None)

    assert (len(answer["times_ns"]), answer["proof"]) == (1, proof("c"))
    assert len(service.asked) == 3


def test_a_batch_is_one_time_for_all_its_readings(load: Any, service: Server) -> None:
    answer = load("direct").lambda_handler(event("a", repeat=5, settle=2), None)

    assert (len(answer["times_ns"]), answer["proof"]) == (1, proof("a"))
    assert len(service.asked) == 5 + 2 + 1  # what is proved is read once more


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("status", [400, 500])
def test_a_refusal_is_an_error_and_nothing_is_tried_twice(way: str, status: int, load: Any, service: Server) -> None:
    service.status = status

    with pytest.raises(Exception, match=f"{status}|Secret|Unknown"):
        load(way).lambda_handler(event("a"), None)

    assert len(service.asked) == 1


def test_a_sidecar_refuses_without_its_token(load: Any, service: Server) -> None:
    way = load("sidecar")
    way._SESSION.headers.clear()

    with pytest.raises(Exception, match="403"):
        way.lambda_handler(event("a"), None)
