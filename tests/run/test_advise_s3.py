"""Advice of s3: where the cost of encryption is, and what AWS would be paid."""

from __future__ import annotations

import dataclasses

import pytest

from sectax.analysis.analyse import analyse
from sectax.model.finding import AuditWarning, Severity
from sectax.model.measured import Measured
from sectax.model.treatment import Standing, Treatment
from sectax.reports.words.decisions import answers
from sectax.run.advice import decided
from sectax.text import claims
from tests.fakes.measured import measured
from tests.machines import plan_of
from tests.run.advised import advised, document

BLOCKS = tuple(range(1, 9))


@pytest.fixture
def run() -> Measured:
    """GETs of 1 and 100 MB take 2 and 200 ms; SSE-KMS takes 10 % more, half of it on the server's processors."""
    levels = {"operation": ("get",), "size": ("1MB", "100MB"), "encryption": ("none", "sse-kms")}
    plan = plan_of("s3", "quick", levels)

    def latency(of: Treatment, block: int) -> float:
        # Every second block is slower by a tenth; what KMS takes more differs a little from block to block.
        kms = 1.1 + 0.002 * (-1) ** (block // 2) if of.levels["encryption"] == "sse-kms" else 1.0
        return {"1MB": 2e-3, "100MB": 0.2}[of.levels["size"]] * kms * (1.1 if block % 2 else 1.0)

    values = {"latency": latency, "first_byte": lambda *_: 1e-3, "server_cpu": lambda *of: 0.5 * latency(*of)}
    return measured(plan, values, BLOCKS)


def test_the_cost_is_given_where_it_sits(run: Measured) -> None:
    costs = [row for row in document(advised(run))["rows"] if row["levels"]["size"] == "100MB"]

    # What no treatment observed (CPU time of the client, bytes on disk) is left out, and is not zero.
    assert {row["name"]: row["value"]["point"] for row in costs} == {
        "latency": pytest.approx(0.021, rel=0.01),
        "latency to the first byte": 0.0,
        "CPU time of the server": pytest.approx(0.0105, rel=0.01),
    }


def test_what_is_withdrawn_has_no_figures(run: Measured) -> None:
    warnings = [AuditWarning("c", Severity.FATAL, "run", "", "")]

    assert {(row.value, row.sentence) for row in advised(run, warnings=warnings).rows} == {(None, "withdrawn")}


def test_a_month_is_reported_with_and_without_a_bucket_key(run: Measured) -> None:
    outlays = document(advised(run))["decision"]["outlays"]

    totals = {(outlay["level"], outlay["way"]): outlay["total"] for outlay in outlays}
    plain = totals["none", None]
    assert totals["sse-kms", "without a bucket key"] - plain == pytest.approx(3.0)
    assert totals["sse-kms", "with a bucket key"] - plain == pytest.approx(0.03)


def test_what_is_not_decided_is_not_advised_on(run: Measured) -> None:
    """Differences that swing from block to block, as those of a noisy run whose comparisons are all undecided."""
    swing = {block: 1.0 + 0.4 * (-1) ** block for block in BLOCKS}
    latency = {
        name: {block: value * (swing[block] if name.endswith("sse-kms") else 1.0) for block, value in column.items()}
        for name, column in run.values["latency"].items()
    }
    noisy = dataclasses.replace(run, values=run.values | {"latency": latency})
    undecided = {
        finding.comparison.treatment
        for finding in analyse(noisy).findings
        if finding.comparison.metric == "latency" and finding.verdict == "inconclusive"
    }

    assert undecided >= {treatment.id for treatment in run.plan.treatments if treatment.role == "treatment"}
    rows = document(advised(noisy))["rows"]
    assert [row["value"] for row in rows if row["name"] == "latency"] == [None, None]
    large = {row["name"]: row["value"] for row in rows if row["levels"]["size"] == "100MB"}
    assert large["latency to the first byte"]["point"] == 0.0
    assert large["CPU time of the server"]["point"] == pytest.approx(0.0105, rel=0.01)


def test_of_what_is_not_decided_its_most_is_reported(run: Measured) -> None:
    """Differences of a few per cent to either side."""
    swing = {block: 1.0 + 0.02 * (-1) ** block for block in BLOCKS}
    plain = {name.rpartition("/")[0]: column for name, column in run.values["latency"].items() if name.endswith("none")}
    latency = {
        name: {
            block: value * (swing[block] if name.endswith("sse-kms") else 1.0)
            for block, value in plain[name.rpartition("/")[0]].items()
        }
        for name in run.values["latency"]
        if name.rpartition("/")[0] in plain
    }
    analysed = analyse(dataclasses.replace(run, values=run.values | {"latency": latency}))
    decision = decided(analysed)

    (sentence,) = answers(run.plan, decision)
    effects = [finding.effect for finding in decision.findings if finding.effect is not None]
    assert f"at most {claims.farthest(max(effects, key=lambda effect: effect.high))}" in sentence


def test_the_figure_of_advice_is_that_of_the_finding(run: Measured) -> None:
    costs = [
        finding.effect.absolute
        for finding in analyse(run).findings
        if finding.comparison.metric == "latency" and finding.comparison.standing is Standing.PRIMARY
    ]

    assert [row.value for row in advised(run).rows if row.name == "latency"] == costs
    assert len(costs) == 2
