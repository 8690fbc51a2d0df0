"""A subject of ours that would end by the clock says after how long; where that is what it took, it shows no cost."""

from __future__ import annotations

import dataclasses

import pytest

from sectax.analysis.findings import judge
from sectax.audit.checks.fixed_time import fixed_time_total
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import Severity
from tests.analysis.runs import TIME, around, run_of
from tests.audit.checked_runs import healthy, witnessing


def evidence(batch_s: float | None, witnesses: dict | None) -> RunEvidence:
    """A run whose batches of 100 operations last so long."""
    measured = healthy(slow=[None if batch_s is None else batch_s / 100] * 10)
    measured = witnessing(measured, slow=witnesses or {})
    return RunEvidence(measured, judge(measured))


@pytest.mark.parametrize("batch_s", [9.99, 10.0001, 10.06, 10.4])
def test_a_time_that_was_configured_is_fatal(batch_s):
    (remark,) = fixed_time_total.review(evidence(batch_s, {"configured_s": (10.0,)})).warnings

    assert (remark.severity, remark.subject) == (Severity.FATAL, "slow")
    assert "10 s" in remark.saw


@pytest.mark.parametrize(
    ("batch_s", "witnesses"),
    [
        (2.41, {"configured_s": (10.0,)}),  # its work was done before
        (31.4, {"configured_s": (10.0,)}),  # it does not look at the clock
        (None, {"configured_s": (10.0,)}),  # nothing was measured
        (10.0, {"kernel": ("6.8",)}),  # nothing was configured
        (10.0, None),
    ],
)
def test_a_time_that_the_work_took_is_not(batch_s, witnesses):
    assert fixed_time_total.review(evidence(batch_s, witnesses)).warnings == ()


def commands(baseline: str, slow: str, seconds: tuple[float, float]) -> list[tuple[str, str, str]]:
    """What is said of two commands that typically last so long."""
    columns = {
        name: list(around(mean, 10, shift=at))
        for at, (name, mean) in enumerate(zip(("baseline", "slow"), seconds, strict=True))
    }
    measured = run_of(columns, metric=dataclasses.replace(TIME, name="wall"))
    options = {"baseline": (baseline,), "treatment": (f"slow={slow}",)}
    measured = dataclasses.replace(measured, plan=dataclasses.replace(measured.plan, options=options))
    remarks = fixed_time_total.review(RunEvidence(measured, judge(measured))).warnings
    return [(remark.severity.value, remark.subject, remark.saw) for remark in remarks]


def test_a_command_that_stops_by_time_is_a_warning_by_its_options():
    said = commands("gzip file", "pgbench -T 5 db", (3.2, 5.4))

    assert [(severity, subject) for severity, subject, _ in said] == [("W", "slow")]
    assert "pgbench -T 5" in said[0][2]


@pytest.mark.parametrize(("lasted_s", "marked"), [(5.02, ["slow"]), (2.3, [])])
def test_a_limit_is_one_where_it_was_reached(lasted_s, marked):
    said = commands("gzip file", "timeout 5 gzip --best file", (3.2, lasted_s))

    assert [subject for _, subject, _ in said] == marked


@pytest.mark.parametrize(
    ("texts", "seconds", "marked"),
    [
        (("./load a", "./load b"), (2.004, 2.006), ["slow"]),
        (("./load a", "./load b"), (2.004, 2.106), []),  # they differ
        (("./load a", "./load b"), (2.304, 2.306), []),  # not a number that a person would configure
        (("sleep 2", "./load b"), (2.004, 2.006), []),  # it lasts as long as its work, which is to sleep
        (("./load a", "./load a"), (2.004, 2.006), []),  # the same, so that the time should be too
        (("./load a", "./load b"), (0.004, 0.004), []),
    ],
)
def test_equal_times_at_a_whole_number_of_seconds_are_a_warning(texts, seconds, marked):
    assert [subject for _, subject, _ in commands(*texts, seconds)] == marked
