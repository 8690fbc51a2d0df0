"""Advice of s3: where the cost of encryption sits, what AWS would be paid, and which quota the requests would meet."""

from __future__ import annotations

import dataclasses
import json

import pytest

from sectax.advice.advise import advice
from sectax.analysis.analyse import analyse
from sectax.experiments.interface import Request
from sectax.experiments.s3.experiment import EXPERIMENT
from sectax.model.measured import Measured
from sectax.model.plan import Stopping
from sectax.prices import load
from sectax.workflow.present import View, render
from tests.fakes.measured import measured
from tests.machines import planned

BLOCKS = tuple(range(1, 9))


@pytest.fixture
def run() -> Measured:
    """GETs of 1 and 100 MB take 2 and 200 ms; SSE-KMS takes 10 % more, half of it on the server's processors."""
    levels = {"operation": ("get",), "size": ("1MB", "100MB"), "encryption": ("none", "sse-kms")}
    plan = planned(EXPERIMENT, Request("quick", levels, Stopping(0.02), 1))
    values: dict[str, dict[str, dict[int, float]]] = {"latency": {}, "first_byte": {}, "server_cpu": {}}
    for each in plan.treatments:
        latency = {"1MB": 2e-3, "100MB": 0.2}[each.levels["size"]]
        kms = each.levels["encryption"] == "sse-kms"
        # Every second block is slower by a tenth, all treatments alike.
        slow = {block: 1.1 if block % 2 else 1.0 for block in BLOCKS}
        # What KMS takes more differs a little from block to block.
        kms_times = {block: 1.1 + 0.002 * (-1) ** (block // 2) if kms else 1.0 for block in BLOCKS}
        for metric, share in (("latency", 1.0), ("server_cpu", 0.5)):
            values[metric][each.id] = {block: share * latency * kms_times[block] * more for block, more in slow.items()}
        values["first_byte"][each.id] = dict.fromkeys(BLOCKS, 1e-3)
    return measured(plan, values, BLOCKS)


def said(run: Measured, form: str = "terminal") -> str:
    made = advice(analyse(run), EXPERIMENT.advice_rules(run.plan), load())
    return render(made, form, View(width=400))


def test_the_cost_is_told_where_it_sits(run: Measured) -> None:
    text = said(run)

    assert "size 100MB · sse-kms: latency +21 ms (15 to 27); of it until the first byte 0 s;" in text
    assert "CPU time of the server +10.5 ms" in text
    # What no treatment observed is left out, and is not zero.
    assert "CPU time of the client" not in text
    assert "bytes on disk" not in text


def test_what_is_not_decided_is_not_advised_on(run: Measured) -> None:
    """Differences that swing from block to block, as those of a noisy run whose comparisons are all undecided."""
    swing = {block: 1.0 + 0.4 * (-1) ** block for block in BLOCKS}
    latency = {
        name: {block: value * (swing[block] if name.endswith("sse-kms") else 1.0) for block, value in column.items()}
        for name, column in run.values["latency"].items()
    }
    noisy = dataclasses.replace(run, values=run.values | {"latency": latency})
    analysed = analyse(noisy)
    made = advice(analysed, EXPERIMENT.advice_rules(run.plan), load())
    undecided = {
        finding.comparison.treatment
        for finding in analysed.findings
        if finding.comparison.metric == "latency" and finding.verdict == "inconclusive"
    }

    assert undecided >= {treatment.id for treatment in run.plan.treatments if treatment.role == "treatment"}
    assert all(dict(placed.parts)["latency"] is None for placed in made.placed)
    text = said(noisy)
    assert "latency undecided; of it until the first byte 0 s; CPU time of the server +10.5 ms" in text
    document = json.loads(said(noisy, "json"))
    assert document["places"][0]["parts"][0]["more"] is None


def test_the_figure_of_advice_is_that_of_the_finding(run: Measured) -> None:
    analysed = analyse(run)
    made = advice(analysed, EXPERIMENT.advice_rules(run.plan), load())
    costs = {
        (finding.comparison.treatment, finding.comparison.metric): finding.effect.absolute
        for finding in analysed.findings
        if finding.effect is not None
    }

    assert made.placed
    for placed in made.placed:
        assert dict(placed.parts)["latency"] == costs[placed.treatment, "latency"]


def test_a_million_operations_have_their_price_with_and_without_a_bucket_key(run: Measured) -> None:
    text = said(run)

    assert "none: 0.4 USD\n" in text
    assert "sse-kms, without a bucket key: 3.4 USD (0.4 for S3 GET requests and 3 for KMS requests)" in text
    assert "sse-kms, with a bucket key: 0.43 USD" in text
    # The size changes no price, so each is said once.
    assert text.count("3.4 USD") == 1


def test_the_measured_rate_is_held_against_the_quota(run: Measured) -> None:
    lines = [line for line in said(run).splitlines() if "quota of 100,000" in line]

    assert len(lines) == 2
    assert "size 1MB · sse-kms" in lines[0]
    assert "without a bucket key: 430 requests/s, 0.43 % of it (230 such clients meet it)" in lines[0]
    assert "with a bucket key: 4.3 requests/s" in lines[0]


def test_what_of_it_holds_on_aws_stands_at_the_end(run: Measured) -> None:
    text = said(run)

    assert "On AWS the service's share is not yours to pay" in text.split("What of it holds elsewhere")[1]


def test_the_document_has_all_of_it_in_numbers(run: Measured) -> None:
    document = json.loads(said(run, "json"))

    assert document["places"][0]["parts"][0]["words"] == "latency"
    requested = {(each["treatment"].split("/")[-1], each["way"]): each for each in document["requested"]}
    assert requested["sse-kms", "with a bucket key"]["total"] == pytest.approx(0.43)
    assert requested["none", None]["limited_s"] is None
    assert requested["sse-kms", "without a bucket key"]["quota_s"] == 100_000
