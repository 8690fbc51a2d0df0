"""AWS Secrets Manager as it would be used, against moto: what a run makes there, it deletes, whatever ends it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sectax.experiments.secrets.backend import Backend
from sectax.experiments.secrets.secret_store import RealService, SecretNotCreated
from tests.experiments.secrets.client import client as client_of
from tests.needs import needs

pytestmark = [needs("moto"), pytest.mark.more]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with Backend([], uncached=0) as backend:
        yield client_of(backend, tmp_path_factory.mktemp("trust") / "ca.pem")


def names(client: Any) -> list[str]:
    return [item["Name"] for item in client.list_secrets(MaxResults=100)["SecretList"]]


def test_secrets_are_there_inside_it_and_gone_for_good_after_it(client: Any) -> None:
    with RealService(client, [32, 4096], uncached=2, expiring=1) as store:
        for secret in (store.cached(32), store.uncached(4096, 1), store.expiring(32, 0)):
            assert client.get_secret_value(SecretId=secret.name)["SecretString"] == secret.value
        assert len(names(client)) == 2 * (1 + 2 + 1)
        assert {len(store.cached(size).value) for size in (32, 4096)} == {32, 4096}
        assert store.calls() is None

    assert names(client) == []
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        client.get_secret_value(SecretId=store.cached(32).name)


def test_what_was_made_is_deleted_where_the_rest_is_refused_and_where_the_run_fails(client: Any) -> None:
    taken = RealService(client, [32], uncached=3, expiring=0)
    client.create_secret(Name=taken.uncached(32, 2).name, SecretString="somebody else's")
    with pytest.raises(SecretNotCreated) as refused, taken:
        pass

    assert "CreateSecret" in refused.value.hint
    assert taken.cached(32).value not in str(refused.value)
    assert names(client) == [taken.uncached(32, 2).name]
    with pytest.raises(ZeroDivisionError), RealService(client, [32], uncached=1, expiring=0):
        raise ZeroDivisionError
    assert names(client) == [taken.uncached(32, 2).name]
