"""CPU and wall time of one comparison are held against each other, and against what the kernel says of waiting."""

from __future__ import annotations

from dataclasses import replace

from sectax.analysis.findings import judge
from sectax.audit.own.registry import run
from sectax.model.finding import AuditWarning
from sectax.model.measured import Measured
from sectax.model.treatment import Standing
from tests.analysis.runs import TIME, around, run_of, with_metric
from tests.audit.clock_scenarios import CPU_TIME

OPERATIONS = 8000  # of every arm, as `run_of` has it


def measured_as(wall: float, telemetry: dict[str, float] | None) -> Measured:
    """CPU time of 1.2 and wall time of so many times the baseline; telemetry of the treatment."""
    cpu = {"baseline": around(1.0, 10), "slow": around(1.2, 10, shift=3), "negative": around(1.0, 10, shift=2)}
    both = with_metric(
        run_of(cpu, metric=CPU_TIME),
        TIME,
        {"baseline": around(1.0, 10), "slow": around(wall, 10, shift=3)},
        Standing.SECONDARY,
    )
    quiet = {"throttled_s": 0.0, "run_queue_delay_s": 0.0}
    told = {} if telemetry is None else {"baseline": quiet, "slow": quiet | telemetry}
    return replace(both, telemetry=told)


def said(measured: Measured) -> list[AuditWarning]:
    return [warning for warning in run(measured, judge(measured)) if warning.check == "wall-against-cpu"]


def test_clocks_that_agree_have_no_warning() -> None:
    assert said(measured_as(1.2, {})) == []
    assert said(measured_as(1.21, {})) == []  # less than the margin


def test_waiting_for_something_else_is_reported() -> None:
    (warning,) = said(measured_as(1.8, {}))

    assert (warning.severity.value, warning.subject) == ("W", "slow")
    assert all(change in warning.saw for change in ("+20 %", "+80 %"))


def test_waiting_that_the_kernel_tells_of_explains_the_difference() -> None:
    waited = 0.6 * OPERATIONS

    assert said(measured_as(1.8, {"run_queue_delay_s": waited})) == []
    assert said(measured_as(1.8, {"run_queue_delay_s": waited / 2, "steal_s": waited / 2})) == []
    assert said(measured_as(1.8, {"run_queue_delay_s": 10 * waited})) == []  # between batches, too


def test_waiting_that_explains_a_part_leaves_the_rest() -> None:
    (warning,) = said(measured_as(1.8, {"run_queue_delay_s": 0.3 * OPERATIONS}))

    assert "+50 %" in warning.saw


def test_waiting_that_is_not_reported_explains_nothing_and_is_missing() -> None:
    (note,) = said(measured_as(1.8, None))

    assert note.severity.value == "note"


def test_work_done_elsewhere_is_reported_too() -> None:
    (warning,) = said(measured_as(0.9, {}))  # more CPU time, less wall time: another processor helps

    assert "-10 %" in warning.saw
