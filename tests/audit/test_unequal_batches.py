"""Batches of unequal length are a fault where subjects wait for a processor."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from benchmarks.simulations.audited_runs import TREATMENT
from benchmarks.simulations.audited_runs import healthy as healthy_draft
from sectax.model.measured import BatchStatistics, Measured
from sectax.model.treatment import Standing
from tests.analysis.runs import TIME, around, run_of, with_metric
from tests.audit.checked_runs import said
from tests.audit.clock_scenarios import CPU_TIME


@pytest.mark.parametrize(
    ("operations", "told", "expected"),
    [
        (4, {"run_queue_delay_s": 0.3, "spanned_s": 3.0}, ["F"]),
        (4, {"run_queue_delay_s": 0.3}, ["F"]),  # the time of the batches is known without it
        (4, {"run_queue_delay_s": 0.1, "spanned_s": 3.0}, []),
        (1, {"run_queue_delay_s": 0.9, "spanned_s": 3.0}, []),
        (4, {}, ["note"]),
        (0.001, {"run_queue_delay_s": 0.3, "spanned_s": 3.0}, ["F"]),
    ],
)
def test_unequal_batches_are_fatal_where_subjects_wait(
    operations: float, told: dict[str, float], expected: list[str]
) -> None:
    measured = healthy_draft(np.random.default_rng(1), blocks=10).measured()
    counted = measured.batches[TREATMENT]
    batches = measured.batches | {
        TREATMENT: dataclasses.replace(counted, operations=round(operations * counted.operations))
    }
    telemetry = {arm: {"throttled_s": 0.0, **told} for arm in measured.telemetry}
    measured = dataclasses.replace(measured, batches=batches, telemetry=telemetry)

    assert [severity for severity, _ in said(measured, "unequal-batches")] == expected


def in_cpu_time(operations: float, waited: float | None, batches: int = 1000) -> Measured:
    """A run that is answered in CPU time, with so many times the operations in each of the treatment's batches.

    Of `run_of`'s columns no shapes are known, as where blocks have fewer than four batches.
    """
    alike = {"baseline": around(1e-6, 10), "slow": around(1e-6, 10, shift=3), "negative": around(1e-6, 10, shift=2)}
    both = with_metric(run_of(alike, metric=CPU_TIME), TIME, alike, Standing.SECONDARY)
    counted = {arm: BatchStatistics(batches, 1000 * batches, 1e-3, 0.0) for arm in alike}
    counted["slow"] = dataclasses.replace(counted["slow"], operations=round(1000 * batches * operations))
    told = {} if waited is None else {"run_queue_delay_s": waited, "spanned_s": 1.0}
    return dataclasses.replace(both, batches=counted, telemetry={arm: {"throttled_s": 0.0, **told} for arm in alike})


@pytest.mark.parametrize(
    ("operations", "waited", "expected"),
    [(4, 0.1, ["F", "F"]), (0.25, 0.1, ["F", "F"]), (4, 0.01, []), (1.2, 0.1, []), (4, None, ["note", "note"])],
)
def test_batches_of_unequal_cpu_time_are_found(operations: float, waited: float | None, expected: list[str]) -> None:
    measured = in_cpu_time(operations, waited)

    assert measured.shapes == {}
    assert [severity for severity, _ in said(measured, "unequal-batches")] == expected


def test_waiting_does_not_make_a_batch_longer() -> None:
    measured = in_cpu_time(1, 0.4)
    waited = {block: 2 * value for block, value in measured.values["time"]["slow"].items()}
    times = measured.values["time"] | {"slow": waited}

    assert said(dataclasses.replace(measured, values=measured.values | {"time": times}), "unequal-batches") == []


def test_batches_of_unknown_length_beside_waiting_cannot_be_checked() -> None:
    measured = dataclasses.replace(in_cpu_time(4, 0.1), batches={})

    assert said(measured, "unequal-batches") == [("note", text) for text in ("slow", "negative", "slow:time")]


def test_single_operations_of_unequal_length_are_warned_of() -> None:
    """Nobody can make one process that takes twice as long shorter."""
    measured = healthy_draft(np.random.default_rng(1), cost=1.0, blocks=10).measured()
    one_each = {arm: dataclasses.replace(of, operations=of.batches) for arm, of in measured.batches.items()}
    told = {arm: {"run_queue_delay_s": 2.0, "spanned_s": 3.0, "throttled_s": 0.0} for arm in measured.telemetry}

    assert said(dataclasses.replace(measured, batches=one_each, telemetry=told), "unequal-batches") == [
        ("W", f"{TREATMENT}:throughput")
    ]
