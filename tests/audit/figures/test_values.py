"""What single values show of themselves, in somebody's file as in made-up evidence."""

from __future__ import annotations

import numpy as np
import pytest

from sectax.audit.evidence import Evidence
from sectax.audit.importers.columns import Columns
from sectax.audit.registry import review
from sectax.model.finding import AuditWarning, Severity
from tests.audit.importers.samples import read, sample

RNG = np.random.default_rng(3)


def table(**sides: np.ndarray) -> Evidence:
    rows = [f"{side},{value:.9f}" for side, values in sides.items() for value in values]
    return read("\n".join(["side,time", *rows]), columns=Columns(value="time", unit="s", by=("side",)))


def said(evidence: Evidence, check: str) -> list[AuditWarning]:
    return [warning for outcome in review(evidence) if outcome.check == check for warning in outcome.warnings]


def of_modes(share: float, count: int = 200) -> np.ndarray:
    return np.where(RNG.permutation(count) < share * count, 1.5, 1.0) * np.exp(RNG.normal(0, 0.02, count))


def test_values_that_double_are_told_by_how_much() -> None:
    steady = np.exp(RNG.normal(0, 0.05, 200))

    (warning,) = said(table(plain=steady, hmac=steady[::-1] * np.linspace(1, 2, 200)), "drift")

    assert (warning.severity, warning.figures) == (Severity.WARNING, ("time: hmac",))
    assert warning.saw.startswith("from the first to the last of 200 values the time changes by +")


def test_two_modes_are_shown_and_take_the_medians_away_where_they_are_not_equally_often() -> None:
    fatal, shown = said(table(plain=of_modes(0.2), hmac=of_modes(0.7)), "modes")

    assert (fatal.severity, shown.severity) == (Severity.FATAL, Severity.WARNING)
    assert "20 % of time: plain and 70 % of time: hmac" in fatal.saw
    assert fatal.figures == shown.figures == ("time: plain", "time: hmac")


def test_modes_that_are_equally_often_take_no_median_away() -> None:
    assert [each.severity for each in said(table(plain=of_modes(0.3), hmac=of_modes(0.3)), "modes")] == [
        Severity.WARNING
    ]


def test_ticks_of_a_coarse_clock_are_no_modes_and_no_drift() -> None:
    ticks = np.where(RNG.random(300) < 0.4, 0.002, 0.001)

    assert said(table(plain=ticks), "modes") == said(table(plain=ticks), "drift") == []


def test_values_that_are_all_equal_go_nowhere() -> None:
    assert said(table(plain=np.ones(50)), "modes") == said(table(plain=np.ones(50)), "drift") == []


@pytest.mark.parametrize(("check", "fewest"), [("drift", 6), ("modes", 10)])
def test_few_values_or_a_zero_among_them_cannot_be_checked(check: str, fewest: int) -> None:
    (note,) = said(table(few=np.ones(fewest - 1), zero=np.append(np.ones(20), 0)), check)

    assert note.saw.startswith("cannot be checked")
    assert note.figures == ("time: few", "time: zero")


@pytest.mark.parametrize(
    ("name", "check"), [("wrk.txt", "saturated-client"), ("warp.txt", "saturated-client"), ("lambda.txt", "throttling")]
)
def test_what_a_tool_does_not_tell_cannot_be_checked(name: str, check: str) -> None:
    (note,) = said(read(sample(name)), check)

    assert note.severity is Severity.NOTE


def test_one_side_whose_modes_differ_is_named_with_those_it_differs_from() -> None:
    (fatal, *_) = said(table(a=of_modes(0.3), b=of_modes(0.3), c=of_modes(0.8)), "modes")

    assert fatal.severity is Severity.FATAL
    assert set(fatal.figures) == {"time: a", "time: b", "time: c"}
