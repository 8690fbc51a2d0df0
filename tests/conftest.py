"""What every test stands on: it leaves the state folder of the user who runs it alone.

The cache stays the user's own, for the probes that `sectax setup` has built live there.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECTAX_STATE", str(tmp_path_factory.mktemp("state")))
        yield
