"""k6's summary as text, and the two forms of its JSON."""

from __future__ import annotations

import pytest

from tests.audit.tools.said import evidence_of, said, sample

PRINT, OLD = sample("k6.txt"), sample("k6-old.txt")
CONTRADICTION = ("F", "contradiction")


def test_both_texts_are_read() -> None:
    new, old = ({one.metric: one for one in evidence_of(text).series} for text in (PRINT, OLD))

    assert new["latency"].id == "login.js: latency"
    assert new["latency"].claim("p95").value == pytest.approx(0.01694)  # type: ignore[union-attr]
    assert (new["rate"].typical, new["rate"].work.operations) == pytest.approx((1940.102041, 58210))
    work = old["rate"].work
    assert (work.failures, work.dropped, work.target_rate, work.by_schedule) == (139, 2050, 500, True)


def test_dropped_iterations_and_failed_requests_are_fatal() -> None:
    assert said(PRINT) == {("W", "unsupported-quantile")}
    assert {("F", "saturated-client"), ("F", "unequal-work"), ("W", "said-by-the-tool")} <= said(OLD)


@pytest.mark.parametrize("name", ["k6-export.json", "k6-summary.json"])
def test_both_documents_are_read(name: str) -> None:
    latency = next(one for one in evidence_of(sample(name)).series if one.metric == "latency")

    assert latency.typical == pytest.approx(2.9077e-3)
    assert latency.work.operations == 9120


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("http_reqs......................: 27950", "http_reqs......................: 37950"),
        ("465.145833/s\n     iteration_", "565.145833/s\n     iteration_"),
    ],
)
def test_numbers_that_are_printed_twice_must_agree(old: str, new: str) -> None:
    assert CONTRADICTION not in said(OLD)
    assert old in OLD
    assert CONTRADICTION in said(OLD.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("iteration_duration.............: avg=10.3ms", "iteration_duration.............: avg=40.3ms", "F"),
        ("http_req_duration..............: avg=10.21ms", "http_req_duration..............: avg=40.21ms", "W"),
        ("vus_max........................: 20 ", "vus_max........................: 10 ", "F"),
    ],
)
def test_no_more_runs_at_once_than_there_are_virtual_users(old: str, new: str, severity: str) -> None:
    assert PRINT.count(old) == 1
    assert (severity, "contradiction") in said(PRINT.replace(old, new))


@pytest.mark.parametrize("name", ["k6.txt", "k6-old.txt", "k6-export.json", "k6-summary.json"])
def test_littles_law_accuses_no_healthy_summary(name: str) -> None:
    assert CONTRADICTION not in said(sample(name))


def test_a_summary_without_its_end_is_reported() -> None:
    assert ("W", "said-by-the-tool") in said(PRINT[: PRINT.index("iterations....")])
