"""Advice of database: what TLS adds in time, and how many transactions a new connection is worth."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sectax.model.measured import Measured
from sectax.model.treatment import Treatment
from tests.fakes.measured import measured
from tests.machines import plan_of
from tests.run.advised import advised, document, printed

BLOCKS = tuple(range(1, 9))
CONNECTION = "A new connection"
SECONDS = {("kept", "disable"): 1e-4, ("kept", "require"): 1.2e-4, ("new", "disable"): 0.02, ("new", "require"): 0.03}


def run(**levels: tuple[str, ...]) -> Measured:
    """Every second block is slower by a tenth, all treatments alike; those of new connections by a little more."""
    plan = plan_of("database", "quick", {"access": ("disable", "require"), **levels})

    def seconds(of: Treatment, block: int = 0) -> float:
        return SECONDS[of.levels["connection"], of.levels["access"]]

    def latency(of: Treatment, block: int) -> float:
        more = {"kept": 1.1, "new": 1.12}[of.levels["connection"]]
        # What TLS takes more differs a little from block to block.
        own = 0.002 if of.levels["access"] == "require" else 0.0
        return seconds(of) * (more if block % 2 else 1.0) * (1 + own * (-1) ** (block // 2))

    values = {
        "latency": latency,
        "client_cpu": lambda *of: 0.1 * seconds(*of),
        "server_cpu": lambda *of: 0.4 * seconds(*of),
    }
    return measured(plan, values, BLOCKS)


def rows(of: Measured, group: str) -> list[dict[str, Any]]:
    return [row for row in document(advised(of))["rows"] if row["group"].startswith(group)]


def test_a_new_connection_is_counted_in_transactions() -> None:
    counts = {row["levels"]["access"]: row["value"] for row in rows(run(), CONNECTION)}

    assert counts["disable"]["point"] == pytest.approx(202, rel=0.01)
    assert counts["require"]["point"] == pytest.approx(252, rel=0.01)
    assert counts["disable"]["low"] < 202 < counts["disable"]["high"]
    assert re.search(r"new · disable +201\.8 transactions \(200\.1 to 203\.5\)", printed(advised(run())))


def test_without_kept_connections_there_is_no_worth() -> None:
    assert rows(run(connection=("new",)), CONNECTION) == []


def test_the_cost_is_given_in_time() -> None:
    costs = {row["levels"]["connection"]: row["value"] for row in rows(run(), "Where the cost is") if row["value"]}

    assert costs["new"]["point"] == pytest.approx(0.0106, rel=0.01)


def test_the_headline_is_the_time_that_is_added() -> None:
    assert "require: new +10.6 ms" in printed(advised(run()))
