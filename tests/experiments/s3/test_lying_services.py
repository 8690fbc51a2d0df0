"""Services that refuse to delete, list without end, redirect, or lack an encryption."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from sectax.experiments.s3 import buckets as room
from sectax.experiments.s3.bench import S3Bench
from sectax.experiments.s3.buckets import Buckets, CleanupIncomplete
from sectax.experiments.s3.experiment import EXPERIMENT
from sectax.experiments.s3.spec import S3Spec
from sectax.model.errors import SubjectSkipped
from tests.experiments.s3.specs import KEY, argv
from tests.experiments.subjects import failure, subject_of
from tests.fakes.lying_s3 import LyingS3, serving
from tests.machines import planned, request_for


def spec(service: LyingS3, encryption: str, client: str = "python") -> S3Spec:
    buckets = Buckets(service.access)
    made = buckets.make(encryption)
    return S3Spec(client, argv(client), service.access, "get", encryption, 2000, made, buckets.prefix, KEY)


def stored(service: LyingS3, made: tuple[str, ...], prefix: str, number: int) -> None:
    service.buckets[made[0]] |= {f"{prefix}{place:06d}": b"1" for place in range(number)}


def test_objects_that_cannot_be_deleted_are_asked_for_once_and_named(tmp_path: Path) -> None:
    with serving(LyingS3(keeps_objects=True)) as service:
        buckets = Buckets(service.access, tmp_path)
        created = buckets.make("none")
        stored(service, created, buckets.prefix, 2500)
        (left,) = buckets.remove()

    assert service.requests["DeleteObjects"] == 3
    assert service.requests["ListObjectsV2"] <= 4 + 2 * len(created)
    assert left.bucket == created[0]
    assert "2500 objects: AccessDenied" in str(left)
    command = left.command(service.access)
    assert f"aws s3 rm --recursive s3://{created[0]}/{buckets.prefix} --endpoint-url {service.endpoint}" in command
    assert "--force" not in command  # a stranger's objects may be there too
    assert len(list(tmp_path.iterdir())) == 1  # a later run may try again


def test_a_bucket_that_cannot_be_deleted_is_named(tmp_path: Path) -> None:
    with serving(LyingS3(keeps_buckets=True)) as service:
        buckets = Buckets(service.access, tmp_path)
        created = buckets.make("none")
        remaining = buckets.remove()

    assert [one.bucket for one in remaining] == list(created)
    raised = CleanupIncomplete(remaining, service.access)
    assert raised.exit_status != 0
    assert raised.hint.count("aws s3 rb") == len(created)


def test_a_listing_without_end_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MOST_LISTINGS", 6)
    with serving(LyingS3(invents=True)) as service:
        buckets = Buckets(service.access, tmp_path)
        created = buckets.make("none")
        remaining = buckets.remove()

    assert {one.bucket for one in remaining} == set(created)
    assert service.requests["ListObjectsV2"] <= 6


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_cleaning_up_where_the_session_ignores_them(tmp_path: Path, number: signal.Signals) -> None:
    previous = signal.signal(number, signal.SIG_IGN)
    try:
        with serving(LyingS3(stalls_s=60)) as service:
            buckets = Buckets(service.access, tmp_path)
            created = buckets.make("none")
            threading.Timer(0.5, os.kill, (os.getpid(), number)).start()
            began = time.monotonic()
            remaining = buckets.remove()
            took_s = time.monotonic() - began
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, previous)

    assert took_s < 15
    assert {one.bucket for one in remaining} == set(created)
    assert all("interrupted" in str(one) for one in remaining)


def test_a_redirect_is_refused(client: str) -> None:
    with serving(LyingS3()) as other, serving(LyingS3(redirects_to=other.endpoint)) as service:
        failed = failure(spec(service, "none", client))

    assert "--endpoint" in failed.hint
    assert not other.requests


@pytest.mark.parametrize(("encryption", "proof"), [("none", None), ("sse-s3", "claimed by the service, not proven")])
def test_elsewhere_encryption_is_what_the_service_says(encryption: str, proof: str | None) -> None:
    with serving(LyingS3()) as service, subject_of(spec(service, encryption)) as subject:
        assert subject.open().get("proof") == proof


def test_one_encryption_that_a_service_lacks_is_skipped_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "an-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
    with serving(LyingS3(lacks=frozenset({"aws:kms"}))) as service:
        levels = {"encryption": ("none", "sse-s3", "sse-kms"), "size": ("10KB",), "client": ("python",)}
        request = request_for("quick", levels, {"endpoint": (service.endpoint,)})
        plan = planned(EXPERIMENT, request)
        with S3Bench(plan) as bench:
            inputs = bench.inputs()
            bench.start(inputs)
            specs = bench.specs(inputs, None)
            by_level = {plan.treatment(name).levels["encryption"]: spec for name, spec in specs.items()}
            with subject_of(by_level["sse-kms"]) as subject, pytest.raises(SubjectSkipped):
                subject.open()

    assert by_level["sse-s3"].refused is None
    assert not service.buckets
    assert "not proven" in plan.transfers
