"""Every check of other people's numbers: what must fire, and its clean twin, which must not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from sectax.audit.checks.failures import failure_share
from sectax.audit.checks.quantiles import needed
from sectax.audit.checks.registry import CHECKS, review
from sectax.audit.form import (
    BrokenPromise,
    Claim,
    Cold,
    Contrast,
    EndsBy,
    Evidence,
    Moves,
    Quantity,
    Series,
    Setting,
    TrialWork,
    Trouble,
    TroubleKind,
)
from sectax.model.finding import Severity

RNG = np.random.default_rng(7)
NOISE = tuple((1e-3 * np.exp(0.02 * RNG.standard_normal(40))).tolist())


def series(
    name: str = "a",
    *,
    quantity: Quantity = Quantity.TIME,
    values: Sequence[float] = (),
    work: TrialWork | None = None,
    setting: Setting | None = None,
    count: int | None = None,
    step: float = 0.0,
    **claims: float,
) -> Series:
    made = tuple(Claim(f"{name} {statistic}", statistic, value, step) for statistic, value in claims.items())
    return Series(
        id=name,
        table="t",
        levels={"side": name},
        metric="m",
        quantity=quantity,
        claims=made,
        values=values,
        count=count,
        work=work or TrialWork(),
        setting=setting or Setting(),
        run=name,
    )


def told(*every: Series, contrast: Contrast | None = None, **more: object) -> Evidence:
    return Evidence(every, contrast, imported=True, **more)  # type: ignore[arg-type]


def one(name: str = "a", **more: object) -> Evidence:
    return told(series(name, **more))  # type: ignore[arg-type]


def said(evidence: Evidence) -> set[str]:
    return {
        f"{warning.severity.value} {outcome.check}"
        for outcome in review(evidence)
        for warning in outcome.warnings
        if warning.severity is not Severity.NOTE
    }


def total(name: str, operations: float, seconds: float) -> Series:
    return series(name, quantity=TOTAL, work=TrialWork(operations=operations), total=seconds)


def of_size(size: float, time: float, **work: object) -> Series:
    return series(str(size), work=TrialWork(moves=Moves.BODY, size_bytes=size, **work), mean=time, count=50)  # type: ignore[arg-type]


COMPARED = Contrast("side", "a")
TRIAL = TrialWork(operations=10_000, duration_s=10.0, connections=10)
RATE, TOTAL = Quantity.RATE, Quantity.TOTAL_TIME
MODES = tuple(value * (3 if at % 2 else 1) for at, value in enumerate(NOISE))

# What is wrong -> the mark and the check, evidence with it, and its clean twin.
RULES: dict[str, tuple[str, Evidence, Evidence]] = {
    "quantiles that fall": ("F contradiction", one(median=2.0, p90=1.0), one(median=1.0, p90=2.0)),
    "a mean above the maximum": ("F contradiction", one(mean=3.0, max=2.0), one(mean=1.0, max=2.0)),
    "a mean that its values exclude": ("F contradiction",
        one(values=NOISE, mean=2e-3), one(values=NOISE, mean=float(np.mean(NOISE)))),
    "a rate that is not its count over its time": ("F contradiction",
        one(quantity=RATE, work=TRIAL, rate=2000.0), one(quantity=RATE, work=TRIAL, rate=1000.0)),
    "a promise that is broken": ("F contradiction",
        told(series(mean=1.0), broken=(BrokenPromise("a = b", 1.0, 2.0, "run"),)), one(mean=1.0)),
    "a failure that the tool reports": ("F said-by-the-tool",
        told(series(mean=1.0), troubles=(Trouble(TroubleKind.FAILED, 3, "panic"),)), one(mean=1.0)),
    "an output that was cut": ("W said-by-the-tool",
        told(series(mean=1.0), troubles=(Trouble(TroubleKind.CUT, 3, "no end"),)), one(mean=1.0)),
    "operations that failed": ("F unequal-work",
        one(work=replace(TRIAL, failures=20.0), mean=0.009), one(work=replace(TRIAL, failures=0.0), mean=0.009)),
    "a few operations that failed": ("W unequal-work",
        one(work=replace(TRIAL, failures=5.0), mean=0.009), one(work=replace(TRIAL, failures=0.0), mean=0.009)),
    "a time that was configured": ("F fixed-time-total",
        one(quantity=TOTAL, work=TrialWork(ends_by=EndsBy.TIME), total=10.0),
        one(quantity=TOTAL, work=TrialWork(ends_by=EndsBy.EVENTS, operations=1000.0), total=10.0)),
    "as long for three times as many": ("W fixed-time-total",
        told(*(total(name, count, 60.01) for name, count in (("a", 3e4), ("b", 1e4)))),
        told(total("a", 3e4, 60.01), total("b", 1e4, 21.4))),
    "a least time of nothing": ("W timer", one(mean=0.004, min=0.0), one(mean=0.004, min=0.001)),
    "a mean above p95": ("W modes",
        one(mean=9.13e-3, p95=8.46e-3, count=50_000), one(mean=8.13e-3, p95=8.46e-3, count=50_000)),
    "a median rate far below the mean": ("W modes",
        one(quantity=RATE, mean=835.0, median=247.0), one(quantity=RATE, mean=335.0, median=247.0)),
    "few values that scatter": ("W modes", one(mean=31.2, stddev=11.7, count=5), one(mean=31.2, stddev=1.7, count=5)),
    "a quantile a little above the maximum": ("W contradiction",
        one(mean=0.1, p95=0.612, max=0.588), one(mean=0.1, p95=0.589, max=0.588)),
    "a rate that was asked for": ("F fixed-time-total",
        one(quantity=RATE, work=TrialWork(target_rate=500.0), rate=500.1),
        one(quantity=RATE, work=TrialWork(target_rate=500.0, achieved_rate=300.0), rate=300.0)),
    "nothing that was counted": ("F zero-event-run",
        one(quantity=RATE, work=TrialWork(operations=0.0), rate=0.0),
        one(quantity=RATE, work=TrialWork(operations=1000.0), rate=100.0)),
    "a run of a second": ("W short-run",
        one(work=TrialWork(operations=1000.0, duration_s=1.0), mean=0.001),
        one(work=TrialWork(operations=10_000.0, duration_s=10.0), mean=0.001)),
    "requests that wait for the client": ("F saturated-client",
        one(work=replace(TRIAL, by_schedule=True), mean=1.0), one(work=replace(TRIAL, by_schedule=True), mean=0.02)),
    "a run twice as long as configured": ("F contradiction",
        one(work=replace(TRIAL, configured_s=3.0, ends_by=EndsBy.TIME, duration_s=29972.83), mean=0.01),
        one(work=replace(TRIAL, configured_s=30.0, ends_by=EndsBy.TIME, duration_s=30.4), mean=0.01)),
    "a run that is a quarter shorter than configured": ("W contradiction",
        one(work=replace(TRIAL, configured_s=40.0, ends_by=EndsBy.TIME, duration_s=30.0), mean=0.01),
        one(work=replace(TRIAL, configured_s=40.0, duration_s=30.0), mean=0.01)),
    "more requests in flight than connections": ("F contradiction",
        one(work=TrialWork(operations=1000.0, duration_s=10.0, connections=10.0), mean=0.2),
        one(work=TrialWork(operations=1000.0, duration_s=10.0, connections=10.0), mean=0.1)),
    "requests that were not sent": ("F saturated-client",
        one(work=replace(TRIAL, dropped=100.0), mean=0.009), one(work=replace(TRIAL, dropped=0.0), mean=0.009)),
    "a label that contradicts its curve": ("F mislabelled-level",
        one("ECDSA 384bit (prime256v1)", quantity=RATE, rate=5.0),
        one("ECDSA 256bit (prime256v1)", quantity=RATE, rate=5.0)),
    "nothing without the control": ("F no-baseline",
        told(series(mean=1.0), contrast=Contrast("side", None)),
        told(series(mean=1.0), series("b", mean=1.0), contrast=COMPARED)),
    "sides on two processors": ("F apples-and-oranges",
        told(*(series(name, setting=Setting(processor=name), mean=1.0) for name in "ab"), contrast=COMPARED),
        told(*(series(name, setting=Setting(processor="x"), mean=1.0) for name in "ab"), contrast=COMPARED)),
    "one side through a tracer": ("F unequal-instruments",
        told(series("a", setting=Setting(instrument="none"), mean=1.0),
            series("b", setting=Setting(instrument="X-Ray"), mean=1.0), contrast=COMPARED),
        told(*(series(name, setting=Setting(instrument="none"), mean=1.0) for name in "ab"), contrast=COMPARED)),
    "values that were copied": ("F copied-data",
        told(series("a", values=NOISE), series("b", values=NOISE)),
        told(series("a", values=NOISE), series("b", values=NOISE[::-1]))),
    "cold and warm in one summary": ("F first-trial",
        one(work=TrialWork(cold=Cold.MIXED), mean=1.0), one(work=TrialWork(cold=Cold.APART), mean=1.0)),
    "a slow first value": ("W first-trial", one(values=(3e-3, *NOISE)), one(values=NOISE)),
    "values that fall": ("W drift",
        one(values=[value * (2 - at / 40) for at, value in enumerate(NOISE)]), one(values=NOISE)),
    "values in two modes": ("W modes", one(values=MODES), one(values=NOISE)),
    "repetitions that are far apart": ("W modes", one(values=(1.0, 1.1, 20.0)), one(values=(1.0, 1.1, 1.2))),
    "a mean of twice the median": ("W modes", one(mean=3.0, median=1.0, max=50.0), one(mean=1.1, median=1.0, max=5.0)),
    "an error of half the value": ("W modes", one(mean=1.0, error=0.5), one(mean=1.0, error=0.02)),
    "a p99 of a hundred values": ("F unsupported-quantile", one(p99=1.0, count=100), one(p99=1.0, count=400)),
    "one process": ("W false-replication",
        one(work=TrialWork(replicates=1), mean=1.0), one(work=TrialWork(replicates=5), mean=1.0)),
    "times of nothing": ("F timer", one(values=[0.0, 1e-3] * 10), one(values=NOISE)),
    "a time of one printed step": ("W timer", one(mean=1e-3, step=1e-3), one(mean=20e-3, step=1e-3)),
    "a batch of fifty steps of the clock": ("F timer",
        one(setting=Setting(granularity_s=1e-6), mean=50e-6), one(setting=Setting(granularity_s=1e-9), mean=50e-6)),
    "a body that was not moved": ("F flat-with-size",
        told(of_size(1e4, 1e-3, link_bytes_s=1e9), of_size(1e8, 1.1e-3, link_bytes_s=1e9)),
        told(of_size(1e4, 1e-3, link_bytes_s=1e9), of_size(1e8, 0.12, link_bytes_s=1e9))),
    "the same time for three sizes on one core": ("F flat-with-size",
        told(*(of_size(size, 5e-3, operation="encrypt_ms") for size in (1e4, 1e6, 1e8))),
        told(*(of_size(size, 5e-3, operation="copy") for size in (1e4, 1e6, 1e8)))),
    "more than the link carries": ("F faster-than-physics",
        told(of_size(1e9, 1e-3, link_bytes_s=1e9)), told(of_size(1e6, 1.0, link_bytes_s=1e9))),
    "a request of more than a network carries": ("F faster-than-physics",
        one(work=TrialWork(operation="GET", moves=Moves.BODY, size_bytes=1e8), mean=4e-4),
        one(work=TrialWork(operation="GET", moves=Moves.BODY, size_bytes=1e8), mean=4e-2)),
    "an empty loop": ("F faster-than-physics",
        one(work=TrialWork(calibrated=True), mean=0.3e-9), one(work=TrialWork(calibrated=True), mean=20e-9)),
    "a part that takes longer than the whole": ("F contained-work",
        told(series("get", work=TrialWork(operation="get", contains=("head",)), mean=1.0),
            series("head", work=TrialWork(operation="head"), mean=9.0)),
        told(series("get", work=TrialWork(operation="get", contains=("head",)), mean=9.0),
            series("head", work=TrialWork(operation="head"), mean=1.0))),
}  # fmt: skip


@pytest.mark.parametrize("what", RULES)
def test_it_fires_and_its_clean_twin_does_not(what: str) -> None:
    finding, faulty, clean = RULES[what]

    assert finding in said(faulty)
    assert finding[2:] not in {other[2:] for other in said(clean)}


def test_every_check_is_tried_both_ways() -> None:
    assert {finding[2:] for finding, _, _ in RULES.values()} == {check.id for check in CHECKS}


def test_every_check_has_an_identifier_of_its_own_and_a_rule() -> None:
    assert len({check.id for check in CHECKS}) == len(CHECKS)
    assert all(check.rule for check in CHECKS)


@pytest.mark.parametrize(
    ("statistic", "least"), [("median", 6), ("p90", 36), ("p95", 72), ("p99", 368), ("max", 59), ("p999", None)]
)
def test_a_quantile_has_a_least_number_of_values(statistic: str, least: int | None) -> None:
    assert needed(statistic) == least


def test_a_series_of_spreads_alone_has_no_figures_and_nothing_is_asked_of_it() -> None:
    assert said(one(stddev=1.0)) == set()


def test_similar_summaries_are_not_a_copy() -> None:
    near = {"min": 99.0, "median": 100.12, "mean": 100.13, "p90": 100.21, "stddev": 0.2}
    far = {"min": 61.17, "median": 100.12, "mean": 131.43, "p90": 240.31, "stddev": 71.93}

    assert "F copied-data" not in said(told(*(series(name, count=500, **near) for name in "ab")))
    assert "F copied-data" in said(told(*(series(name, count=500, **far) for name in "ab")))


def test_a_row_that_is_repeated_with_few_digits_is_doubtful() -> None:
    rough = {"median": 12.1, "p95": 15.3, "p99": 22.0}

    assert "W copied-data" in said(told(*(series(name, count=10000, **rough) for name in "ab")))


def test_less_than_no_operation_is_judged_without_an_error() -> None:
    work = TrialWork(operations=-5.0, target_rate=100.0, achieved_rate=100.0)

    assert "F fixed-time-total" in said(one(quantity=RATE, work=work, rate=100.0))


def test_a_negative_number_of_failures_is_not_a_share() -> None:
    (series,) = one(work=TrialWork(operations=0.0, failures=-5.0), mean=1.0).series

    assert failure_share(series) == 0
