"""What a run says of connections: how long a new one is, and what to doubt where one that is kept is slower."""

from __future__ import annotations

from pathlib import Path

import pytest

from sectax.advice.decide import decide
from sectax.analysis.findings import judge
from sectax.audit.own import registry as checks
from sectax.experiments.tls.levels import NEW, REQUEST
from sectax.model.measured import Measured
from sectax.model.treatment import Treatment
from sectax.prices import load
from sectax.reports.words import decisions
from sectax.run.advice import experiment_rules
from sectax.run.analyse import analyse_measured
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


def todo(of: Measured) -> str:
    analysed = analyse_measured(of)
    decision = decide(analysed, experiment_rules(analysed), load())
    assert decision is not None
    return " ".join(decisions.decision(analysed, decision))


def delayed(block: int, of: Treatment) -> float:
    """A kept connection waits for a delayed ACK, by turns; a new one to `a` is slower for certain."""
    if of.levels["connection"] == "kept":
        return 0.044 * (1 + 0.3 * ((block + 3 * len(of.id)) % 5 - 2))
    return 3e-4 * (5.0 if of.levels["service"] == "a" else 1.0) * (1 + 1e-3 * ((7 * block + len(of.id)) % 5))


def test_a_known_cause_is_what_to_do_and_a_longer_run_is_not() -> None:
    plan = plan_of("http", "default", {"connection": ("kept", "new")}, OPTIONS)
    counts = {"latency": {treatment.id: 100 for treatment in plan.treatments}}
    text = todo(measured(plan, {"latency": lambda of, block: delayed(block, of)}, BLOCKS, counts=counts))

    assert text.count("set TCP_NODELAY: the rest waits 40 ms for a delayed ACK") == 1
    assert "--budget" not in text
    assert "TCP_NODELAY" not in todo(http(1e-3, 0.99e-3))


def test_cpu_time_that_is_decided_is_said_where_latency_is_not() -> None:
    plan = plan_of("http", "default", {"connection": ("kept",)}, OPTIONS)

    def latency(of: Treatment, block: int) -> float:
        return 1e-3 * (1 + 0.3 * ((block + 3 * len(of.id)) % 5 - 2))

    def cpu(of: Treatment, block: int) -> float:
        return 1e-4 * (1.13 if of.levels["service"] == "a" else 1.0) * (1 + 0.001 * ((7 * block + len(of.id)) % 5))

    text = todo(measured(plan, {"latency": latency, "client_cpu": cpu}, BLOCKS))

    assert "Undecided in latency, but not in CPU time of the client: a is 13.0 % slower" in text
