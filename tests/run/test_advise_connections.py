"""What a run says of connections: how long a new one is, and what to doubt where one that is kept is slower."""

from __future__ import annotations

from pathlib import Path

import pytest

from sectax.analysis.findings import judge
from sectax.audit.own import registry as checks
from sectax.experiments.tls.levels import NEW, REQUEST
from sectax.model.measured import Measured
from sectax.model.treatment import Treatment
from tests.fakes.measured import measured
from tests.golden import as_agreed
from tests.machines import plan_of
from tests.run.advised import advised, printed

GOLDEN = Path(__file__).with_name("golden")
BLOCKS = tuple(range(1, 13))
OPTIONS = {"baseline": ("http://127.0.0.1:1/",), "treatment": ("a=http://127.0.0.1:2/",)}


def http(kept_s: float, new_s: float) -> Measured:
    """Every second block is slower by a thousandth, those of new connections by twice that."""
    plan = plan_of("http", "default", {"connection": ("kept", "new")}, OPTIONS)

    def latency(of: Treatment, block: int) -> float:
        seconds, more = {"kept": (kept_s, 0.001), "new": (new_s, 0.002)}[of.levels["connection"]]
        return seconds * (1 + more * (block % 2))

    counts = {"latency": {treatment.id: 100 for treatment in plan.treatments}}
    return measured(plan, {"latency": latency}, BLOCKS, counts=counts)


def said_of_connections(of: Measured) -> str:
    warned = [warning for warning in checks.run(of, judge(of)) if warning.check == "contained-work"]
    lines = [f"{warning.severity} {warning.subject} {warning.saw}: {warning.advice}" for warning in warned]
    lines += [
        line.strip()
        for line in printed(advised(of)).splitlines()
        if line.startswith("  new · ") and " requests" in line
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("name", "kept_s", "new_s"), [("longer", 2e-4, 1e-3), ("alike", 1e-3, 0.99e-3), ("delayed", 0.044, 3e-4)]
)
def test_a_kept_connection_that_is_slower_than_a_new_one_is_doubted(name: str, kept_s: float, new_s: float) -> None:
    as_agreed(GOLDEN / f"connections-{name}.txt", said_of_connections(http(kept_s, new_s)))


def test_a_new_connection_is_counted_in_requests_and_not_the_other_way_round() -> None:
    plan = plan_of("tls", "quick")
    seconds = {NEW.name: 0.02, REQUEST.name: 0.001}
    run = measured(plan, {name: lambda *_, s=value: s for name, value in seconds.items()}, BLOCKS)

    counts = [row.value.point for row in advised(run).rows]

    assert counts == [pytest.approx(20)] * len(counts)
    assert counts
