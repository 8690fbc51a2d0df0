"""Several client processes that share one load: their clocks, their start, their times."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from sectax.experiments.client_server.client import ClientFailure, Overlap
from sectax.experiments.client_server.client_group import (
    ClientBatch,
    ClientGroup,
    Offset,
    agreed_start,
    clock_offset,
    even_shares,
    merge_batches,
)
from sectax.experiments.s3.client_process import ObjectBatch
from sectax.hosts.places import HERE
from sectax.model.errors import WrongUse
from sectax.model.plan import Plan
from tests.experiments.plans import planner


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

    found = clock_offset(now, clock)

    assert abs(found.ahead_ns - 5_000_000) <= found.doubt_ns
    assert found.doubt_ns == 2_500


def test_a_start_is_agreed_ahead_of_the_slowest_client() -> None:
    offsets = [Offset(0, 10), Offset(7, 5_000_000)]

    assert agreed_start(offsets, lambda: 1_000) > 1_000 + 2 * 5_000_000


def test_operations_are_dealt_out_evenly_and_none_is_lost() -> None:
    assert even_shares(10, 4) == [3, 3, 2, 2]
    assert even_shares(2, 4) == [1, 1, 0, 0]


def part(
    elapsed_ns: list[int], wall_ns: int = 100, cpu_ns: int = 10, late_ns: int = 0, **more: int
) -> ClientBatch[ObjectBatch]:
    """What a client did with one processor, by a clock that is right to 5 ns."""
    host = f"worker-{more.pop('worker', 1)}"
    batch = ObjectBatch(elapsed_ns=elapsed_ns, wall_ns=wall_ns, cpu_ns=cpu_ns, attempts=len(elapsed_ns), **more)
    return ClientBatch(batch, host, late_ns, 5, 1.0)


def test_a_load_lasts_from_the_agreed_start_until_its_last_client_has_ended() -> None:
    batch = merge_batches([part([1], 50), part([1], 40, late_ns=20)])

    assert batch.wall_ns == 60
    assert batch.late_start_ns == 25


def test_times_are_merged_counts_are_summed_and_of_memory_the_largest_client_counts() -> None:
    few, many = part([1, 2], late=1, dropped=2, peak_bytes=900), part([9], late=10, dropped=20, peak_bytes=300)
    batch = merge_batches([few, part([]), many])

    assert (batch.elapsed_ns, batch.attempts) == ([1, 2, 9], 3)
    assert (batch.late, batch.dropped, batch.peak_bytes) == (11, 22, 900)


def test_a_schedule_that_both_keep_is_kept_also_where_one_has_an_operation_more() -> None:
    kept = merge_batches([part([1, 1, 1], sending_ns=60), part([1, 1], sending_ns=40)])
    behind = merge_batches([part([1, 1, 1], sending_ns=60), part([1, 1], sending_ns=80)])

    assert kept.sending_ns == 50
    assert behind.sending_ns == 100


def test_a_client_that_uses_up_its_part_of_the_processors_is_saturated() -> None:
    batch = merge_batches([part([1], 100, 95), part([1], 100, 30), part([1], 100, 180)])

    assert batch.saturated == 2
    assert batch.processors == 3


def test_what_went_wrong_is_counted_for_each_host_and_over_all_batches() -> None:
    overlap = Overlap(3)
    for _ in range(2):
        batch = merge_batches([part([1], late=3), part([1], cpu_ns=99, worker=2), part([1], dropped=1, worker=2)])
        overlap.add(batch, 0)

    assert {name: count for name, count in overlap.witnesses().items() if " on " in name} == {
        "late on worker-1": 6,
        "dropped on worker-1": 0,
        "saturated on worker-1": 0,
        "late on worker-2": 0,
        "dropped on worker-2": 2,
        "saturated on worker-2": 2,
    }


class Fake:
    """A client whose clock is ahead, and who remembers what it was asked."""

    def __init__(self, ahead: int) -> None:
        self.ahead, self.asked = ahead, (0, 0)

    def hello(self) -> None:
        pass

    def now_ns(self) -> int:
        return time.monotonic_ns() + self.ahead

    def ask(self, count: int, begin: int) -> None:
        self.asked = count, begin

    def sent(self) -> ObjectBatch:
        if not self.asked[0]:
            raise ClientFailure("timeout", "nothing came")
        return part([1] * self.asked[0], started_ns=self.asked[1]).batch


def test_clients_begin_together_by_their_own_clocks_and_on_a_schedule_by_turns() -> None:
    first, second = Fake(0), Fake(10**12)
    together = ClientGroup([first, second], (HERE, HERE))
    together.hello()
    batch = together.measure_together([2, 1], 1000.0, Fake.ask, Fake.sent)

    assert batch.elapsed_ns == [1, 1, 1]
    assert second.asked[1] - first.asked[1] == pytest.approx(10**12 + 10**6, abs=10**5)


def test_a_client_without_an_operation_is_not_asked() -> None:
    together = ClientGroup([Fake(0), Fake(0)], (HERE, HERE))
    together.hello()

    assert together.measure_together([1, 0], 0.0, Fake.ask, Fake.sent).elapsed_ns == [1]


URLS = {"baseline": ("http://127.0.0.1:1/",), "treatment": ("new=http://127.0.0.1:2/",)}


def plan(clients: str, experiment: str = "http", **levels: str) -> Plan:
    return planner(experiment, URLS if experiment == "http" else {})(options={"clients": (clients,)}, **levels)


@pytest.mark.parametrize(
    ("clients", "levels"),
    [
        ("4", {}),
        ("4", {"experiment": "s3"}),
        ("4", {"concurrency": "6"}),
        ("4", {"concurrency": "4"}),
        ("3", {"load": "50/s", "concurrency": "16"}),
    ],
)
def test_a_load_that_cannot_be_shared_equally_is_refused_with_one_that_can(clients, levels) -> None:
    with pytest.raises(WrongUse) as refused:
        plan(clients, **levels)

    assert f"--level concurrency={2 * int(clients)}" in refused.value.hint
