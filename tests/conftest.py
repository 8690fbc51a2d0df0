"""What every test stands on: the user's state folder and terminal are left alone, and an interrupt is one.

The cache stays the user's own, for the probes that `sectax setup` has built live there.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.golden import agreed
from tests.needs import (
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_sessionfinish,
    pytest_terminal_summary,
)

__all__ = [
    "agreed",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
]

# `make test` asks every property of the same few examples, `make test-more` of more, and `make test-full` of many,
# drawn each time. No deadline, and no judgement of how long drawing takes: a busy machine makes any example slow.
ANY_TIME = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", ANY_TIME, max_examples=40, derandomize=True)
settings.register_profile("more", ANY_TIME, max_examples=120, derandomize=True)
settings.register_profile("full", ANY_TIME, max_examples=1000)
settings.load_profile("quick")

# Whom a shell starts in the background (`make test &`) it starts with SIGINT ignored, and all that the tests start
# would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECTAX_STATE", str(tmp_path_factory.mktemp("state")))
        patch.setenv("TERM", "xterm")
        # With it Python exits differently where stdout cannot be written.
        patch.delenv("PYTHONUNBUFFERED", raising=False)
        yield
