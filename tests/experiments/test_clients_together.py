"""Several client processes that share one load: their clocks, their start, their times."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sectax.experiments.client_server.together import (
    Offset,
    Part,
    agreed_start,
    merged,
    offset,
    saturated,
    shared,
    wall_ns,
)
from sectax.model.errors import WrongUse
from sectax.model.plan import Plan
from tests.machines import plan_of


def clocks(ahead: int, ways: list[tuple[int, int]]) -> tuple[Callable[[], int], Callable[[], int]]:
    """A client's clock that is so far ahead, and this process's; of every round trip the times there and back."""
    here, trips = [0], iter(ways)

    def now() -> int:
        there, back = next(trips)
        here[0] += there
        shown = here[0] + ahead
        here[0] += back
        return shown

    return now, lambda: here[0]


def test_the_fastest_round_trip_says_how_far_the_clocks_are_apart() -> None:
    slow = [(900_000, 100_000)] * 7
    now, clock = clocks(5_000_000, [*slow, (2_000, 3_000)])

    found = offset(now, clock)

    assert abs(found.ahead_ns - 5_000_000) <= found.doubt_ns
    assert found.doubt_ns == 2_500


def test_a_start_is_agreed_ahead_of_the_slowest_client() -> None:
    offsets = [Offset(0, 10), Offset(7, 5_000_000)]

    assert agreed_start(offsets, lambda: 1_000) > 1_000 + 2 * 5_000_000


def test_operations_are_dealt_out_evenly_and_none_is_lost() -> None:
    assert shared(10, 4) == [3, 3, 2, 2]
    assert shared(2, 4) == [1, 1, 0, 0]


def test_single_times_are_merged_and_never_their_quantiles() -> None:
    assert merged([[1, 2], [], [9]]) == [1, 2, 9]


def test_a_load_lasts_until_its_last_client_has_ended() -> None:
    assert wall_ns([Part(0, 50, 1), Part(20, 40, 1)]) == 60


def test_a_client_that_uses_up_its_part_of_the_processors_is_saturated() -> None:
    parts = [Part(0, 100, 95), Part(0, 100, 30), Part(0, 100, 180)]

    assert saturated(parts, 3) == 2


def plan(clients: str, **levels: str) -> Plan:
    urls = {"baseline": ("http://127.0.0.1:1/",), "treatment": ("new=http://127.0.0.1:2/",), "clients": (clients,)}
    asked = {name: (text,) for name, text in levels.items()}
    return plan_of("http", "default", asked, urls)


def test_a_plan_says_that_its_clients_share_the_processors() -> None:
    assert "4 clients share the load and this machine's processors" in plan("4", concurrency="8").transfers


@pytest.mark.parametrize(
    ("clients", "levels"),
    [("4", {}), ("4", {"concurrency": "6"}), ("4", {"concurrency": "4"}), ("3", {"load": "50/s", "concurrency": "16"})],
)
def test_a_load_that_cannot_be_shared_equally_is_refused_with_one_that_can(
    clients: str, levels: dict[str, str]
) -> None:
    with pytest.raises(WrongUse) as refused:
        plan(clients, **levels)

    assert f"--level concurrency={2 * int(clients)}" in refused.value.hint


@pytest.mark.parametrize("clients", ["0", "-1", "many", "65", "1.5", "٣", ""])
def test_what_is_not_a_number_of_clients_is_refused(clients: str) -> None:
    with pytest.raises(WrongUse, match="number of clients"):
        plan(clients, concurrency="8")
