"""Run files that somebody changed, with every checksum made good again, and their healthy twins."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulations.run_files import CHECKS, FORGERIES, Edit, draft, forge, said, write
from sectax.audit.changed_witness import CHANGED_WITNESS
from sectax.audit.evidence import Evidence, RunRecord
from sectax.audit.impossible_times import IMPOSSIBLE_TIMES
from sectax.audit.words import blocks_named
from sectax.model.finding import Severity
from sectax.model.measured import BlockRecord, Visited
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
