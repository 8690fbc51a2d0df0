"""The services that the tests of a module opened end with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.experiments.on_lambda.functions import close_services


@pytest.fixture(scope="module", autouse=True)
def _services() -> Iterator[None]:
    yield
    close_services()


@pytest.fixture
def any_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Lambda that is not AWS's takes any."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
