"""Each client in turn, and a server for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sectax.experiments.s3.local_server import LocalServer
from tests.experiments.s3.servers import running
from tests.needs import needs


@pytest.fixture(params=["python", pytest.param("go", marks=needs("the S3 client in Go"))])
def client(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    with running(tmp_path_factory.mktemp("plain")) as server:
        yield server


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    with running(tmp_path_factory.mktemp("tls"), tls=True) as server:
        yield server
