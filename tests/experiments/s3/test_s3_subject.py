"""The S3 subject against a real server: what it witnesses, what it observes, and what it refuses."""

from __future__ import annotations

import copy
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.experiments.s3.buckets import client as boto
from sectax.experiments.s3.failures import MEANINGS
from sectax.experiments.s3.levels import ENCRYPTIONS, MINIO
from sectax.experiments.s3.local_server import LocalServer
from sectax.experiments.s3.object_pool import SERVES, ObjectPool
from sectax.hosts.places import HERE
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.subject import Work
from tests.experiments.s3.servers import between, needs_server, running
from tests.experiments.s3.specs import KEY, PYTHON, spec
from tests.experiments.subjects import answered, failure, measured, subject_of, values
from tests.needs import needs

pytestmark = [needs_server, pytest.mark.more]

LARGE = 9 * 2**20


def keys_in(server: LocalServer, buckets: tuple[str, ...]) -> list[str]:
    s3 = boto(server.access)
    return [found["Key"] for name in buckets for found in s3.list_objects_v2(Bucket=name).get("Contents", [])]


@pytest.mark.parametrize("encryption", ["none", "sse-s3", "sse-s3-header", "sse-kms", "sse-c", "client-aes-gcm"])
def test_each_encryption_shows_itself_in_header_and_on_disk(plain, tls, client, encryption) -> None:
    seen, visit, closed = measured(spec(tls if encryption == "sse-c" else plain, encryption, client), Work(3))

    assert seen["encryption_header"] == ENCRYPTIONS[encryption].header
    assert seen["proof"] == ("no plaintext on disk" if ENCRYPTIONS[encryption].hides else "plaintext found on disk")
    assert seen["etag"] == ("opaque" if encryption == "client-aes-gcm" else "md5")
    assert seen["local_server"] == plain.named() == f"SeaweedFS {str(seen['server']).rpartition(' ')[2]}"
    assert seen["client"] == client
    observed = Counter(observation.metric for observation in visit.observations)
    assert observed["latency"] == observed["first_byte"] == observed["check"] == 3
    assert observed["client_cpu"] == observed["server_cpu"] == observed["transfer"] == observed["disk_bytes"] == 1
    assert visit.telemetry["attempts"] == 3
    assert closed["requests"] > 3


@needs("MinIO")
def test_minio_encrypts_each_way_too(tmp_path: Path) -> None:
    """It computes no MD5 with SSE-KMS and SSE-C."""
    with running(tmp_path, MINIO, tls=True) as server:
        for encryption in ("none", "sse-s3", "sse-s3-header", "sse-kms", "sse-c"):
            seen, visit, _ = measured(spec(server, encryption), Work(2))

            assert seen["encryption_header"] == ENCRYPTIONS[encryption].header
            assert seen["proof"] == ("plaintext found on disk" if encryption == "none" else "no plaintext on disk")
            assert seen["etag"] == ("opaque" if encryption in ("sse-kms", "sse-c") else "md5")
            assert (seen["local_server"], seen["server"]) == (server.named(), "MinIO")
            assert len(values(visit.observations, "disk_bytes")) == 1


@pytest.mark.parametrize("encryption", ["none", "sse-s3"])
def test_the_next_client_fetches_the_large_object_that_an_earlier_one_stored(plain, client, encryption) -> None:
    own_spec = spec(plain, encryption, client, bytes=LARGE, object_pool=ObjectPool(), thorough=False)
    stored, witnesses = [], []
    for _ in range(SERVES + 1):
        with subject_of(own_spec) as subject:
            witnesses.append(subject.open())
            subject.visit(Work(1))  # what it fetches is held against the body that the seed makes
            stored.append(keys_in(plain, own_spec.buckets))
            subject.close()

    assert stored == [stored[0]] * SERVES + [stored[-1]]
    assert stored[0] != stored[-1]
    assert all(len(sizes) == 1 for sizes in stored)
    assert len({(seen["proof"], seen["disk_bytes"]) for seen in witnesses}) == 1


def test_a_changed_object_fails_the_next_client(plain: LocalServer, client: str) -> None:
    own_spec = spec(plain, "none", client, bytes=LARGE, object_pool=ObjectPool(), thorough=False)
    s3 = boto(plain.access)
    with subject_of(own_spec) as first, subject_of(own_spec) as second:
        first.open()
        first.close()
        (bucket,) = (name for name in own_spec.buckets if keys_in(plain, (name,)))
        s3.put_object(Bucket=bucket, Key=keys_in(plain, (bucket,))[0], Body=bytes(LARGE))
        second.open()
        with pytest.raises(SubjectFailed):
            second.visit(Work(1))


@pytest.mark.parametrize("operation", ["put", "get", "head", "delete"])
@pytest.mark.parametrize("size", [0, 1, 100_000])
def test_every_operation_moves_every_size_and_leaves_nothing(plain, client, operation, size) -> None:
    own_spec = spec(plain, "sse-s3", client, operation=operation, bytes=size)
    with subject_of(own_spec) as subject:
        subject.open()
        visit = subject.visit(Work(4, settle=2))
        between_visits = keys_in(plain, own_spec.buckets)
        closed = subject.close()

    latencies = values(visit.observations, "latency")
    assert len(latencies) == 4
    assert all(latency > 0 for latency in latencies)
    # A GET or HEAD has three objects, and a tiny one another besides. What a PUT stores, and what a DELETE is to find,
    # is there for many turns.
    if operation in ("get", "head"):
        assert len(between_visits) == 3 + (size < 32)
    assert keys_in(plain, own_spec.buckets) == []
    buckets = {name: value for name, value in closed.items() if name.startswith("bucket_")}
    assert 2 <= len(buckets) <= len(own_spec.buckets)
    assert all(isinstance(seconds, float) and seconds > 0 for seconds in buckets.values())


def test_operations_at_once_take_less_time_together_than_one_after_the_other(plain: LocalServer, client: str) -> None:
    _, visit, _ = measured(spec(plain, client=client, operation="put", concurrency=4), Work(24))

    together = next(observation for observation in visit.observations if observation.metric == "transfer")
    assert together.value < 0.8 * visit.summed_s("latency")
    assert together.count == 24 * 20_000


@pytest.mark.parametrize("operation", ["put", "get", "delete"])
def test_concurrent_operations_overlap_and_the_ramp_does_not_count(plain, client, operation) -> None:
    own_spec = spec(plain, client=client, operation=operation, concurrency=8, bytes=1_000_000)
    _, visit, closed = measured(own_spec, Work(own_spec.fewest))

    assert own_spec.fewest == len(values(visit.observations, "latency")) == 80
    assert visit.telemetry["attempts"] == 96
    # Beside another load, too: what waits for a processor is under way.
    assert 0.8 * 8 < visit.telemetry["load_in_flight"] <= visit.telemetry["load_at_once"] == 8
    assert closed["in_flight"] == pytest.approx(visit.telemetry["load_in_flight"], abs=0.01)
    # As long as it is under way, less the time in which others are: Little's law.
    latency_s, transfer_s = visit.summed_s("latency"), visit.summed_s("transfer")
    assert latency_s / transfer_s == pytest.approx(visit.telemetry["load_in_flight"])
    assert visit.elapsed_s("latency") == visit.telemetry["spanned_s"] < latency_s
    assert keys_in(plain, own_spec.buckets) == []


@pytest.mark.parametrize("encryption", ["none", "sse-kms"])
@pytest.mark.parametrize("operation", ["put", "get"])
def test_a_block_checks_large_objects_less_thoroughly_than_the_pilot(plain, client, encryption, operation) -> None:
    own_spec = spec(plain, encryption, client, operation=operation, bytes=9_000_000, thorough=False)
    seen, visit, _ = measured(own_spec, Work(1))

    assert seen["proof"] == ("plaintext found on disk" if encryption == "none" else "no plaintext on disk")
    # A first object that is smaller shows what kind its ETag is; that of a large one is only asked of by the pilot.
    assert seen.get("etag") == (None if operation == "get" else "md5")
    assert ("stored_bytes" in seen) == (operation == "get")
    assert 9_000_000 <= values(visit.observations, "disk_bytes")[0] < 9_500_000
    assert keys_in(plain, own_spec.buckets) == []


@pytest.mark.parametrize("operation", ["put", "get", "delete"])
def test_operations_on_schedule_are_timed_from_when_they_were_due(plain, client, operation) -> None:
    """Far more than one connection can do: all that are sent wait, and most are not sent at all."""
    own_spec = spec(plain, client=client, operation=operation, rate=20_000.0)
    _, visit, _ = measured(own_spec, Work(3_000))

    load, latencies = visit.telemetry, values(visit.observations, "latency")
    assert load["load_scheduled"] == 3_000
    assert load["load_schedule_s"] == pytest.approx(0.15)
    assert load["load_dropped"] > 0
    assert len(latencies) == 3_000 - load["load_dropped"]
    assert load["load_late"] > 0
    # The queue grows until it is 100 ms long: a clock that began with the sending would know nothing of it.
    assert max(latencies) > 0.05
    assert load["load_cpu_s"] > 0
    assert keys_in(plain, own_spec.buckets) == []


def test_the_cpu_time_of_a_body_is_reported_per_gigabyte(plain: LocalServer, client: str) -> None:
    specs = (spec(plain, client=client, operation=operation, bytes=100_000) for operation in ("put", "head"))
    put, head = ({one.metric: one for one in measured(own_spec, Work(4))[1].observations} for own_spec in specs)

    per_gb, whole = put["client_cpu_per_gb"], put["client_cpu"]
    assert per_gb.value / per_gb.count == pytest.approx(whole.value / whole.count / 100_000 * 1e9)
    assert not any("per_gb" in name for name in head)


@pytest.mark.parametrize(
    ("access", "more", "kind"),
    [
        ({"access_key": "nobody-knows-this-one", "secret_key": "nor-this-secret-key"}, {}, "InvalidAccessKeyId"),
        ({"secret_key": "nor-this-secret-key"}, {}, "SignatureDoesNotMatch"),
        ({"endpoint": "http://127.0.0.1:9"}, {}, "connection"),
        ({}, {"buckets": ("no-such-bucket",)}, "NoSuchBucket"),
    ],
)
def test_a_service_that_cannot_be_used_has_its_reason(plain, client, access, more, kind) -> None:
    failed = failure(spec(plain, client=client, access=replace(plain.access, **access), **more))

    assert answered(failed, MEANINGS) == kind
    assert "nor-this-secret-key" not in failed.message + failed.hint


def test_an_untrusted_certificate_is_rejected(tls: LocalServer, client: str) -> None:
    failed = failure(spec(tls, client=client, access=replace(tls.access, ca_pem="")))

    assert answered(failed, MEANINGS) == "certificate"
    assert "--ca" in failed.hint


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        (lambda piece: None, {"short-body"}),
        (lambda piece: bytes([piece[0] ^ 1]) + piece[1:], {"wrong-body", "wrong-checksum"}),
    ],
    ids=["cut short", "changed"],
)
def test_a_damaged_body_is_no_measurement(plain, client, change, kinds) -> None:
    with between(plain, lambda piece, before: change(piece) if before > 200_000 else piece) as endpoint:
        access = replace(plain.access, endpoint=endpoint)
        failed = failure(spec(plain, client=client, access=access, bytes=1_000_000))

    assert answered(failed, MEANINGS) in kinds


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("SlowDown", "503 Slow Down"),
        ("AccessDenied", "403 Forbidden"),  # as for a bucket of somebody else's
        ("RequestTimeTooSkewed", "403 Forbidden"),
    ],
)
def test_a_service_that_refuses_is_not_asked_again(plain, client, code, status) -> None:
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>Not now.</Message></Error>".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    asked = []

    def refuse(piece: bytes, before: int) -> bytes | None:
        asked.append(before)
        return head + body if before == 0 else b""

    with between(plain, refuse) as endpoint:
        failed = failure(spec(plain, client=client, access=replace(plain.access, endpoint=endpoint)))

    assert answered(failed, MEANINGS) == code
    assert asked.count(0) == 1


def client_after(code: str) -> tuple[str, ...]:
    """The client in Python, which does this first."""
    start = f"import runpy, sys; sys.path.insert(0, {str(Path(PYTHON[1]).parent)!r})\n"
    return (sys.executable, "-c", f"{start}{code}\nrunpy.run_path({PYTHON[1]!r}, run_name='__main__')")


def test_a_client_that_only_says_that_it_encrypts_is_refused(plain: LocalServer) -> None:
    idle = "import sealed; sealed.seal = lambda key, body: body; sealed.opened = lambda key, chunks: chunks"

    assert "plaintext" in failure(spec(plain, "client-aes-gcm", argv=client_after(idle))).message


def test_plain_objects_that_are_not_on_this_disk_are_refused(plain: LocalServer, tmp_path: Path) -> None:
    elsewhere = copy.copy(plain)
    elsewhere.data = tmp_path

    assert "plaintext" in failure(replace(spec(plain, "none"), server=elsewhere)).message


def test_a_bucket_that_does_not_encrypt_is_refused(plain: LocalServer) -> None:
    failed = failure(spec(plain, "sse-s3", buckets=spec(plain, "none").buckets))

    assert ENCRYPTIONS["sse-s3"].words in failed.message
    assert failed.message.endswith(ENCRYPTIONS["none"].header)


def test_a_service_that_encrypts_what_is_to_be_plain_is_recognised(plain: LocalServer) -> None:
    """As AWS does since 2023."""
    with pytest.raises(SubjectSkipped, match="AES256") as caught:
        measured(spec(plain, "none", buckets=spec(plain, "sse-s3").buckets), Work(1))

    assert "2023-01-05" in caught.value.hint


def test_no_secret_shows_in_witnesses_or_in_the_list_of_processes(tls: LocalServer) -> None:
    own_spec = spec(tls, "sse-c")
    with subject_of(own_spec) as subject:
        seen = repr(subject.open())
        process = Path(f"/proc/{subject._client.child.pid}")
        shown = (process / "cmdline").read_text() + (process / "environ").read_text()

    for secret in (KEY, tls.access.secret_key):
        assert secret not in seen + shown + repr(own_spec)


@pytest.mark.parametrize("operation", ["get", "put", "delete"])
@pytest.mark.parametrize("rate", [0.0, 150.0])
def test_several_clients_share_a_load_and_leave_nothing(plain, client, operation, rate) -> None:
    wanted = spec(plain, "sse-s3", client, operation=operation, places=(HERE,) * 3, concurrency=6, rate=rate)
    seen, visit, closed = measured(wanted, Work(61, settle=10))

    sent = len(values(visit.observations, "latency"))
    assert sent + visit.telemetry.get("load_dropped", 0) == 61
    assert visit.telemetry["attempts"] >= sent
    assert seen["encryption_header"] == "AES256"
    assert closed["clients"] == 3
    assert closed["latest_start_s"] >= 0
    assert keys_in(plain, wanted.buckets) == []
