"""Every check of other people's numbers: what must fire, and its clean twin, which must not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from sectax.audit.checks.quantiles import needed
from sectax.audit.checks.registry import CHECKS, review
from sectax.audit.form import (
    Broken,
    Claim,
    Cold,
    Contrast,
    EndsBy,
    Evidence,
    Moves,
    Quantity,
    Series,
    Setting,
    Trouble,
    TroubleKind,
    Work,
)
from sectax.model.finding import Severity

RNG = np.random.default_rng(7)
NOISE = tuple((1e-3 * np.exp(0.02 * RNG.standard_normal(40))).tolist())


def series(
    name: str = "a",
    *,
    quantity: Quantity = Quantity.TIME,
    values: Sequence[float] = (),
    work: Work | None = None,
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
        work=work or Work(),
        setting=setting or Setting(),
        run=name,
    )


def said(*every: Series, contrast: Contrast | None = None, **more: object) -> set[tuple[str, str]]:
    evidence = Evidence(every, contrast, imported=True, **more)  # type: ignore[arg-type]
    outcomes = review(evidence)
    return {
        (warning.severity.value, outcome.check)
        for outcome in outcomes
        for warning in outcome.warnings
        if warning.severity is not Severity.NOTE
    }


def total(name: str, operations: float, seconds: float) -> Series:
    return series(name, quantity=TOTAL, work=Work(operations=operations), total=seconds)


def of_size(size: float, time: float, **work: object) -> Series:
    return series(str(size), work=Work(moves=Moves.BODY, size_bytes=size, **work), mean=time, count=50)  # type: ignore[arg-type]


COMPARED = Contrast("side", "a")
TRIAL = Work(operations=10_000, duration_s=10.0, connections=10)
RATE, TOTAL = Quantity.RATE, Quantity.TOTAL_TIME
MODES = tuple(value * (3 if at % 2 else 1) for at, value in enumerate(NOISE))

# What is wrong -> the mark and the check, evidence with it, and its clean twin.
RULES: dict[str, tuple[str, str, Callable[[], set[tuple[str, str]]], Callable[[], set[tuple[str, str]]]]] = {
    "quantiles that fall": (
        "F",
        "contradiction",
        lambda: said(series(median=2.0, p90=1.0)),
        lambda: said(series(median=1.0, p90=2.0)),
    ),
    "a mean above the maximum": (
        "F",
        "contradiction",
        lambda: said(series(mean=3.0, max=2.0)),
        lambda: said(series(mean=1.0, max=2.0)),
    ),
    "a mean that its quantiles exclude": (
        "F",
        "contradiction",
        lambda: said(series(mean=0.2, median=1.0, p90=2.0, max=3.0, count=1000)),
        lambda: said(series(mean=1.1, median=1.0, p90=2.0, max=3.0, count=1000)),
    ),
    "a mean that its values exclude": (
        "F",
        "contradiction",
        lambda: said(series(values=NOISE, mean=2e-3)),
        lambda: said(series(values=NOISE, mean=float(np.mean(NOISE)))),
    ),
    "a rate that is not its count over its time": (
        "F",
        "contradiction",
        lambda: said(series(quantity=RATE, work=TRIAL, rate=2000.0)),
        lambda: said(series(quantity=RATE, work=TRIAL, rate=1000.0)),
    ),
    "more waiting than the connections had time for": (
        "W",
        "contradiction",
        lambda: said(series(work=TRIAL, mean=0.05)),
        lambda: said(series(work=TRIAL, mean=0.0099)),
    ),
    "far more waiting": (
        "F",
        "contradiction",
        lambda: said(series(work=TRIAL, mean=5.0)),
        lambda: said(series(work=TRIAL, mean=0.009)),
    ),
    "a run that was interrupted": (
        "F",
        "contradiction",
        lambda: said(series(work=replace(TRIAL, configured_s=60.0), mean=0.009)),
        lambda: said(series(work=replace(TRIAL, configured_s=10.0), mean=0.009)),
    ),
    "a promise that is broken": (
        "F",
        "contradiction",
        lambda: said(series(mean=1.0), broken=(Broken("a = b", 1.0, 2.0, "run"),)),
        lambda: said(series(mean=1.0)),
    ),
    "a failure that the tool reports": (
        "F",
        "said-by-the-tool",
        lambda: said(series(mean=1.0), troubles=(Trouble(TroubleKind.FAILED, 3, "panic"),)),
        lambda: said(series(mean=1.0)),
    ),
    "an output that was cut": (
        "W",
        "said-by-the-tool",
        lambda: said(series(mean=1.0), troubles=(Trouble(TroubleKind.CUT, 3, "no end"),)),
        lambda: said(series(mean=1.0)),
    ),
    "operations that failed": (
        "F",
        "unequal-work",
        lambda: said(series(work=replace(TRIAL, failures=20.0), mean=0.009)),
        lambda: said(series(work=replace(TRIAL, failures=0.0), mean=0.009)),
    ),
    "a few operations that failed": (
        "W",
        "unequal-work",
        lambda: said(series(work=replace(TRIAL, failures=5.0), mean=0.009)),
        lambda: said(series(work=replace(TRIAL, failures=0.0), mean=0.009)),
    ),
    "a time that was configured": (
        "F",
        "fixed-time-total",
        lambda: said(series(quantity=TOTAL, work=Work(ends_by=EndsBy.TIME), total=10.0)),
        lambda: said(series(quantity=TOTAL, work=Work(ends_by=EndsBy.EVENTS, operations=1000.0), total=10.0)),
    ),
    "as long for three times as many": (
        "W",
        "fixed-time-total",
        lambda: said(*(total(name, count, 60.01) for name, count in (("a", 3e4), ("b", 1e4)))),
        lambda: said(total("a", 3e4, 60.01), total("b", 1e4, 21.4)),
    ),
    "a least time of nothing": (
        "W",
        "timer",
        lambda: said(series(mean=0.004, min=0.0)),
        lambda: said(series(mean=0.004, min=0.001)),
    ),
    "a mean above p95": (
        "W",
        "modes",
        lambda: said(series(mean=9.13e-3, p95=8.46e-3, count=50_000)),
        lambda: said(series(mean=8.13e-3, p95=8.46e-3, count=50_000)),
    ),
    "a median rate far below the mean": (
        "W",
        "modes",
        lambda: said(series(quantity=RATE, mean=835.0, median=247.0)),
        lambda: said(series(quantity=RATE, mean=335.0, median=247.0)),
    ),
    "few values that scatter": (
        "W",
        "modes",
        lambda: said(series(mean=31.2, stddev=11.7, count=5)),
        lambda: said(series(mean=31.2, stddev=1.7, count=5)),
    ),
    "a quantile a little above the maximum": (
        "W",
        "contradiction",
        lambda: said(series(mean=0.1, p95=0.612, max=0.588)),
        lambda: said(series(mean=0.1, p95=0.589, max=0.588)),
    ),
    "connections that do nothing for most of the time": (
        "W",
        "contradiction",
        lambda: said(series(work=Work(connections=50.0, operations=8206.0, duration_s=20.1), mean=0.014)),
        lambda: said(series(work=Work(connections=50.0, operations=8206.0, duration_s=20.1), mean=0.1)),
    ),
    "a rate that was asked for": (
        "F",
        "fixed-time-total",
        lambda: said(series(quantity=RATE, work=Work(target_rate=500.0), rate=500.1)),
        lambda: said(series(quantity=RATE, work=Work(target_rate=500.0, achieved_rate=300.0), rate=300.0)),
    ),
    "nothing that was counted": (
        "F",
        "zero-event-run",
        lambda: said(series(quantity=RATE, work=Work(operations=0.0), rate=0.0)),
        lambda: said(series(quantity=RATE, work=Work(operations=1000.0), rate=100.0)),
    ),
    "a run of a second": (
        "W",
        "short-run",
        lambda: said(series(work=Work(operations=1000.0, duration_s=1.0), mean=0.001)),
        lambda: said(series(work=Work(operations=10_000.0, duration_s=10.0), mean=0.001)),
    ),
    "requests that wait for the client": (
        "F",
        "saturated-client",
        lambda: said(series(work=replace(TRIAL, by_schedule=True), mean=1.0)),
        lambda: said(series(work=replace(TRIAL, by_schedule=True), mean=0.02)),
    ),
    "requests that were not sent": (
        "F",
        "saturated-client",
        lambda: said(series(work=replace(TRIAL, dropped=100.0), mean=0.009)),
        lambda: said(series(work=replace(TRIAL, dropped=0.0), mean=0.009)),
    ),
    "a label that contradicts its curve": (
        "F",
        "mislabelled-level",
        lambda: said(series("ECDSA 384bit (prime256v1)", quantity=RATE, rate=5.0)),
        lambda: said(series("ECDSA 256bit (prime256v1)", quantity=RATE, rate=5.0)),
    ),
    "nothing without the control": (
        "F",
        "no-baseline",
        lambda: said(series(mean=1.0), contrast=Contrast("side", None)),
        lambda: said(series(mean=1.0), series("b", mean=1.0), contrast=COMPARED),
    ),
    "sides on two processors": (
        "F",
        "apples-and-oranges",
        lambda: said(*(series(name, setting=Setting(processor=name), mean=1.0) for name in "ab"), contrast=COMPARED),
        lambda: said(*(series(name, setting=Setting(processor="x"), mean=1.0) for name in "ab"), contrast=COMPARED),
    ),
    "one side through a tracer": (
        "F",
        "unequal-instruments",
        lambda: said(
            series("a", setting=Setting(instrument="none"), mean=1.0),
            series("b", setting=Setting(instrument="X-Ray"), mean=1.0),
            contrast=COMPARED,
        ),
        lambda: said(*(series(name, setting=Setting(instrument="none"), mean=1.0) for name in "ab"), contrast=COMPARED),
    ),
    "values that were copied": (
        "F",
        "copied-data",
        lambda: said(series("a", values=NOISE), series("b", values=NOISE)),
        lambda: said(series("a", values=NOISE), series("b", values=NOISE[::-1])),
    ),
    "cold and warm in one summary": (
        "F",
        "first-trial",
        lambda: said(series(work=Work(cold=Cold.MIXED), mean=1.0)),
        lambda: said(series(work=Work(cold=Cold.APART), mean=1.0)),
    ),
    "a slow first value": (
        "W",
        "first-trial",
        lambda: said(series(values=(3e-3, *NOISE))),
        lambda: said(series(values=NOISE)),
    ),
    "values that fall": (
        "W",
        "drift",
        lambda: said(series(values=[value * (2 - at / 40) for at, value in enumerate(NOISE)])),
        lambda: said(series(values=NOISE)),
    ),
    "values in two modes": ("W", "modes", lambda: said(series(values=MODES)), lambda: said(series(values=NOISE))),
    "repetitions that are far apart": (
        "W",
        "modes",
        lambda: said(series(values=(1.0, 1.1, 20.0))),
        lambda: said(series(values=(1.0, 1.1, 1.2))),
    ),
    "a mean of twice the median": (
        "W",
        "modes",
        lambda: said(series(mean=3.0, median=1.0, max=50.0)),
        lambda: said(series(mean=1.1, median=1.0, max=5.0)),
    ),
    "an error of half the value": (
        "W",
        "modes",
        lambda: said(series(mean=1.0, error=0.5)),
        lambda: said(series(mean=1.0, error=0.02)),
    ),
    "a p99 of a hundred values": (
        "F",
        "unsupported-quantile",
        lambda: said(series(p99=1.0, count=100)),
        lambda: said(series(p99=1.0, count=400)),
    ),
    "one process": (
        "W",
        "false-replication",
        lambda: said(series(work=Work(replicates=1), mean=1.0)),
        lambda: said(series(work=Work(replicates=5), mean=1.0)),
    ),
    "times of nothing": (
        "F",
        "timer",
        lambda: said(series(values=[0.0, 1e-3] * 10)),
        lambda: said(series(values=NOISE)),
    ),
    "a time of one printed step": (
        "W",
        "timer",
        lambda: said(series(mean=1e-3, step=1e-3)),
        lambda: said(series(mean=20e-3, step=1e-3)),
    ),
    "a batch of fifty steps of the clock": (
        "F",
        "timer",
        lambda: said(series(setting=Setting(granularity_s=1e-6), mean=50e-6)),
        lambda: said(series(setting=Setting(granularity_s=1e-9), mean=50e-6)),
    ),
    "a body that was not moved": (
        "F",
        "flat-with-size",
        lambda: said(of_size(1e4, 1e-3, link_bytes_s=1e9), of_size(1e8, 1.1e-3, link_bytes_s=1e9)),
        lambda: said(of_size(1e4, 1e-3, link_bytes_s=1e9), of_size(1e8, 0.12, link_bytes_s=1e9)),
    ),
    "more than the link carries": (
        "F",
        "faster-than-physics",
        lambda: said(of_size(1e9, 1e-3, link_bytes_s=1e9)),
        lambda: said(of_size(1e6, 1.0, link_bytes_s=1e9)),
    ),
    "an empty loop": (
        "F",
        "faster-than-physics",
        lambda: said(series(work=Work(calibrated=True), mean=0.3e-9)),
        lambda: said(series(work=Work(calibrated=True), mean=20e-9)),
    ),
    "a part that takes longer than the whole": (
        "F",
        "contained-work",
        lambda: said(
            series("get", work=Work(operation="get", contains=("head",)), mean=1.0),
            series("head", work=Work(operation="head"), mean=9.0),
        ),
        lambda: said(
            series("get", work=Work(operation="get", contains=("head",)), mean=9.0),
            series("head", work=Work(operation="head"), mean=1.0),
        ),
    ),
}


@pytest.mark.parametrize("what", RULES)
def test_it_fires_and_its_clean_twin_does_not(what: str) -> None:
    mark, check, faulty, clean = RULES[what]

    assert (mark, check) in faulty()
    assert check not in {other for _, other in clean()}


def test_every_check_is_tried_both_ways() -> None:
    assert {check for _, check, _, _ in RULES.values()} == {check.id for check in CHECKS}


def test_every_check_has_an_identifier_of_its_own_and_a_rule() -> None:
    assert len({check.id for check in CHECKS}) == len(CHECKS)
    assert all(check.rule for check in CHECKS)


@pytest.mark.parametrize(("statistic", "least"), [("median", 6), ("p90", 36), ("p95", 72), ("p99", 368), ("max", 59)])
def test_a_quantile_needs_so_many_values(statistic: str, least: int) -> None:
    assert needed(statistic) == least


def test_a_series_of_spreads_alone_has_no_figures_and_nothing_is_asked_of_it() -> None:
    assert said(series(stddev=1.0)) == set()


def test_summaries_near_each_other_tie_together_and_are_no_copy() -> None:
    near = {"min": 99.0, "median": 100.12, "mean": 100.13, "p90": 100.21, "stddev": 0.2}
    far = {"min": 61.17, "median": 100.12, "mean": 131.43, "p90": 240.31, "stddev": 71.93}

    assert ("F", "copied-data") not in said(series("a", count=500, **near), series("b", count=500, **near))
    assert ("F", "copied-data") in said(series("a", count=500, **far), series("b", count=500, **far))
