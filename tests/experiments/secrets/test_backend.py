"""The stand-in for Secrets Manager: keeps what it says, counts what it is asked, and ends with whoever started it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from botocore.exceptions import ClientError, SSLError

from sectax.experiments.secrets.backend import Backend
from tests.experiments.secrets.client import client
from tests.fakes import faulty_stand_in
from tests.fakes.faulty_stand_in import fail
from tests.needs import needs

pytestmark = [needs("moto"), pytest.mark.more]


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Iterator[Backend]:
    monkeypatch.setattr("sectax.experiments.secrets.backend._SERVER", faulty_stand_in.__file__)
    with Backend([32, 4096], uncached=3) as started:
        yield started


def test_secrets_have_the_value_and_size_that_they_are_said_to_have(backend: Backend, tmp_path: Path) -> None:
    caller = client(backend, tmp_path / "ca.pem")

    for secret in (backend.cached(32), backend.uncached(32, 2), backend.cached(4096)):
        assert caller.get_secret_value(SecretId=secret.name)["SecretString"] == secret.value
    assert (len(backend.cached(32).value), len(backend.cached(4096).value)) == (32, 4096)


def test_calls_and_connections_are_counted_and_a_rare_secret_ends_its_connection(
    backend: Backend, tmp_path: Path
) -> None:
    caller = client(backend, tmp_path / "ca.pem")
    before = backend.calls().connections
    for _ in range(3):
        caller.get_secret_value(SecretId=backend.cached(32).name)
    assert (backend.calls().get, backend.calls().connections - before) == (3, 1)

    caller.get_secret_value(SecretId=backend.uncached(32, 0).name)
    caller.describe_secret(SecretId=backend.uncached(32, 0).name)
    calls = backend.calls()
    assert (calls.get, calls.describe, calls.refused, calls.connections - before) == (4, 1, 0, 2)


def test_who_does_not_trust_its_certificate_gets_nothing(backend: Backend) -> None:
    with pytest.raises(SSLError):
        client(backend, None).get_secret_value(SecretId=backend.cached(32).name)

    assert backend.calls().all == 0


def test_a_fault_holds_for_as_many_answers_as_asked(backend: Backend, tmp_path: Path) -> None:
    caller = client(backend, tmp_path / "ca.pem")
    fail(backend, "close", 1)
    # botocore takes half an answer for one: whoever asks must look whether there is a secret in it.
    assert "SecretString" not in caller.get_secret_value(SecretId=backend.cached(32).name)
    fail(backend, "denied", 1)
    with pytest.raises(ClientError, match="AccessDenied"):
        caller.get_secret_value(SecretId=backend.cached(32).name)

    assert caller.get_secret_value(SecretId=backend.cached(32).name)["SecretString"] == backend.cached(32).value


def test_a_longer_way_is_paid_by_a_new_connection_and_by_every_call(tmp_path: Path) -> None:
    with Backend([32], uncached=1, delay_s=0.1) as backend:
        caller = client(backend, tmp_path / "ca.pem")
        took = []
        for _ in range(2):
            began = time.monotonic()
            caller.get_secret_value(SecretId=backend.cached(32).name)
            took.append(time.monotonic() - began)

        assert backend.round_trip_s >= 0.1
        assert backend.calls().get == 2
    assert took[0] >= 0.3
    assert took[1] >= 0.1
