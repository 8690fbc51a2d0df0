"""What a run on several hosts decides without any of them: who is next, who differs, what is believed."""

from __future__ import annotations

import base64
import math
import random
import zlib
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.cluster import job
from sectax.cluster.agreement import different_hosts, pooled, promised, slower, software
from sectax.cluster.runner import pilot_events, refuse_other_work
from sectax.cluster.session import next_hosts
from sectax.model.environment import Environment
from sectax.model.errors import NothingMeasured
from sectax.model.plan import Calibrated
from sectax.model.trial import BlockEvent, Closed, Dropped, Opened, State, Trial
from tests.record.runs import calibrated, events, plan, planned_block

PLAN = plan()


@given(st.integers(1, 12), st.integers(1, 200), st.integers(0, 2**64 - 1))
def test_blocks_go_to_hosts_evenly(hosts: int, blocks: int, seed: int) -> None:
    done = {f"host-{number}": 0 for number in range(hosts)}
    while (ran := sum(done.values())) < blocks:
        for host in next_hosts(done, blocks - ran, seed, ran + 1):
            done[host] += 1

    assert sum(done.values()) == blocks
    assert max(done.values()) - min(done.values()) <= 1


def test_the_order_of_hosts_is_drawn_from_the_seed() -> None:
    done = dict.fromkeys("abcdefgh", 3)
    waves = [next_hosts(done, 99, 7, number) for number in range(1, 80, 8)]

    assert waves == [next_hosts(done, 99, 7, number) for number in range(1, 80, 8)]
    assert all(sorted(wave) == sorted(done) for wave in waves)
    assert len(set(waves)) > 8
    assert waves != [next_hosts(done, 99, 8, number) for number in range(1, 80, 8)]


def test_a_host_whose_block_was_lost_gets_the_next_odd_one() -> None:
    assert next_hosts({"a": 5, "b": 4, "c": 5}, 1, 7, 15) == ("b",)


def test_hosts_with_other_software_are_named_and_other_processors_are_welcome(agreed) -> None:
    def facts(go: str, cpu: str) -> dict[str, str]:
        return software(Environment({"sectax": "1.0", "go": go, "host.cpu_model": cpu}))

    same = {"a": facts("1.26", "EPYC"), "b": facts("1.26", "Xeon"), "c": facts("1.26", "Neoverse")}

    assert different_hosts(same) == {}
    ((host, differs),) = different_hosts(same | {"b": facts("1.25", "EPYC")}).items()
    assert host == "b"
    agreed(differs)
    with pytest.raises(NothingMeasured):
        different_hosts({"a": facts("1.26", "EPYC"), "b": facts("1.25", "EPYC")})


def test_every_host_does_as_much_as_the_fastest_needs() -> None:
    slow = calibrated(PLAN)
    fast = Calibrated(
        {name: replace(of, count=3 * of.count, warmup=1) for name, of in slow.calibrations.items()},
        dict.fromkeys(slow.rounds, 6),
        pace=1.2,
    )
    whole = pooled(PLAN, [slow, fast])

    assert {of.count for of in whole.calibrations.values()} == {99}
    assert {of.warmup for of in whole.calibrations.values()} == {2}
    assert set(whole.rounds.values()) == {6}
    # The slow one needs as long for a third of it.
    assert math.isclose(slower(whole, slow), 3.0)
    assert math.isclose(slower(whole, fast), 1.2)


def test_a_block_comes_back_from_a_host_as_it_went(tmp_path: object) -> None:
    block = planned_block(PLAN, 7)
    happened: list[BlockEvent] = [
        *events(block),
        Dropped("sign/RS256", State.FAILED, "close", "it said secret-key-1 at the end", "keep secret-key-1"),
        Trial("sign/RS256", 9, 9, State.OK, (), {"steal_s": math.nan}),
    ]
    packed = job._packed(happened, {"key": "secret-key-1", "short": "a"})
    line = _packed_line(job.BlockResult(7, 1.25, "1.0", packed))
    answer = job.decode_answer(line)

    back = list(job.unpack_events(answer))
    assert back[:-2] == happened[:-2]
    assert back[-2] == Dropped("sign/RS256", State.FAILED, "close", "it said [input] at the end", "keep [input]")
    assert isinstance(back[-1], Trial)
    assert math.isnan(back[-1].telemetry["steal_s"])


def _packed_line(answer: job.Answer) -> bytes:
    return base64.b64encode(zlib.compress(msgspec.msgpack.encode(answer), 1))


@given(st.binary(max_size=200))
def test_an_answer_that_makes_no_sense_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (whatever a library says of it)
        job.decode_answer(content)


def test_a_result_larger_than_its_plan_is_refused() -> None:
    block = planned_block(PLAN, 1)
    packed = job._packed(events(block), {})
    largest = job.largest_result(block)
    assert len(msgspec.msgpack.encode(job.BlockResult(1, 1.0, "1.0", packed))) < largest / 10

    trial = packed.trials[0]
    many = job.PackedEvents("T" * 100_000, [], [trial] * 100_000, [], [])
    for result in (
        job.BlockResult(1, 1.0, "1.0", many),
        job.BlockResult(1, 1.0, "1.0", packed, ["a note"] * 101),
        job.BlockResult(1, 1.0, "1.0", packed, ["a" * 20_000]),
    ):
        with pytest.raises(ValueError, match="invalid answer"):
            job.decode_answer(_packed_line(result), largest)


def test_damage_to_an_answer_is_refused() -> None:
    rng = random.Random(1)
    line = _packed_line(job.BlockResult(1, 1.0, "1.0", job._packed(events(planned_block(PLAN, 1)), {})))
    refused = 0
    for _ in range(200):
        damaged = bytearray(line)
        damaged[rng.randrange(len(line))] ^= 1 << rng.randrange(7)
        try:
            answer = job.decode_answer(bytes(damaged))
            list(job.unpack_events(answer))  # type: ignore[arg-type]
        except ValueError:
            refused += 1

    assert refused > 190  # what is not refused is one bit of Base64 that means nothing


def test_a_host_that_measured_something_else_is_not_believed() -> None:
    block = planned_block(PLAN, 1, live=["sign/RS256", "sign/ES256"])
    honest = list(events(block))
    refuse_other_work(block, honest)

    trial = next(event for event in honest if isinstance(event, Trial))
    more = ([*honest, trial], [*honest, Closed("verify/RS256", {})])
    without_trial = [event for event in honest if event is not trial]
    less = (without_trial, [event for event in honest if not isinstance(event, Opened)], [])
    for events_, match in (*((of, "not planned") for of in more), *((of, "left out") for of in less)):
        with pytest.raises(ValueError, match=match):
            refuse_other_work(block, events_)
    late = [replace(event, open_s=math.inf) if isinstance(event, Opened) else event for event in honest]
    with pytest.raises(ValueError, match="ready"):
        refuse_other_work(block, late)
    gone = [event for event in honest if event.treatment != "sign/RS256"]
    refuse_other_work(block, [*gone, Dropped("sign/RS256", State.FAILED, "open", "no memory")])


@pytest.mark.parametrize("seconds", [math.inf, math.nan, -1.0, 1e300])
def test_a_block_of_an_impossible_time_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="invalid answer"):
        job.decode_answer(_packed_line(job.BlockResult(1, seconds, "", job.PackedEvents("", [], [], [], []))))


def test_a_pilot_that_was_not_planned_is_refused() -> None:
    opened = next(event for event in events(planned_block(PLAN, 1)) if isinstance(event, Opened))
    honest = job.PilotResult(calibrated(PLAN), {}, 1.0, job.PackedEvents("O", [opened], [], [], []))
    assert pilot_events(PLAN, honest) == [opened]

    for lie in (
        msgspec.structs.replace(honest, calibrated=replace(honest.calibrated, pace=math.inf)),
        msgspec.structs.replace(honest, events=job.PackedEvents("OO", [opened], [], [], [])),
        msgspec.structs.replace(
            honest, events=job.PackedEvents("O", [replace(opened, treatment="nothing")], [], [], [])
        ),
    ):
        with pytest.raises(ValueError, match=r"pace|missing|not planned"):
            pilot_events(PLAN, lie)


def test_only_promised_witnesses_must_be_the_same_everywhere() -> None:
    shown = promised(PLAN, [Opened("sign/RS256", {"alg": "RS256", "pid": 7}, (), 0.1), Closed("sign/RS256", {})])

    assert shown == {("sign/RS256", "alg"): "RS256"}
