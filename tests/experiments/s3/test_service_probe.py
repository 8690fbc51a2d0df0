"""What a service does with encryption, as the probe sees it: services that encrypt, claim, ignore and refuse."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.experiments.s3.access import S3Access
from sectax.experiments.s3.bench import S3Bench
from sectax.experiments.s3.buckets import Buckets, client
from sectax.experiments.s3.experiment import EXPERIMENT
from sectax.experiments.s3.local_server import KMS_KEY
from sectax.experiments.s3.service_probe import BEHAVES, CLAIMED, DISPROVEN, IGNORED, REFUSED, ServiceProbe, probe
from sectax.experiments.secrets import moto
from sectax.model.environment import FLAW, PROOF
from tests.experiments.s3.servers import each_server, running
from tests.fakes.lying_s3 import LyingS3, serving
from tests.machines import planned, request_for
from tests.needs import needs

KINDS = ("sse-s3-header", "sse-kms", "sse-c")


def probed(access: S3Access, kms_key: str = "") -> ServiceProbe:
    buckets = Buckets(access)
    bucket, *_ = buckets.make("none")
    found = probe(client(access), bucket, buckets.prefix, kms_key)
    assert buckets.remove() == []
    return found


def kinds(found: ServiceProbe) -> tuple[str, ...]:
    return tuple(found.reactions[name].kind for name in KINDS)


@contextlib.contextmanager
def motos_s3() -> Iterator[S3Access]:
    script = Path(__file__).parents[2] / "fakes" / "moto_s3.py"
    pipe = subprocess.PIPE
    with subprocess.Popen([moto.python(), str(script)], stdin=pipe, stdout=pipe, text=True) as process:
        yield S3Access(f"http://127.0.0.1:{process.stdout.readline().strip()}", "us-east-1", "an-id", "a-secret")
        process.stdin.close()


@needs("moto")
def test_moto_claims_sse_s3_and_sse_kms_and_returns_sse_c_objects_without_their_key() -> None:
    with motos_s3() as access:
        found = probed(access)
    facts = found.circumstances()

    assert kinds(found) == (CLAIMED, CLAIMED, IGNORED)
    assert "only claims" in facts[f"{PROOF}service"]
    assert "without the key" in facts[f"{FLAW}service"]


@each_server
@pytest.mark.more
def test_a_server_that_encrypts_behaves_so_and_is_not_called_proven(tmp_path: Path, name: str) -> None:
    with running(tmp_path, name, tls=True) as server:
        found = probed(server.access, KMS_KEY)

    assert kinds(found) == (CLAIMED, CLAIMED, BEHAVES)
    assert list(found.circumstances()) == [f"{PROOF}service"]
    assert "not proven" in found.circumstances()[f"{PROOF}service"]


@pytest.mark.parametrize(
    ("lies", "expected", "words", "flawed"),
    [
        (LyingS3(), (IGNORED, IGNORED, IGNORED), "ignores encryption", True),
        (LyingS3(echoes=("PUT", "HEAD", "GET")), (CLAIMED, CLAIMED, DISPROVEN), "only claims", True),
        (LyingS3(echoes=("HEAD",)), (CLAIMED, CLAIMED, DISPROVEN), "only claims", True),
        (LyingS3(lacks=frozenset({"AES256", "aws:kms", "customer"})), (REFUSED,) * 3, "refuses encryption", False),
        (
            LyingS3(echoes=("HEAD",), lacks=frozenset({"customer"})),
            (CLAIMED, CLAIMED, REFUSED),
            "claims to encrypt, and refuses SSE-C",
            False,
        ),
    ],
)
def test_services_that_claim_ignore_and_refuse_are_told_apart(lies, expected, words, flawed) -> None:
    with serving(replace(lies)) as service:
        found = probed(service.access)
    facts = found.circumstances()

    assert kinds(found) == expected
    assert words in facts[f"{PROOF}service"]
    assert (f"{FLAW}service" in facts) is flawed


def test_the_answers_that_name_the_encryption_are_listed() -> None:
    with serving(LyingS3(echoes=("HEAD",))) as service:
        assert probed(service.access).reactions["sse-kms"].shown == "named by HEAD"


def test_a_run_probes_the_service_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "an-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
    with serving(LyingS3(echoes=("PUT", "HEAD", "GET"))) as service:
        levels = {"encryption": ("none", "sse-s3"), "size": ("10KB",), "client": ("python",)}
        plan = planned(EXPERIMENT, request_for("quick", levels, {"endpoint": (service.endpoint,)}))
        with S3Bench(plan) as bench:
            inputs = bench.inputs()
            facts = bench.circumstances()["local"]
            assert not service.buckets
            bench.start(inputs)
            specs = bench.specs(inputs, None)

    assert "only claims" in facts[f"{PROOF}service"]
    assert {spec.claim for spec in specs.values()} == {CLAIMED}


def test_a_service_that_cannot_be_asked_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "an-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
    levels = {"encryption": ("none", "sse-s3"), "size": ("10KB",), "client": ("python",)}
    plan = planned(EXPERIMENT, request_for("quick", levels, {"endpoint": ("http://127.0.0.1:9",)}))

    assert S3Bench(plan).circumstances() == {}
