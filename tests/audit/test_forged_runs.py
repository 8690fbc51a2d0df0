"""Run files that somebody changed, with every checksum made good again, and their healthy twins."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulations.run_files import CHECKS, FORGERIES, Edit, draft, forge, said, write
from sectax.audit.as_planned import OTHER_ORDER
from sectax.audit.changed_witness import CHANGED_WITNESS
from sectax.audit.copied_blocks import COPIED_BLOCKS
from sectax.audit.every_nth_block import EVERY_NTH_BLOCK
from sectax.audit.evidence import Arm, Evidence, RunRecord
from sectax.audit.figure import Figure, Quantity
from sectax.audit.impossible_times import IMPOSSIBLE_TIMES
from sectax.audit.words import blocks_named
from sectax.model.finding import Severity
from sectax.model.measured import BlockRecord, Visited
from sectax.model.treatment import Role
from sectax.stats.batch_shape import batches_of
from tests.program import sectax

BLOCKS = 18


def healthy(path: Path, seed: int = 5, *, eventful: bool = False) -> None:
    rng = np.random.default_rng(seed)
    write(draft(rng, BLOCKS, 4), path, rng, eventful=eventful)


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("twin") / "run.sectax"
    healthy(path)
    return path.read_bytes()


def test_the_healthy_twin_is_accused_of_nothing(twin: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.sectax"
    path.write_bytes(twin)

    document = json.loads(sectax("audit", str(path), "--json", "--fail-on", "F").out)

    statuses = {each["check"]: each["status"] for each in document["checks"]}
    assert {statuses[check] for check in CHECKS} == {"silent"}


@pytest.mark.parametrize(("name", "checks", "edits"), FORGERIES, ids=[name for name, *_ in FORGERIES])
def test_a_forgery_is_found_by_the_check_that_looks_for_it(
    twin: bytes, tmp_path: Path, name: str, checks: tuple[str, ...], edits: Callable[[int], list[Edit]]
) -> None:
    path = tmp_path / "run.sectax"
    path.write_bytes(twin)
    forge(path, edits(BLOCKS))

    answer = sectax("audit", str(path), "--fail-on", "W")

    if checks == ("refused",):
        assert answer.status == 2
        assert "holds an infinite value" in answer.err
    else:
        assert answer.status == 1
        fired = {line.split()[1] for line in answer.out.splitlines() if line.startswith(("  F  ", "  W  "))}
        assert fired & set(checks)


def test_a_forged_run_loses_its_verdicts(twin: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.sectax"
    path.write_bytes(twin)
    forge(path, [("DELETE FROM observation", ())])

    answer = sectax("audit", str(path))

    assert "Nothing was measured, so there is no verdict (F)." in answer.out
    headline = " ".join(answer.out.partition("What fired")[0].split())
    assert "F missing-observations: " in headline
    assert ": nothing was measured, or the observations were taken out." in headline


@pytest.mark.parametrize("seed", range(6))
def test_ordinary_events_of_a_run_are_no_forgery(tmp_path: Path, seed: int) -> None:
    """Treatments that leave, fail or get other batches, and sessions that are gone on with."""
    path = tmp_path / "run.sectax"
    healthy(path, seed, eventful=True)

    assert not {check for check, _ in said(path)} & {*CHECKS, "refused"}


@pytest.mark.full
def test_few_healthy_run_files_are_accused(tmp_path: Path) -> None:
    """Of 1000 on all kinds of machines, at most one by any check."""
    accused: dict[str, int] = {}
    for number in range(1000):
        path = tmp_path / f"{number}.sectax"
        rng = np.random.default_rng([1, number])
        write(draft(rng), path, rng)
        for check in {check for check, _ in said(path)} & {*CHECKS, "refused"}:
            accused[check] = accused.get(check, 0) + 1
        path.unlink()

    assert all(count <= 1 for count in accused.values()), accused


def witnessed(*texts: object, sessions: int = 1, sizes: Sequence[int] = ()) -> list[tuple[Severity, str]]:
    """What is said of a treatment that shows these values of one witness, in blocks with batches of these sizes."""
    blocks = {
        number: BlockRecord(1.0, {"a": Visited(0, 0, 1, size, 1, shown=({"version": text},))})  # type: ignore[dict-item]
        for number, (text, size) in enumerate(zip(texts, sizes or [1] * len(texts), strict=True), start=1)
    }
    evidence = Evidence(own=True, record=RunRecord(blocks, sessions))
    return [(each.severity, each.saw) for each in CHANGED_WITNESS.examine(evidence)]


def test_a_text_that_changes_once_and_for_all_is_two_things() -> None:
    assert witnessed("1", "1", "2") == [(Severity.FATAL, "version is 1 up to block 2, and 2 from block 3 on")]


def test_after_an_interruption_it_may_have_a_reason() -> None:
    assert [severity for severity, _ in witnessed("1", "1", "2", sessions=2)] == [Severity.WARNING]


def test_texts_that_come_and_go_are_warned_of_and_names_of_processes_are_not() -> None:
    assert [severity for severity, _ in witnessed("1", "2", "1", "2")] == [Severity.WARNING]
    assert witnessed("a", "b", "c", "d") == []
    assert witnessed("a", "a", "a") == []


def test_a_number_must_change_more_clearly_than_chance_does() -> None:
    assert witnessed(1, 1, 2, 2) == []
    assert [severity for severity, _ in witnessed(*[1] * 12, *[2] * 12)] == [Severity.FATAL]


def test_a_count_of_what_was_done_may_change_with_the_size_of_the_batches() -> None:
    counts, sizes = [18] * 12 + [12] * 12, [3] * 12 + [2] * 12

    assert witnessed(*counts, sizes=sizes) == []
    assert witnessed(*["1"] * 12, *["2"] * 12, sizes=sizes) != []
    assert witnessed(*counts, sizes=[3] * 11 + [2] * 13) != []


def test_blocks_are_named_with_their_neighbours_together() -> None:
    assert blocks_named([3]) == "block 3"
    assert blocks_named([1, 2, 3, 4, 7, 9]) == "blocks 1 to 4, 7 and 9"
    assert blocks_named(range(1, 40, 2)) == "blocks 1, 3, 5, 7, 9, 11 and 14 more"


def test_a_record_of_other_rounds_is_as_drawn_too(tmp_path: Path) -> None:
    path = tmp_path / "run.sectax"
    rng = np.random.default_rng(8)
    made = draft(rng, 7, 2)
    made.plan = replace(made.plan, seed=2**63 - 1)
    write(made, path, rng, eventful=False)

    assert "other-order" not in {check for check, _ in said(path)}


@pytest.mark.parametrize(
    ("of_batches", "cpu_s", "is_impossible"),
    # A process on two processors may use more than its own clock times, but never more than its block has.
    [(True, 0.9, True), (True, 0.5, False), (False, 0.9, False), (False, 3.0, True)],
)
def test_cpu_time_is_held_against_what_it_is_of(of_batches: bool, cpu_s: float, is_impossible: bool) -> None:
    visited = Visited(0, 0, 1, 1, made=1, batches=1, operations=1, elapsed_s=0.3, shortest_s=0.3, cpu_s=cpu_s)
    record = RunRecord({1: BlockRecord(1.0, {"a": visited})}, processors=2, cpu_of_batches=of_batches)

    said = list(IMPOSSIBLE_TIMES.examine(Evidence(batch="time", record=record)))

    assert bool(said) == is_impossible


Ticks = tuple[str, int, int]  # the clock, whole nanoseconds and broken ones


@pytest.mark.parametrize(
    ("visits", "expected"),
    [
        # A clock that counts nanoseconds; one that gives fractions; one whose fractions round to little.
        ({"a": [("ns", 9, 0)] * 3, "b": [("ns", 9, 0)] * 3}, []),
        ({"a": [("cycles", 0, 9)] * 3, "b": [("cycles", 1, 8)] * 3}, []),
        ({"a": [("float", 3, 0)] * 3, "b": [("float", 5, 0)] * 3}, []),
        # Two clocks, each with its own way.
        ({"a": [("ns", 9, 0)] * 3, "b": [("cycles", 0, 9)] * 3}, []),
        # Some blocks of one clock are another's, or all blocks of one treatment.
        ({"a": [("ns", 9, 0)] * 3, "b": [("ns", 9, 0), ("ns", 1, 8), ("ns", 9, 0)]}, [("b", Severity.FATAL)]),
        ({"a": [("ns", 9, 0)] * 3, "b": [("ns", 1, 8)] * 3}, [("b", Severity.WARNING)]),
    ],
)
def test_fractions_of_a_nanosecond_are_no_times_of_a_clock_that_counts_them(
    visits: dict[str, list[Ticks]], expected: list[tuple[str, Severity]]
) -> None:
    blocks = {
        number: BlockRecord(
            9.0,
            {
                name: Visited(0, 0, 9, 1, 9, batches=9, operations=9, elapsed_s=1.0, shortest_s=0.1)._replace(
                    clock=ticks[number][0], whole=ticks[number][1], broken=ticks[number][2]
                )
                for name, ticks in visits.items()
            },
        )
        for number in range(3)
    }

    said = list(IMPOSSIBLE_TIMES.examine(Evidence(batch="time", record=RunRecord(blocks))))

    assert [(each.subject, each.severity) for each in said] == expected


@pytest.mark.parametrize(("spanned_s", "is_impossible"), [(None, False), (0.9, False), (1.0, False), (0.5, True)])
def test_batches_fit_into_the_time_that_passed_while_they_ran(spanned_s: float | None, is_impossible: bool) -> None:
    visited = Visited(0, 0, 4, 1, 4, batches=4, operations=4, elapsed_s=1.0, shortest_s=0.2, spanned_s=spanned_s)
    record = RunRecord({1: BlockRecord(2.0, {"a": visited})})

    said = list(IMPOSSIBLE_TIMES.examine(Evidence(batch="time", record=record)))

    assert bool(said) == is_impossible


@pytest.mark.parametrize(("batch_order", "severities"), [(None, []), (7, []), (8, [Severity.FATAL])])
def test_batches_stand_where_their_treatment_was_visited(batch_order: int | None, severities: list[Severity]) -> None:
    visited = Visited(0, 0, 4, 1, 4, order=7, batches=4, operations=4, batch_order=batch_order)
    record = RunRecord({1: BlockRecord(2.0, {"a": visited})})

    assert [each.severity for each in OTHER_ORDER.examine(Evidence(record=record))] == severities


def in_blocks(name: str, *times: float) -> Figure:
    blocks = tuple(range(1, len(times) + 1))
    return Figure(
        f"{name}:latency",
        "latency",
        {},
        "latency",
        Quantity.TIME,
        "s",
        statistic="mean",
        treatment=name,
        blocks=blocks,
        values=times,
    )


def order_of(*figures: Figure, fastest: dict[str, list[float]] | None = None) -> list[tuple[str, str]]:
    """What is said of the order of these blocks, whose fastest batches took so long."""
    blocks = {
        number: BlockRecord(
            9.0,
            {
                name: Visited(0, 0, 1, 1, 1, batches=1, operations=1, shortest_s=times[number - 1])
                for name, times in (fastest or {}).items()
            },
        )
        for number in range(1, len(figures[0].blocks) + 1)
    }
    said = EVERY_NTH_BLOCK.examine(Evidence(own=True, figures=figures, record=RunRecord(blocks)))
    return [(each.subject, each.saw) for each in said]


# No order, and far apart.
SPIKES = [1.0, 3.1, 1.2, 1.1, 2.9, 1.3, 1.05, 1.02, 4.0, 1.07, 1.01, 1.03, 2.2, 1.04, 1.06, 1.08, 1.09, 1.15]


def test_every_third_block_is_seen_below_spikes_that_are_larger() -> None:
    even = [1.0 + at % 5 / 100 for at in range(18)]
    third = [each * (1.6 if at % 3 == 2 else 1.0) for at, each in enumerate(even)]

    assert order_of(in_blocks("a", *SPIKES), fastest={"a": even}) == []
    (said,) = order_of(in_blocks("a", *SPIKES), fastest={"a": third})
    assert said[1].startswith("one block in 3 takes +60 % of time: blocks 3, 6, 9, 12, 15 and 18")


def test_blocks_of_one_treatment_in_the_order_of_their_times_were_put_there() -> None:
    ordered = sorted(SPIKES)

    assert [subject for subject, _ in order_of(in_blocks("a", *ordered), in_blocks("b", *SPIKES))] == ["a"]
    # A machine that becomes slower makes all of them so; and few blocks are in order by chance.
    assert order_of(in_blocks("a", *ordered), in_blocks("b", *[2 * each for each in ordered])) == []
    assert order_of(in_blocks("a", *ordered[:7]), in_blocks("b", *SPIKES[:7])) == []
    # A coarse clock has few values.
    assert order_of(in_blocks("a", *[1.0] * 17, 2.0), in_blocks("b", *SPIKES)) == []


def multiples(factor: float, step: float) -> list[str]:
    """What is said of a run whose second block is its first times a factor, as a clock of this step gives both."""
    rng = np.random.default_rng(3)
    one = 0.02 * np.exp(rng.normal(0, 0.01, 16))
    times = np.round(np.array([one, factor * one, *(0.02 * np.exp(rng.normal(0, 0.01, (8, 16))))]) / step) * step
    made = batches_of(times.ravel(), np.zeros(times.size), [16] * len(times))
    blocks = {
        number: BlockRecord(
            9.0,
            {
                "a": Visited(
                    0, 0, 16, 1, 16, batches=16, operations=16, elapsed_s=float(of.sum()), shortest_s=float(of.min())
                )
            },
        )
        for number, of in enumerate(times, start=1)
    }
    arm = Arm("a", "cell", "family", Role.TREATMENT, granularity_s=step)
    shapes = {number: each.shape for number, each in enumerate(made, start=1) if each.shape is not None}
    evidence = Evidence(batch="time", arms={"a": replace(arm, shapes=shapes)}, record=RunRecord(blocks))
    return [each.saw for each in COPIED_BLOCKS.examine(evidence)]


def test_a_block_that_is_another_one_times_a_factor_was_computed() -> None:
    (said,) = multiples(1.05, 1e-9)
    assert said == "the batches of a in block 2 are those of a in block 1, each times 1.05"
    # On a clock of a millisecond two blocks may well look so.
    assert multiples(1.05, 1e-3) == []


@pytest.mark.parametrize(
    ("minutes", "accused"),
    [
        ([0, 10, 20, 30, 40], False),
        # A clock that was set back by an hour once; times that nobody can read; and blocks of ten minutes in one each.
        ([0, 10, -40, -30, -20], False),
        ([None, None, None, None, None], False),
        ([0, 1, 2, 3, 4], True),
    ],
)
def test_blocks_are_over_before_the_next_ones_begin(minutes: list[int | None], accused: bool) -> None:
    midnight = datetime(2026, 3, 2, tzinfo=UTC)
    blocks = {
        number: BlockRecord(
            599.0,
            {"a": Visited(0, 0, 1, 1, 1, batches=1, operations=1, elapsed_s=1.0, shortest_s=1.0)},
            "" if minute is None else (midnight + timedelta(minutes=minute)).isoformat(),
        )
        for number, minute in enumerate(minutes, start=1)
    }

    assert bool(list(IMPOSSIBLE_TIMES.examine(Evidence(batch="time", record=RunRecord(blocks))))) == accused


@pytest.mark.parametrize(
    ("shares", "doubted"),
    [
        ({"a": [0.99] * 6, "b": [0.98] * 6}, []),
        ({"a": [0.99] * 6, "b": [1.08] * 6}, ["b"]),
        # All work on several processors; one that does now and then; and too few blocks.
        ({"a": [1.5] * 6, "b": [1.9] * 6}, []),
        ({"a": [0.99] * 6, "b": [*[1.08] * 5, 1.0]}, []),
        ({"a": [0.99] * 5, "b": [1.08] * 5}, []),
    ],
)
def test_one_treatment_alone_has_no_more_cpu_time_than_passes(
    shares: dict[str, list[float]], doubted: list[str]
) -> None:
    blocks = {
        number: BlockRecord(
            9.0,
            {
                name: Visited(0, 0, 1, 1, 1, batches=1, operations=1, elapsed_s=1.0, shortest_s=1.0, cpu_s=of[number])
                for name, of in shares.items()
            },
        )
        for number in range(len(shares["a"]))
    }
    record = RunRecord(blocks, processors=2, cpu_of_batches=True)

    said = list(IMPOSSIBLE_TIMES.examine(Evidence(batch="time", record=record)))

    assert [(each.subject, each.severity) for each in said] == [(name, Severity.WARNING) for name in doubted]
