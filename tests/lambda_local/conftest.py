"""Services over plain processes and over real sandboxes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.lambda_local.plain_box import PlainBox
from tests.lambda_local.serving import LocalLambda, client_of


@pytest.fixture(scope="module")
def lambda_() -> Iterator[Any]:
    """boto3's client of a service that the tests of a module share: each uses function names of its own."""
    with client_of(PlainBox.create) as lambda_:
        yield lambda_


@pytest.fixture(scope="module")
def real() -> Iterator[Any]:
    """boto3's client of a server in a process of its own, with real sandboxes."""
    with LocalLambda("--instances", "4") as running:
        yield running.client()


@pytest.fixture
def box() -> type[PlainBox]:
    """A sandbox of this test's own, which counts how many are alive."""
    return PlainBox.counted()
