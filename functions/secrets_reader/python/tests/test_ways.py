"""Every way reads what is there, asks as often as it should, and takes no failure for an answer."""

from __future__ import annotations

import hashlib
import importlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from secrets_reader.parts import PARTS, Parts
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
        monkeypatch.setattr(agent, "_READY", tmp_path / "ready")
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


@pytest.mark.parametrize("way", WAYS)
def test_an_answer_without_a_secret_is_an_error_that_says_so(way: str, load: Any, service: Server) -> None:
    service.lacks = True

    with pytest.raises(Exception, match="holds no secret"):
        load(way).lambda_handler(event("a"), None)


def test_a_sidecar_refuses_without_its_token(load: Any, service: Server) -> None:
    way = load("sidecar")
    way._SESSION.headers.clear()

    with pytest.raises(Exception, match="403"):
        way.lambda_handler(event("a"), None)


@pytest.mark.parametrize("way", WAYS)
def test_the_parts_of_a_call_are_told_and_lie_within_it(way: str, load: Any) -> None:
    answer = load(way).lambda_handler(event("a", "b", settle=1), None)

    parts = answer["parts_ns"]
    assert {"request_ns", "backend_ns"} <= parts.keys() <= {f"{part}_ns" for part in PARTS}
    # One that is kept was opened for the first reading, which is not told.
    assert ("connect_ns" in parts) == way.endswith("_new")
    assert 0 < sum(parts.values()) <= sum(answer["times_ns"])


def test_what_happens_inside_a_part_is_not_counted_twice() -> None:
    parts = Parts()
    inner = parts.timed("connect", lambda: time.sleep(0.02))

    def outer() -> None:
        time.sleep(0.01)
        inner()

    parts.timed("request", outer)()

    taken = parts.take()
    assert taken["connect_ns"] >= 20e6
    assert taken["request_ns"] >= 10e6
    assert parts.take() == {}


@pytest.mark.parametrize("way", ["dictionary", "library"])
def test_a_ttl_that_is_over_asks_once_more(
    way: str, load: Any, service: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRETS_TTL", "1")
    handle = load(way).lambda_handler
    handle(event("a"), None)
    first = list(service.asked)
    time.sleep(1.05)
    handle(event("a"), None)

    # The library asks which version is the current one, and has that.
    assert service.asked[len(first) :] == ["DescribeSecret" if way == "library" else "GetSecretValue"]


def test_a_jump_of_the_time_of_day_changes_no_time_and_empties_no_dictionary(
    load: Any, service: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRETS_TTL", "300")
    handle = load("dictionary").lambda_handler
    handle(event("a"), None)
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 86_400)
    answer = handle(event("a"), None)

    assert 0 < answer["times_ns"][0] < 1e9
    assert service.asked == ["GetSecretValue"]


@pytest.mark.parametrize("way", ["sidecar", "sidecar_new"])
def test_what_the_sidecar_took_to_be_ready_is_told_where_it_says_so(way: str, load: Any, tmp_path: Path) -> None:
    assert "sidecar_init_ns" not in load(way).lambda_handler(event("a"), None)
    (tmp_path / "ready").write_text("123000\n")

    assert load(way).lambda_handler(event("a"), None)["sidecar_init_ns"] == 123000


def test_without_a_token_of_its_own_the_sidecar_is_shown_that_of_the_session(
    load: Any, service: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    (tmp_path / "token").unlink()

    assert load("sidecar").lambda_handler(event("a"), None)["proof"] == proof("a")
