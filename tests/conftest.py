"""What every test stands on: the user's state folder and terminal are left alone, and an interrupt is one.

The cache stays the user's own, for the probes that `sectax setup` has built live there.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.needs import (
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_sessionfinish,
    pytest_terminal_summary,
)

__all__ = [
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
]

# `make test` asks every property of the same few examples; `--hypothesis-profile=more` of many, drawn each time.
# No deadline: a busy machine makes any example slow.
settings.register_profile("quick", max_examples=40, deadline=None, derandomize=True)
settings.register_profile("more", max_examples=400, deadline=None)
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
