"""What cannot be checked is said, and is no fault of the run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from sectax.analysis.findings import judge
from sectax.audit.own.registry import run
from sectax.model.finding import Severity
from sectax.model.measured import Measured
from tests.analysis.runs import around, run_of
from tests.audit.checked_runs import EVERYONE, NOISY, counting, declaring, equal_output, healthy, said, witnessing_equal

UNKNOWN: dict[str, tuple[str, Callable[[], Measured], list[str]]] = {
    "a level that nothing witnessed": ("mislabelled-level", lambda: declaring(healthy(), curve="P-256"), ["slow"]),
    "work that nothing witnessed": ("unequal-work",
        lambda: equal_output(healthy(), slow=None, baseline=(120,)), ["slow"]),
    "a clock that does not tell its step": ("timer",
        lambda: dataclasses.replace(healthy(), calibrated=None), ["baseline", "slow", "same", "negative", "positive"]),
    "batches that are not reported": ("timer",
        lambda: dataclasses.replace(healthy(),
            batches={name: of for name, of in healthy().batches.items() if name != "slow"}),
        ["slow"]),
    "throttling that is not reported": ("throttling", lambda: dataclasses.replace(healthy(), telemetry={}), ["run"]),
    "no negative control, and no verdict either": ("negative-control",
        lambda: run_of({"baseline": around(1, 10), "t": list(NOISY)}), ["family"]),
    "a negative control of two blocks, and no verdict either": ("negative-control",
        lambda: healthy(negative=[1.0, 1.01, *[None] * 8], slow=list(NOISY), same=list(NOISY[::-1])), ["family"]),
    "a positive control that was not measured, on which nothing leans": ("positive-control",
        lambda: healthy(positive=[None] * 10, same=list(around(1.4, 10, shift=4))), ["positive"]),
    "a positive control too large, on which nothing leans": ("positive-control",
        lambda: dataclasses.replace(healthy(same=list(around(1.4, 10, shift=4))), calibrated=counting(1).calibrated),
        ["positive"]),
    "two witnesses that no subject tells": ("unequal-work",
        lambda: witnessing_equal({}, "claims_sha256", "bytes"), ["run"]),
    "a witness that one subject alone does not tell": ("unequal-work",
        lambda: witnessing_equal({name: "c0ffee" for name in EVERYONE if name != "baseline"}, "claims_sha256"),
        ["baseline"]),
}  # fmt: skip


@pytest.mark.parametrize("situation", UNKNOWN)
def test_what_lacks_data_is_never_passed_in_silence(situation: str) -> None:
    check, make, subjects = UNKNOWN[situation]
    measured = make()

    answers = [warning for warning in run(measured, judge(measured)) if warning.check == check]

    assert [answer.subject for answer in answers] == subjects
    assert all(answer.severity is Severity.NOTE for answer in answers)
    assert all(answer.saw.startswith("not checked") for answer in answers)


def test_a_run_that_measured_nothing_is_not_accused() -> None:
    assert said(run_of({"baseline": [1.0] * 6, "t": [None] * 6})) == []
