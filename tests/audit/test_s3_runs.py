"""The audit on runs of s3: bodies that nobody read, GETs quicker than their HEAD, bytes faster than any link."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from sectax.analysis.findings import judge
from sectax.audit.own.registry import run as audit
from sectax.experiments.interface import RunRequest
from sectax.experiments.s3.experiment import EXPERIMENT
from sectax.experiments.s3.levels import size_bytes
from sectax.model.environment import Environment
from sectax.model.finding import Severity
from sectax.model.measured import Measured
from sectax.model.plan import Stopping
from sectax.model.treatment import Role, Treatment
from tests.fakes.measured import measured as made_up
from tests.machines import planned

Time = Callable[[str, int], float]
BLOCKS = tuple(range(1, 21))


def honest(operation: str, size: int) -> float:
    """Seconds, about those of a client on this machine."""
    per_byte = {"put": 3e-9, "get": 1.5e-9}.get(operation, 0.0)
    return 7e-4 + per_byte * size


def unread(operation: str, size: int) -> float:
    return 9e-4 if operation == "get" else honest(operation, size)


def quicker_than_head(operation: str, size: int) -> float:
    return honest(operation, size) - (5e-4 if operation == "get" and size == 10_000 else 0.0)


def beyond_any_link(operation: str, size: int) -> float:
    """100 MB in 3 ms are 33 GB/s, through a link of 20 at most."""
    return 3e-3 if (operation, size) == ("get", 100_000_000) else honest(operation, size)


def alike(treatment: Treatment) -> float:
    return 1.0


def measured(
    seconds: Time,
    *,
    times: Callable[[Treatment], float] = alike,
    load: Mapping[str, float] | None = None,
    etags: Mapping[str, str] | None = None,
) -> Measured:
    """Args: *times*, how many times as long a treatment takes; *load*, the telemetry of every treatment; *etags*, what
    kind of ETag is witnessed, by encryption."""
    levels = {
        "operation": ("put", "get", "head", "delete"),
        "size": ("10KB", "100MB"),
        "transfer": ("tls",),
        "encryption": ("none", "sse-s3", "sse-kms"),
    }
    plan = planned(EXPERIMENT, RunRequest("default", levels, Stopping(0.02, max_blocks=40), 1))
    rng, metric = np.random.default_rng(1), plan.metrics[0].name

    def latency(treatment: Treatment, _: int) -> float:
        typical = seconds(treatment.levels["operation"], size_bytes(treatment.levels["size"]))
        typical *= times(treatment) * (1.04 if treatment.role is Role.POSITIVE else 1.0)
        return typical * float(np.exp(rng.normal(0, 0.01)))

    kinds = {treatment.id: (etags or {}).get(treatment.levels["encryption"]) for treatment in plan.treatments}
    return made_up(
        plan,
        {metric: latency},
        BLOCKS,
        counts={metric: dict.fromkeys(kinds, 200)},
        visited=dict.fromkeys(kinds, BLOCKS),
        witnesses={name: {"etag": (kind,)} for name, kind in kinds.items() if kind},
        telemetry={name: dict(load or {}) for name in kinds},
        sessions=(Environment({}),),
        block_s=1.0,
    )


def said(run: Measured, severity: Severity = Severity.FATAL) -> set[tuple[str, str]]:
    """Check and operation of every warning."""
    found = [warning for warning in audit(run, judge(run)) if warning.severity is severity]
    return {(warning.check, warning.subject.split("/")[2]) for warning in found}  # client/server/operation/…


@pytest.mark.parametrize(
    ("seconds", "check"),
    [(unread, "flat-with-size"), (quicker_than_head, "contained-work"), (beyond_any_link, "faster-than-physics")],
)
def test_operations_that_cannot_be_true_are_not_believed(seconds: Time, check: str) -> None:
    found = said(measured(seconds))

    assert (check, "get") in found
    assert {operation for _, operation in found} == {"get"}


# 500 operations in 10 s, as telemetry sums them up over the batches.
KEPT = {
    "load_scheduled": 500.0,
    "load_schedule_s": 10.0,
    "load_sending_s": 10.01,
    "load_dropped": 0.0,
    "load_late": 2.0,
}


@pytest.mark.parametrize(
    "load",
    [
        {"load_cpu_s": 8.6, "load_quota_s": 10.0},
        KEPT | {"load_dropped": 1.0},
        KEPT | {"load_sending_s": 10.2},
        {"load_in_flight": 6.3, "load_at_once": 8.0},
    ],
    ids=["busy", "drops", "falls behind", "few at once"],
)
def test_a_client_that_cannot_keep_up_is_not_believed(load: Mapping[str, float]) -> None:
    found = said(measured(honest, load=load))

    assert found == {("saturated-client", operation) for operation in ("put", "get", "head", "delete")}


@pytest.mark.parametrize(
    "load",
    [{}, KEPT, {"load_cpu_s": 8.4, "load_quota_s": 10.0}, {"load_in_flight": 6.5, "load_at_once": 8.0}],
    ids=["none", "kept", "not busy", "enough at once"],
)
def test_a_client_that_keeps_up_is_accused_of_nothing(load: Mapping[str, float]) -> None:
    assert said(measured(honest, load=load), Severity.FATAL) == set()


@pytest.mark.parametrize(
    ("slower_s", "blocks", "is_seen"), [(0.0, 20, False), (2e-2, 20, True), (1e-4, 20, False), (2e-2, 5, False)]
)
def test_one_slow_bucket_of_an_arm_is_reported(slower_s: float, blocks: int, is_seen: bool) -> None:
    rng = np.random.default_rng(2)
    run = measured(honest)
    arm = next(treatment.id for treatment in run.plan.treatments if treatment.levels["operation"] == "get")
    for bucket in (1, 2, 3):
        seconds = 1e-3 * np.exp(rng.normal(0, 0.1, blocks)) + slower_s * (bucket == 2)
        run.witnesses.setdefault(arm, {})[f"bucket_{bucket}_s"] = tuple(map(float, seconds))

    found = [warning for warning in audit(run, judge(run)) if warning.check == "slow-bucket"]

    assert [(warning.subject, warning.severity) for warning in found] == ([(arm, Severity.FATAL)] if is_seen else [])
    assert all("bucket 2" in warning.saw for warning in found)


@pytest.mark.parametrize(("operation", "found"), [("head", {("metadata-cost", "head")}), ("get", set())])
def test_a_cost_of_operations_without_a_body_is_distinguished(operation: str, found: set[tuple[str, str]]) -> None:
    def slower(treatment: Treatment) -> float:
        return 1.2 if (treatment.levels["operation"], treatment.levels["encryption"]) == (operation, "sse-s3") else 1.0

    warned = said(measured(honest, times=slower), Severity.WARNING)

    assert {item for item in warned if item[0] == "metadata-cost"} == found


def faster_with_kms(treatment: Treatment) -> float:
    levels = treatment.levels
    return 0.8 if levels["encryption"] == "sse-kms" and levels["operation"] in ("put", "get") else 1.0


def test_a_put_that_is_faster_encrypted_is_explained_by_the_md5_that_was_left_out() -> None:
    run = measured(honest, times=faster_with_kms, etags={"none": "md5", "sse-s3": "md5", "sse-kms": "opaque"})

    found = [warning for warning in audit(run, judge(run)) if warning.check == "less-work"]

    assert {(warning.subject.split("/")[2], "sse-kms" in warning.subject) for warning in found} == {("put", True)}
    assert all("opaque" in warning.saw for warning in found)


def slower_with_kms(treatment: Treatment) -> float:
    return 2 - faster_with_kms(treatment)


@pytest.mark.parametrize(
    ("times", "etags"),
    [
        (faster_with_kms, {}),
        (faster_with_kms, dict.fromkeys(("none", "sse-s3", "sse-kms"), "md5")),
        (faster_with_kms, dict.fromkeys(("none", "sse-s3", "sse-kms"), "multipart")),
        (slower_with_kms, {"none": "md5", "sse-s3": "md5", "sse-kms": "opaque"}),
    ],
    ids=["not known", "md5 on both sides", "parts on both sides", "slower without md5"],
)
def test_a_put_that_is_slower_or_has_the_same_etag_leaves_no_work_out(times, etags: Mapping[str, str]) -> None:
    run = measured(honest, times=times, etags=etags)

    assert "less-work" not in {warning.check for warning in audit(run, judge(run))}
