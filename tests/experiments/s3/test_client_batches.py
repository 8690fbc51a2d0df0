"""How many operations were under way, by the client in Python; batch_test.go has the same of the one in Go."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

from sectax.parts import cache


@pytest.fixture(scope="module")
def client() -> ModuleType:
    folder = cache.bundled("clients", "s3-python")
    loaded = importlib.util.spec_from_file_location("s3_client", folder / "s3_client.py")
    module = importlib.util.module_from_spec(loaded)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setitem(sys.modules, "s3_client", module)
        loaded.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("spans", "ramp", "expected"),
    [
        # Two at once; the first two and the last two are the ramp, and one of those ends early.
        ([(0, 10), (5, 10), (10, 10), (15, 10), (20, 10), (25, 5)], 2, 2.0),
        ([(0, 10), (10, 10), (30, 10)], 0, 0.75),
        # Where the ramp is over before the last one that counts, the overlap falls.
        ([(0, 10), (0, 10), (10, 10), (10, 40), (20, 5), (25, 5)], 2, 1.5),
        ([], 0, 0.0),
    ],
)
def test_in_flight_is_the_overlap_while_counted_operations_run(
    client: ModuleType, spans: list[tuple[int, int]], ramp: int, expected: float
) -> None:
    operations = [client.Times(elapsed, began=began) for began, elapsed in spans]

    assert client.in_flight(operations, operations[ramp : len(operations) - ramp]) == pytest.approx(expected)
