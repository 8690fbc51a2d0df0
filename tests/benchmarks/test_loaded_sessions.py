"""Sessions beside a load: their words, the truth that they are held against, and the table for the documents."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from benchmarks.honesty import loaded
from benchmarks.honesty.beside import Beside, read_beside
from benchmarks.honesty.reference import cpu_per_operation, low_quartile
from benchmarks.honesty.session import Compared, Session, from_report
from benchmarks.honesty.summary import limit
from sectax.model.subject import Observation, Visit, Witnesses, Work

FACTOR = math.log(2.4)


def compared(low: float | None, high: float | None, *, reference: float | None = FACTOR) -> Compared:
    return Compared("php", "verify EdDSA", None, "slower-material", None, 8, 4.0, low, high, reference=reference)


def session(*comparisons: Compared, beside: str = "nothing", arms: str = "jwt", trouble: str = "") -> Session:
    return Session(
        "a.sectax",
        started="2026-11-22T01:00:00+00:00",
        max_blocks=40,
        seconds=60.0,
        load=(1.0, 6.5),
        comparisons=list(comparisons),
        arms=arms,
        beside=beside,
        commit="abc1234",
        trouble=trouble,
    )


@pytest.mark.parametrize(
    ("low", "high", "missed"),
    [
        (math.log(0.62), math.log(1.32), True),
        (math.log(4.6), math.log(9.3), True),
        (math.log(2.0), math.log(3.0), False),
        (math.log(2.4 * 1.049), math.log(3.0), False),
        (math.log(2.4 * 1.051), math.log(3.0), True),
        (math.log(2.0), math.log(2.4 / 1.051), True),
        (None, math.log(1.1), False),
    ],
)
def test_an_interval_misses_where_its_nearest_end_is_five_per_cent_away(
    low: float | None, high: float | None, missed: bool
) -> None:
    assert loaded.misses(compared(low, high)) is missed


def test_a_comparison_without_a_reference_is_not_counted_among_those_that_could_miss() -> None:
    good = session(compared(0.8, 0.9), compared(2.0, 2.1), compared(2.0, 2.1, reference=None))

    (row,) = loaded.rows([good])

    assert row.misses().startswith("1 of 2: 50.0 %")


def test_controls_are_not_counted_as_answers() -> None:
    control = Compared("php", "negative-control", 0.0, "equivalent", None, 8, 4.0, -0.01, 0.01, reference=0.0)

    (row,) = loaded.rows([session(compared(0.8, 0.9), control)])

    assert row.count(lambda its: True) == "1 of 1: 100.0 % (2.5 to 100.0)"


def test_a_load_is_read_from_words(agreed) -> None:
    assert read_beside("bursts", better=False) == Beside("bursts", 6)
    agreed(str(read_beside("mixed:9", better=True)))
    for wrong in ("sleepers", "busy:0", "busy:many", "busy:65"):
        with pytest.raises(ValueError, match=r"load|workers"):
            read_beside(wrong, better=False)


@pytest.mark.parametrize(("user", "prefix"), [(0, []), (1000, ["nice", "-n", "10"])])
def test_without_root_the_priority_of_sectax_is_lowered(user: int, prefix: list[str], monkeypatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)

    assert read_beside("busy", better=True).prefix() == prefix
    assert read_beside("busy", better=False).prefix() == []


class Costly:
    """A spec and its subject: operations of known CPU time, every third batch of which is disturbed."""

    first: tuple[Observation, ...] = ()

    def __init__(self, cpu_s: float) -> None:
        self.cpu_s, self.visits = cpu_s, 0

    def subject(self) -> Costly:
        return self

    def start(self) -> None:
        """Nothing to begin."""

    def open(self) -> Witnesses:
        return {}

    def visit(self, work: Work) -> Visit:
        self.visits += 1
        return Visit((), {"cpu_time_s": work.count * self.cpu_s * (1.5 if self.visits % 3 == 0 else 1.0)})

    def close(self) -> Witnesses:
        return {}

    def kill(self) -> None:
        """Nothing to end."""


def test_the_reference_is_the_cost_of_undisturbed_batches() -> None:
    costs = cpu_per_operation({"short": Costly(2e-6), "long": Costly(1e-3), "longer": Costly(0.03)})

    assert costs == pytest.approx({"short": 2e-6, "long": 1e-3, "longer": 0.03})


def test_a_low_quartile_leaves_out_what_was_slow() -> None:
    assert low_quartile([1.0, 9.0, 1.1, 1.2, 8.0]) == pytest.approx(1.1)


def test_only_the_primary_finding_is_compared_with_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.honesty.session.truths_and_ends", lambda path: ({}, {"a/x": 3.0}))
    monkeypatch.setattr("benchmarks.honesty.session.verdicts_after", lambda path, blocks: {})
    levels = {"language": "php", "operation": "verify", "algorithm": "EdDSA"}
    finding = {
        "treatment": "a/x",
        "baseline": "a/base",
        "verdict": {"id": "slower-material"},
        "withheld": None,
        "effect": {"blocks": 7, "log_ratio_low": 0.8, "log_ratio_high": 0.9},
    }
    report = {
        "treatments": [{"id": "a/base", "levels": levels}, {"id": "a/x", "levels": levels}],
        "findings": [finding | {"standing": "primary"}, finding | {"standing": "secondary"}],
        "controls": [],
        "warnings": [],
        "run": {"started": "2026-11-22", "blocks": 7},
        "plan": {"preset": "quick", "seed": 1, "stopping": {"max_blocks": None, "budget_seconds": 60.0}},
    }

    session = from_report(report, tmp_path / "a.sectax", {"a/x": FACTOR})

    (kept,) = session.comparisons
    assert (kept.injected, kept.truth, kept.reference, kept.low) == ("verify EdDSA", None, FACTOR, 0.8)
    assert "60 s" in limit(session)
