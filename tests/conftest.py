"""What every test stands on: the user's state folder is left alone, and an interrupt is one.

The cache stays the user's own, for the probes that `sectax setup` has built live there.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tests.skips import pytest_sessionfinish, pytest_terminal_summary

__all__ = ["pytest_sessionfinish", "pytest_terminal_summary"]

# Whom a shell starts in the background (`make test &`) it starts with SIGINT ignored, and all that the tests start
# would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECTAX_STATE", str(tmp_path_factory.mktemp("state")))
        yield
