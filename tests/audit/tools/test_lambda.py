"""REPORT lines of AWS Lambda."""

from __future__ import annotations

import pytest

from sectax.audit.form import Cold, Quantity
from tests.audit.tools.said import evidence_of, said, sample

PLAIN = sample("lambda.txt")
REPORT = (
    "REPORT RequestId: {}-0000-0000-0000-000000000000\tDuration: {} ms\tBilled Duration: {} ms\tMemory Size: 512 MB"
)


def reports(form: str, *pairs: tuple[float, float]) -> str:
    return "\n".join(form.format(f"{at:08x}", took, billed) for at, (took, billed) in enumerate(pairs))


def test_cold_and_warm_invocations_are_apart() -> None:
    cold, init, used, warm, _ = evidence_of(PLAIN).series

    assert (cold.levels, len(cold.values), cold.work.cold) == ({"memory": "512 MB", "start": "cold"}, 2, Cold.ONLY)
    assert init.metric == "init duration"
    assert init.values[0] == pytest.approx(0.18412)
    assert (used.quantity, used.values[0]) == (Quantity.MEMORY, 68 * 2**20)
    assert (len(warm.values), warm.work.failures, warm.work.cold) == (10, 1, Cold.APART)


def test_what_is_billed_must_fit_the_duration() -> None:
    healthy = reports(REPORT, (11.29, 12), (12.3, 13), (10.94, 11))

    assert evidence_of(healthy).series[0].values == pytest.approx((0.01129, 0.0123, 0.01094))
    assert ("F", "contradiction") not in said(healthy)
    assert ("F", "contradiction") in said(reports(REPORT, (11.29, 12), (123.0, 13), (10.94, 11)))
    assert ("F", "contradiction") in said(reports(REPORT, (11.29, 12), (1.2, 1300), (10.94, 11)))


def test_invocations_that_were_cut_off_failed() -> None:
    assert ("F", "unequal-work") in said(reports(REPORT, (3003.16, 3000), (12.3, 13), (10.94, 11)))
    text = reports(REPORT, (11.29, 12), (12.3, 13), (10.94, 11))
    assert ("F", "said-by-the-tool") in said(f"{text}\n2020-06-09T15:02:26Z 7c95 Task timed out after 3.00 seconds")
