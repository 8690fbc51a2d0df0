"""A subject of ours that would end by the clock says after how long; where that is what it took, it shows no cost."""

from __future__ import annotations

import pytest

from sectax.analysis.findings import judge
from sectax.audit.own.done import fixed_time_total
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import Severity
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
