"""Advice from a run of secrets, by hand: what pays at a rate of calls."""

from __future__ import annotations

import pytest

from sectax.model.advice import NO_WORKLOAD, Advice, UserWorkload
from sectax.model.errors import WrongUse
from sectax.model.treatment import Treatment
from tests.fakes.measured import measured
from tests.machines import plan_of
from tests.run.advised import advised, printed

# On AWS nothing is asked of this machine.
ON_AWS = {
    "endpoint": ("aws",),
    "role": ("arn:aws:iam::123456789012:role/lambda",),
    "layer": ("arn:aws:lambda:us-east-1:123456789012:layer:extension:11",),
}
BLOCKS = tuple(range(1, 21))
# access -> situation -> seconds of a whole processor.
SECONDS = {
    "dictionary": {"hit": 0.4e-6, "miss": 0.010},
    "sidecar": {"hit": 1.0e-3, "miss": 0.012},
    "direct-new": {"hit": 0.040, "miss": 0.040},
}
SLOWER_AT_128 = 20.0


def given(asked: UserWorkload = NO_WORKLOAD, *, situations: tuple[str, ...] = ("hit", "miss")) -> Advice:
    """Advice from a run in which a function of 128 MB takes twenty times as long."""
    levels = {"access": tuple(SECONDS), "memory": ("128", "1769"), "situation": situations}
    plan = plan_of("secrets", "default", levels, ON_AWS)

    def access(of: Treatment, block: int) -> float:
        slower = SLOWER_AT_128 if of.levels["memory"] == "128" else 1.0
        return SECONDS[of.levels["access"]][of.levels["situation"]] * slower * (1 + 1e-3 * (-1) ** block)

    values = {"access": access, "first_access": lambda *_: 0.015, "backend": lambda *of: access(*of) / 2}
    return advised(measured(plan, values, BLOCKS), asked)


def points(of: Advice, group: str) -> dict[tuple[str, str], float]:
    return {
        (row.levels["access"], row.levels["memory"]): row.value.point for row in of.rows if row.group.startswith(group)
    }


def test_seconds_and_money_at_a_rate_are_those_worked_out_by_hand() -> None:
    found = given(UserWorkload(calls=10, ttl_s=100.0, rate_s=0.1))
    seconds, money = points(found, "Fastest"), points(found, "Cheapest")

    # One invocation in ten finds the TTL over.
    sidecar = 0.1 * 0.012 + 9.9 * 0.001
    assert seconds["sidecar", "1769"] == pytest.approx(sidecar, rel=1e-6)
    assert seconds["direct-new", "1769"] == pytest.approx(0.4, rel=1e-6)
    gb = 1769 / 1024
    wanted = 1e6 * sidecar * gb * 0.0000166667 + 1e6 * 0.1 * 0.05 / 10_000
    assert money["sidecar", "1769"] == pytest.approx(wanted, rel=1e-6)
    asked = 1e6 * 0.4 * gb * 0.0000166667 + 1e6 * 10 * 0.05 / 10_000
    assert money["direct-new", "1769"] == pytest.approx(asked, rel=1e-6)


def test_the_cheapest_comes_first_and_every_figure_has_its_ends_in_order() -> None:
    rows = [row for row in given().rows if row.group.startswith("Cheapest")]

    assert len(rows) == 6 * 3  # ways and memories; calls
    assert [row.levels["access"] for row in rows[:3]] == ["dictionary", "sidecar", "direct-new"]
    assert all(row.value.low <= row.value.point <= row.value.high for row in rows)


def test_without_misses_the_first_access_stands_for_them_and_is_named() -> None:
    found = given(UserWorkload(calls=1, ttl_s=1.0, rate_s=1.0), situations=("hit",))

    assert points(found, "Fastest")["sidecar", "1769"] == pytest.approx(0.015)
    assert "the first access of an instance is used instead" in printed(found)


def test_half_of_a_call_that_waits_for_the_answer_is_reported() -> None:
    parts = [row for row in given().rows if row.group == "Where the time goes"]

    assert {row.sentence for row in parts} == {"50 % of it"}
    assert {row.name for row in parts} == {"waiting for the answer", "the client's own work"}


def test_two_ways_that_are_not_distinguished_are_both_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SECONDS, "sidecar", SECONDS["dictionary"])

    assert "no clear difference from the first" in printed(given())


def test_an_experiment_without_rates_refuses_one() -> None:
    plan = plan_of("hmac", "default", {}, {key: ON_AWS[key] for key in ("endpoint", "role")})
    with pytest.raises(WrongUse):
        advised(measured(plan, {}, ()), UserWorkload(calls=3))
