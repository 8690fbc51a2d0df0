"""Advice from a run: the bill by hand, and what is said where there is none."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sectax.cli.present import View, render
from sectax.model.advice import Advice
from sectax.model.treatment import Treatment
from sectax.prices import load
from tests.fakes.measured import measured
from tests.machines import plan_of
from tests.program import sectax
from tests.run.advised import advised, document, printed

ON_AWS = {"endpoint": ("aws",), "role": ("arn:aws:iam::123456789012:role/lambda",)}
# Memory -> seconds without the check; with it a fifth more.
SECONDS = {"128": 0.0802, "1024": 0.0101}
TIMES = {"immediate": 0.5, "none": 1.0, "hmac-sha512": 1.2}
BLOCKS = tuple(range(1, 21))


def given(noise: float = 0.0, blocks: int = len(BLOCKS)) -> Advice:
    """Advice from a run whose blocks are all alike but for *noise*."""
    levels = {"payload": ("1MiB",), "memory": tuple(SECONDS), "authentication": ("none", "hmac-sha512")}
    plan = plan_of("hmac", "default", levels, ON_AWS)

    def duration(of: Treatment, block: int) -> float:
        return (1 + noise * (-1) ** block) * SECONDS[of.levels["memory"]] * TIMES[of.levels["authentication"]]

    run = measured(
        plan,
        {"duration": duration, "billed_duration": lambda *of: math.ceil(1e3 * duration(*of)) / 1e3},
        BLOCKS[:blocks],
        telemetry={of.id: {"periods": 50.0, "throttled_periods": 20.0 * ("/128/" in of.id)} for of in plan.treatments},
    )
    return advised(run)


def test_the_bill_is_requests_and_whole_milliseconds_of_memory() -> None:
    prices = load()
    decision = given().decision
    (outlay,) = (bill for bill in decision.outlays if bill.levels["memory"] == "128" and not bill.is_baseline)

    per_gb_s = prices.items["lambda.x86_64"].price
    # 96.24 ms are billed as 97.
    assert outlay.bill.total == pytest.approx(0.20 + 1e6 * 0.097 * 128 / 1024 * per_gb_s)


def test_no_money_is_named_without_an_interval_that_it_follows_from() -> None:
    noisy, few = given(noise=0.2).decision, given(blocks=1).decision

    assert all(outlay.least < outlay.bill.total < outlay.most for outlay in noisy.outlays)
    assert few is None or few.outlays == ()


def test_lines_fit_into_the_terminal() -> None:
    assert max(map(len, render(given(), "terminal", View(72)).splitlines())) <= 72


def test_the_document_explains_every_null() -> None:
    made = document(given())

    used_up = [row for row in made["rows"] if row["group"].startswith("CPU quota")]
    assert [row["value"]["point"] for row in used_up] == [0.4, 0.4, 0, 0]
    assert all(row["value"]["missing"].keys() == {"low", "high"} for row in used_up)


def test_a_run_without_a_block_gives_no_advice() -> None:
    empty = replace(given(), rows=(), decision=None)

    assert "no advice for this run" in printed(empty)


def test_two_commands_have_advice_too(tmp_path) -> None:
    out = tmp_path / "r.sectax"
    commands = ("--baseline", "sleep 0.1", "--treatment", "longer=sleep 0.2")
    sectax("run", "command", *commands, "--blocks", "6", "--out", str(out), simulated=1)

    done = sectax("advise", str(out))

    assert done.status == 0, done.err
    assert "Keep baseline" in done.out
