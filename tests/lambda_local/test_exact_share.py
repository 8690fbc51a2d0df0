"""An exact share: what it lets work last, by arithmetic, and that answers are held for it, through the wire."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambda_local.instances.share import ExactShare, exact_share
from lambda_local.sandbox import Counters, InForce
from tests.lambda_local.plain_box import PlainBox
from tests.lambda_local.serving import client, create, extension_layer, invoke, served
from tests.lambda_local.test_extensions import EXTENSION

PERIOD = 20_000_000
MS = 1_000_000
QUOTAS = {128: 1_447_000, 512: 5_788_000, 1024: 11_577_000}  # ns, as the kernel has them: whole microseconds


def due(used_ns: int, quota_ns: int, *, elapsed_ns: int | None = None, throttled_ns: int = 0) -> int:
    """Nanoseconds that work lasts which begins after a long rest."""
    share, start = ExactShare(quota_ns, PERIOD), 10**15
    share.begin(start, 7 * MS, 3 * MS)
    ended = start + (used_ns if elapsed_ns is None else elapsed_ns)
    return share.end(ended, 7 * MS + used_ns, 3 * MS + throttled_ns) - start


@pytest.mark.parametrize(
    ("memory", "used_ms", "lasts_ms"),
    [
        (128, 1, 1),
        (128, 1.447, 1.447),
        (128, 1.448, 20.001),
        (128, 2.894, 21.447),  # two whole quotas: the second period is not waited for to its end
        (128, 20, 13 * 20 + 1.189),
        (512, 20, 3 * 20 + 2.636),
        (1024, 11, 11),
        (1024, 20, 20 + 8.423),
        (1024, 300, 25 * 20 + 10.575),
    ],
)
def test_work_lasts_as_many_periods_as_it_takes_quotas_and_its_last_part(memory, used_ms, lasts_ms):
    assert due(round(used_ms * MS), QUOTAS[memory]) == pytest.approx(lasts_ms * MS, abs=1)


def test_who_waited_long_enough_is_not_held():
    assert due(20 * MS, QUOTAS[128], elapsed_ns=262 * MS) == 262 * MS
    assert due(20 * MS, QUOTAS[128], elapsed_ns=200 * MS) == pytest.approx(261.189 * MS, abs=1)


def test_two_threads_use_up_the_last_part_of_a_quota_in_half_the_time():
    # 40 ms in 20 ms, on two processors: they were throttled for none of it.
    assert due(40 * MS, QUOTAS[1024], elapsed_ns=20 * MS) == 3 * PERIOD + (40 * MS - 3 * QUOTAS[1024]) // 2
    # One thread that was throttled for as long as it ran.
    assert due(20 * MS, QUOTAS[512], elapsed_ns=40 * MS, throttled_ns=20 * MS) == 3 * PERIOD + 2_636_000


def test_cpu_time_after_an_answer_counts_where_it_fell():
    share, start = ExactShare(QUOTAS[512], PERIOD), 10**15
    share.begin(start, 0, 0)
    share.end(start + MS, MS, 0)

    share.begin(start + 7 * MS, 6 * MS, 0)  # 5 ms after the answer: all is spent

    assert share.end(start + 8 * MS, 7 * MS, 0) == start + PERIOD + 7 * MS - QUOTAS[512]


def ends(quota: int, works: list[tuple[int, int]]) -> list[int]:
    """When works end, each begun so long after the last one, step by step on a processor with an exact quota."""
    now = began = 0
    left, seen = quota, []
    for gap, work in works:
        now += gap
        over = (now - began) // PERIOD
        if over:
            began, left = (now if over > 1 else began + PERIOD), quota
        ahead = work
        while ahead:
            if left == 0:
                now = began + PERIOD
            if now == began + PERIOD:
                began, left = now, quota
            step = min(ahead, left, began + PERIOD - now)
            now, ahead, left = now + step, ahead - step, left - step
        seen.append(now)
    return seen


@given(
    st.sampled_from(sorted(QUOTAS.values())),
    st.lists(st.tuples(st.integers(0, 60 * MS), st.integers(1, 40 * MS)), min_size=1, max_size=12),
)
def test_works_that_follow_each_other_end_as_on_a_processor_with_an_exact_quota(quota, works):
    share, seen = ExactShare(quota, PERIOD), []
    now, cpu = 10**15, 0
    for gap, work in works:
        now += gap
        share.begin(now, cpu, 0)
        cpu += work
        now = share.end(now + work, cpu, 0)  # as if the kernel had not throttled it at all
        seen.append(now)

    first = works[0][0]
    assert [end - 10**15 - first for end in seen] == ends(quota, [(0, works[0][1]), *works[1:]])


@pytest.mark.parametrize("quota", [1.0, 2.0])
def test_a_whole_processor_has_no_books(quota):
    assert exact_share(InForce(quota, 20_000, 2**30, "v1")) is None


class Busy(PlainBox):
    """Whose processes use 40 ms of CPU time between two looks at the counters."""

    used_ns = 40 * MS
    made: list[Busy]

    @classmethod
    def create(cls, *arguments: Any, **more: Any) -> PlainBox:
        cls.made.append(super().create(*arguments, **more))  # type: ignore[arg-type]
        return cls.made[-1]

    def counters(self, *, times: bool = False) -> Counters:
        self._cpu_ns += self.used_ns - MS
        return super().counters(times=times)


@pytest.fixture
def busy() -> type[Busy]:
    return type("CountedBusy", (Busy,), {"alive": 0, "made": []})


ECHO = "def handler(event, context):\n    return event\n"
LASTS_S = 0.54  # 40 ms at 128 MB: 27 periods, and what is left of it


def test_an_answer_is_held_until_an_exact_quota_would_have_let_it_go(busy):
    with served(busy.create, exact_share=True) as endpoint:
        lambda_ = client(endpoint)
        create(lambda_, "held", ECHO, MemorySize=128)
        answer = invoke(lambda_, "held", {"a": 1})

    assert answer.value == {"a": 1}
    seen = answer.measured
    assert seen["duration_s"] >= LASTS_S
    assert 0 < seen["held_s"] < seen["duration_s"]
    assert float(answer.log.partition("\tDuration: ")[2].split()[0]) >= 1e3 * LASTS_S
    # The boost of the init phase, the share, and once more: the kernel does not keep back what was waited for.
    assert [round(quota, 3) for quota in busy.made[0].quotas[1:]] == [0.072, 0.072]


@pytest.mark.parametrize(("exact", "memory"), [(False, 128), (True, 1769)])
def test_nothing_is_held_unless_it_is_asked_for_or_where_a_whole_processor_is_paid_for(busy, exact, memory):
    with served(busy.create, exact_share=exact) as endpoint:
        lambda_ = client(endpoint)
        create(lambda_, "free", ECHO, MemorySize=memory)
        answer = invoke(lambda_, "free")

    assert "held_s" not in answer.measured
    assert len(busy.made[0].quotas) == 2


@pytest.mark.more
def test_what_an_exact_quota_does_not_let_end_in_time_is_a_time_out(busy):
    busy.used_ns = 300 * MS  # 4 s at 128 MB
    with served(busy.create, exact_share=True) as endpoint:
        lambda_ = client(endpoint)
        create(lambda_, "late", ECHO, MemorySize=128, Timeout=1)
        answer = invoke(lambda_, "late")

    assert answer.value["errorMessage"].endswith("Task timed out after 1.00 seconds")
    assert answer.measured["duration_s"] >= 1.0
    assert busy.alive == 0


def test_what_extensions_do_after_the_answer_is_held_and_billed(busy, tmp_path):
    with served(busy.create, exact_share=True) as endpoint:
        lambda_ = client(endpoint)
        layers = [extension_layer(lambda_, "recorder", EXTENSION)]
        environment = {"Variables": {"RECORD": str(tmp_path / "record")}}
        create(lambda_, "extended", ECHO, Layers=layers, Environment=environment, MemorySize=128)
        answer = invoke(lambda_, "extended")

    billed = int(answer.log.partition("Billed Duration: ")[2].split()[0])
    assert answer.measured["duration_s"] >= LASTS_S  # of all that runtime and extensions used
    assert billed >= 1e3 * LASTS_S
