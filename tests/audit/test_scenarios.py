"""Every check finds what it is there for, in at least 95 % of made-up variants, and accuses at most 1 % of sound ones.

The short form draws few variants of each; the full form a thousand, and prints the table.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
import pytest

from sectax.audit.own.registry import CHECKS as checks
from sectax.audit.own.registry import review
from sectax.model.finding import Severity
from tests.audit import clock_scenarios, own_scenarios, own_work_scenarios
from tests.audit.scenario import Scenario

SCENARIOS = (*own_scenarios.SCENARIOS, *own_work_scenarios.SCENARIOS, *clock_scenarios.SCENARIOS)
LEAST_RECALL = 0.95
MOST_FALSE_ALARMS = 0.01
# Of healthy evidence, to any check.
MOST_LOST = 0.05

FEW, MANY = 40, 1000


@dataclass(frozen=True)
class Tally:
    """Of so many variants of each kind: broken ones found, clean ones accused, clean ones accused fatally by any."""

    variants: int
    found: int
    accused: int
    lost: int


def tally(scenario: Scenario, variants: int) -> Tally:
    found = accused = lost = 0
    for number in range(variants):
        seed = [zlib.crc32(named(scenario).encode()), number]
        broken = review(scenario.make(np.random.default_rng([*seed, 1]), True))
        clean = review(scenario.make(np.random.default_rng([*seed, 0]), False))
        found += any(
            warning.severity is scenario.severity
            for outcome in broken
            if outcome.check == scenario.check
            for warning in outcome.warnings
        )
        accused += any(
            warning.severity is not Severity.NOTE
            for outcome in clean
            if outcome.check == scenario.check
            for warning in outcome.warnings
        )
        lost += any(warning.severity is Severity.FATAL for outcome in clean for warning in outcome.warnings)
    return Tally(variants, found, accused, lost)


def named(scenario: Scenario) -> str:
    return f"{scenario.check}: {scenario.name}"


@pytest.mark.more
@pytest.mark.parametrize("scenario", SCENARIOS, ids=named)
def test_check_finds_what_is_wrong_and_leaves_the_clean_twin_in_peace(scenario: Scenario) -> None:
    counted = tally(scenario, FEW)

    assert counted.found >= LEAST_RECALL * FEW
    # One in forty is more than one in a hundred, but may be chance.
    assert counted.accused <= 1
    assert counted.lost <= MOST_LOST * FEW


@pytest.mark.full
def test_recall_and_false_alarms_of_every_check(capsys: pytest.CaptureFixture[str]) -> None:
    every = {named(scenario): tally(scenario, MANY) for scenario in SCENARIOS}

    with capsys.disabled():
        print(f"\nper cent of {MANY} variants of each   recall  false alarms  clean, with an F of any check")
        for name, counted in every.items():
            shares = [100 * count / counted.variants for count in (counted.found, counted.accused, counted.lost)]
            print(f"{name:45} {shares[0]:6.1f} {shares[1]:10.1f} {shares[2]:12.1f}")
    assert [name for name, counted in every.items() if counted.found < LEAST_RECALL * MANY] == []
    assert [name for name, counted in every.items() if counted.accused > MOST_FALSE_ALARMS * MANY] == []
    assert sum(counted.lost for counted in every.values()) <= MOST_LOST * MANY * len(every)


def test_scenarios_are_about_checks_that_there_are_and_have_names_of_their_own() -> None:
    names = [named(scenario) for scenario in SCENARIOS]

    assert {scenario.check for scenario in SCENARIOS} <= {check.id for check in checks}
    assert len(set(names)) == len(names)
