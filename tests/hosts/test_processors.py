"""Which processor a run stays on."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from sectax.hosts.process import processors
from sectax.hosts.process.processors import on_one_processor
from tests.needs import needs

ALLOWED = os.sched_getaffinity(0)


def test_it_stays_on_one_and_gives_the_others_back(tmp_path: Path) -> None:
    with on_one_processor(tmp_path) as chosen:
        assert os.sched_getaffinity(0) == {chosen.number}
        assert not chosen.shared

    assert os.sched_getaffinity(0) == ALLOWED


@needs("two processors")
def test_the_less_busy_one_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_, last = sorted(ALLOWED)
    readings = iter([{first: (0, 0), last: (0, 0)}, {first: (100, 95), last: (100, 20)}])
    monkeypatch.setattr(processors, "_times", lambda stat: next(readings))

    with on_one_processor(tmp_path) as chosen:
        assert chosen.number == first


@needs("two processors")
def test_the_one_that_another_sectax_measures_on_is_left_to_it(tmp_path: Path) -> None:
    with on_one_processor(tmp_path) as mine:
        os.sched_setaffinity(0, ALLOWED)
        with on_one_processor(tmp_path) as other:
            assert other.number != mine.number
            assert not other.shared


def _hold_all(claims: Path, ready: object, done: object) -> None:
    allowed = os.sched_getaffinity(0)
    stack = [on_one_processor(claims) for _ in allowed]
    for context in stack:
        os.sched_setaffinity(0, allowed)
        context.__enter__()
    ready.set()  # type: ignore[attr-defined]
    done.wait(60)  # type: ignore[attr-defined]


def test_where_all_are_taken_it_says_so_and_a_killed_owner_frees_them(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    ready, done = context.Event(), context.Event()
    owner = context.Process(target=_hold_all, args=(tmp_path, ready, done))
    owner.start()
    try:
        assert ready.wait(60)
        with on_one_processor(tmp_path) as chosen:
            assert chosen.shared
    finally:
        owner.kill()
        owner.join()

    with on_one_processor(tmp_path) as chosen:
        assert not chosen.shared


def test_where_no_claim_can_be_kept_it_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with on_one_processor(tmp_path / "file" / "below") as chosen:
        assert chosen.number in ALLOWED


def test_ticks_are_read_of_each_processor(tmp_path: Path) -> None:
    busy = "cpu0 10 0 0 990 0 0 0 0 0 0\ncpu1 900 0 0 100 0 0 0 0 0 0\n"
    (tmp_path / "stat").write_text(f"cpu 1 2 3 4 5 6 7 8 9 10\n{busy}intr 5")

    assert processors._times(tmp_path / "stat") == {0: (1000, 990), 1: (1000, 100)}
    assert processors._times(tmp_path / "missing") == {}
