"""What new connections cost, in words: round trips, processors, requests."""

from __future__ import annotations

import pytest

from sectax.model.advice import Connection
from sectax.model.finding import Estimate
from sectax.model.plan import Plan
from sectax.reports.words import connections
from tests.machines import plan_of


@pytest.mark.parametrize(("received", "more"), [(0, 0), (801, 0), (14_600, 0), (14_601, 1), (43_800, 1), (43_801, 2)])
def test_a_server_sends_ten_segments_and_then_twice_as_many(received: float, more: int) -> None:
    assert connections.more_trips(received) == more


def known(point: float, unit: str = "s") -> Estimate:
    return Estimate(point, 0.9 * point, 1.1 * point, 0.95, "student-t-over-blocks", 10, unit)


def of(plan: Plan, treatment: str, *, secure: bool = True) -> Connection:
    size = known(800.0, "B") if secure else None
    return Connection("go", treatment, known(1e-3), known(60.0, ""), known(5e-4), known(4e-4), size, size)


def test_a_rate_of_new_connections_is_given_in_processors() -> None:
    plan = plan_of("tls", "quick")
    said = list(connections.sentences(plan, [of(plan, plan.cells[0].baseline)]))

    assert "54 to 66" in said[0]
    assert "0.36 to 0.44" in said[1]


def test_without_tls_there_is_no_advice_on_keeping_connections() -> None:
    plan = plan_of("tls", "quick")

    assert list(connections.sentences(plan, [of(plan, plan.cells[0].baseline, secure=False)])) == []
