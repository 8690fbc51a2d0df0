"""The S3 subject against a real MinIO: what it witnesses, what it observes, and what it refuses."""

from __future__ import annotations

import copy
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.experiments.s3.buckets import client as boto
from sectax.experiments.s3.levels import ENCRYPTIONS
from sectax.experiments.s3.minio import Minio
from sectax.experiments.s3.shelf import SERVES, Shelf
from sectax.experiments.s3.spec import S3Spec
from sectax.hosts.places import HERE
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.subject import Visit, Witnesses, Work
from tests.experiments.s3.servers import between, needs_minio, running
from tests.experiments.s3.specs import KEY, PYTHON, spec
from tests.needs import needs

pytestmark = [needs_minio, pytest.mark.more]

CLIENTS = ["python", pytest.param("go", marks=needs("the S3 client in Go"))]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Minio]:
    with running(tmp_path_factory.mktemp("plain")) as server:
        yield server


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Minio]:
    with running(tmp_path_factory.mktemp("tls"), tls=True) as server:
        yield server


def measured(wanted: S3Spec, work: Work) -> tuple[Witnesses, Visit, Witnesses]:
    subject = wanted.subject()
    try:
        return subject.open(), subject.visit(work), subject.close()
    finally:
        subject.kill()


def keys_in(server: Minio, buckets: tuple[str, ...]) -> list[str]:
    s3 = boto(server.access)
    return [found["Key"] for name in buckets for found in s3.list_objects_v2(Bucket=name).get("Contents", [])]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("encryption", ["none", "sse-s3", "sse-s3-header", "sse-kms", "sse-c", "client-aes-gcm"])
def test_each_encryption_shows_itself_in_header_and_on_disk(
    plain: Minio, tls: Minio, client: str, encryption: str
) -> None:
    server = tls if encryption == "sse-c" else plain
    seen, visit, closed = measured(spec(server, encryption, client), Work(3))

    assert seen["encryption_header"] == ENCRYPTIONS[encryption].header
    assert seen["proof"] == ("no plaintext on disk" if ENCRYPTIONS[encryption].hides else "plaintext found on disk")
    assert seen["etag"] == ("md5" if encryption in ("none", "sse-s3", "sse-s3-header") else "opaque")
    assert seen["client"] == client
    observed = Counter(observation.metric for observation in visit.observations)
    assert observed["latency"] == observed["first_byte"] == observed["check"] == 3
    assert observed["client_cpu"] == observed["server_cpu"] == observed["transfer"] == observed["disk_bytes"] == 1
    assert visit.telemetry["attempts"] == 3
    assert closed["requests"] > 3


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("encryption", ["none", "sse-s3"])
def test_the_next_client_fetches_the_large_object_that_an_earlier_one_stored(
    plain: Minio, client: str, encryption: str
) -> None:
    own_spec = spec(plain, encryption, client, bytes=9 * 2**20, shelf=Shelf(), thorough=False)
    stored, witnesses = [], []
    for _ in range(SERVES + 1):
        subject = own_spec.subject()
        try:
            witnesses.append(subject.open())
            subject.visit(Work(1))  # what it fetches is held against the body that the seed makes
            stored.append(keys_in(plain, own_spec.buckets))
            subject.close()
        finally:
            subject.kill()

    assert stored == [stored[0]] * SERVES + [stored[-1]]
    assert stored[0] != stored[-1]
    assert all(len(sizes) == 1 for sizes in stored)
    assert len({seen["proof"] for seen in witnesses}) == 1
    assert len({seen["disk_bytes"] for seen in witnesses}) == 1


@pytest.mark.parametrize("client", CLIENTS)
def test_a_kept_object_that_somebody_changed_is_not_taken_for_the_one_that_was_stored(
    plain: Minio, client: str
) -> None:
    own_spec = spec(plain, "none", client, bytes=9 * 2**20, shelf=Shelf(), thorough=False)
    first, second = own_spec.subject(), own_spec.subject()
    try:
        first.open()
        first.close()
        (key,) = keys_in(plain, own_spec.buckets)
        s3 = boto(plain.access)
        bucket = next(bucket for bucket in own_spec.buckets if s3.list_objects_v2(Bucket=bucket).get("Contents"))
        s3.put_object(Bucket=bucket, Key=key, Body=bytes(9 * 2**20))
        second.open()
        with pytest.raises(SubjectFailed):
            second.visit(Work(1))
    finally:
        first.kill()
        second.kill()


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("operation", ["put", "get", "head", "delete"])
@pytest.mark.parametrize("size", [0, 1, 100_000])
def test_every_operation_moves_every_size_and_leaves_nothing(
    plain: Minio, client: str, operation: str, size: int
) -> None:
    own_spec = spec(plain, "sse-s3", client, operation=operation, bytes=size)
    subject = own_spec.subject()
    try:
        subject.open()
        visit = subject.visit(Work(4, settle=2))
        between_visits = keys_in(plain, own_spec.buckets)
        closed = subject.close()
    finally:
        subject.kill()

    assert sum(observation.metric == "latency" for observation in visit.observations) == 4
    assert all(observation.value > 0 for observation in visit.observations if observation.metric == "latency")
    # A GET or HEAD has three objects, and a tiny one another besides. What a PUT stores, and what a DELETE is to find,
    # is there for many turns.
    if operation in ("get", "head"):
        assert len(between_visits) == 3 + (size < 32)
    assert keys_in(plain, own_spec.buckets) == []
    buckets = {name: value for name, value in closed.items() if name.startswith("bucket_")}
    assert 2 <= len(buckets) <= len(own_spec.buckets)
    assert all(isinstance(seconds, float) and seconds > 0 for seconds in buckets.values())


@pytest.mark.parametrize("client", CLIENTS)
def test_an_upload_in_parts_says_how_many(plain: Minio, client: str) -> None:
    own_spec = spec(plain, "sse-kms", client, operation="put", bytes=12_000_000, part_bytes=8 * 2**20)
    seen, visit, _ = measured(own_spec, Work(1))

    assert (seen["etag"], seen["parts"]) == ("multipart", 2)
    assert visit.telemetry["attempts"] == 4  # create, two parts, complete
    assert keys_in(plain, own_spec.buckets) == []


@pytest.mark.parametrize("client", CLIENTS)
def test_operations_at_once_take_less_time_together_than_one_after_the_other(plain: Minio, client: str) -> None:
    _, visit, _ = measured(spec(plain, client=client, operation="put", concurrency=4), Work(24))

    summed = sum(observation.value for observation in visit.observations if observation.metric == "latency")
    together = next(observation for observation in visit.observations if observation.metric == "transfer")
    assert together.value < 0.8 * summed
    assert together.count == 24 * 20_000


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("operation", ["put", "get", "delete"])
def test_what_is_to_run_at_once_does_and_the_ramp_does_not_count(plain: Minio, client: str, operation: str) -> None:
    own_spec = spec(plain, client=client, operation=operation, concurrency=8, bytes=1_000_000)
    subject = own_spec.subject()
    try:
        subject.open()
        visit = subject.visit(Work(own_spec.fewest))
        closed = subject.close()
    finally:
        subject.kill()

    assert own_spec.fewest == sum(observation.metric == "latency" for observation in visit.observations) == 80
    assert visit.telemetry["attempts"] == 96
    # Beside another load, too: what waits for a processor is under way.
    assert 0.8 * 8 < visit.telemetry["load_in_flight"] <= visit.telemetry["load_at_once"] == 8
    assert closed["in_flight"] == pytest.approx(visit.telemetry["load_in_flight"], abs=0.01)
    # As long as it is under way, less the time in which others are: Little's law.
    latency_s = sum(observation.value for observation in visit.observations if observation.metric == "latency")
    transfer_s = next(observation.value for observation in visit.observations if observation.metric == "transfer")
    assert latency_s / transfer_s == pytest.approx(visit.telemetry["load_in_flight"])
    assert visit.elapsed_s("latency") == visit.telemetry["spanned_s"] < latency_s
    assert keys_in(plain, own_spec.buckets) == []


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("encryption", ["none", "sse-kms"])
@pytest.mark.parametrize("operation", ["put", "get"])
def test_a_block_looks_at_large_objects_less_thoroughly_than_the_pilot(
    plain: Minio, client: str, encryption: str, operation: str
) -> None:
    own_spec = spec(plain, encryption, client, operation=operation, bytes=9_000_000, thorough=False)
    seen, visit, _ = measured(own_spec, Work(1))

    assert seen["proof"] == ("plaintext found on disk" if encryption == "none" else "no plaintext on disk")
    # A first object that is smaller shows what kind its ETag is; that of a large one is only asked of by the pilot.
    small = "md5" if encryption == "none" else "opaque"
    assert seen.get("etag") == (None if operation == "get" else small)
    assert ("stored_bytes" in seen) == (operation == "get")
    on_disk = next(observation.value for observation in visit.observations if observation.metric == "disk_bytes")
    assert 9_000_000 <= on_disk < 9_500_000
    assert keys_in(plain, own_spec.buckets) == []


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("operation", ["put", "get", "delete"])
def test_operations_on_schedule_are_timed_from_when_they_were_due(plain: Minio, client: str, operation: str) -> None:
    """Far more than one connection can do: all that are sent wait, and most are not sent at all."""
    own_spec = spec(plain, client=client, operation=operation, rate=20_000.0)
    _, visit, _ = measured(own_spec, Work(3_000))

    told, latencies = (
        visit.telemetry,
        [observation.value for observation in visit.observations if observation.metric == "latency"],
    )
    assert told["load_scheduled"] == 3_000
    assert told["load_schedule_s"] == pytest.approx(0.15)
    assert told["load_dropped"] > 0
    assert len(latencies) == 3_000 - told["load_dropped"]
    assert told["load_late"] > 0
    # The queue grows until it is 100 ms long: a clock that began with the sending would know nothing of it.
    assert max(latencies) > 0.05
    assert told["load_cpu_s"] > 0
    assert keys_in(plain, own_spec.buckets) == []


@pytest.mark.parametrize("client", CLIENTS)
def test_a_slow_schedule_is_sent_whole(plain: Minio, client: str) -> None:
    _, visit, _ = measured(spec(plain, client=client, rate=20.0, concurrency=16), Work(5))

    assert visit.telemetry["load_scheduled"] == 5
    assert visit.telemetry["load_sending_s"] >= 0.24
    assert (
        sum(observation.metric == "latency" for observation in visit.observations)
        == 5 - visit.telemetry["load_dropped"]
    )


@pytest.mark.parametrize("client", CLIENTS)
def test_what_the_body_cost_in_processors_is_reported_per_gigabyte(plain: Minio, client: str) -> None:
    observed = {}
    for operation in ("put", "head"):
        subject = spec(plain, client=client, operation=operation, bytes=100_000).subject()
        try:
            subject.open()
            observed[operation] = {
                observation.metric: observation for observation in subject.visit(Work(4)).observations
            }
            subject.close()
        finally:
            subject.kill()

    per_gb, whole = observed["put"]["client_cpu_per_gb"], observed["put"]["client_cpu"]
    assert per_gb.value / per_gb.count == pytest.approx(whole.value / whole.count / 100_000 * 1e9)
    assert not any("per_gb" in name for name in observed["head"])


@pytest.mark.parametrize("client", CLIENTS)
def test_odd_key_names_are_ordinary_ones(plain: Minio, client: str) -> None:
    own_spec = spec(plain, client=client, operation="put", prefix="ünï cödé/ sp ace +%2e&?/..x/日本/")
    measured(own_spec, Work(2))

    assert keys_in(plain, own_spec.buckets) == []


def refusal(wanted: S3Spec) -> SubjectFailed:
    subject = wanted.subject()
    try:
        subject.open()
        subject.visit(Work(1))
    except SubjectFailed as failure:
        return failure
    finally:
        subject.kill()
    raise AssertionError("nothing was refused")


@pytest.mark.parametrize("client", CLIENTS)
def test_wrong_credentials_are_named_and_not_shown(plain: Minio, client: str) -> None:
    stranger = replace(plain.access, access_key="nobody-knows-this-one", secret_key="nor-this-secret-key")
    failure = refusal(spec(plain, client=client, access=stranger))

    assert "the service does not know the access key" in failure.message
    assert "nor-this-secret-key" not in failure.message + failure.hint

    liar = replace(plain.access, secret_key="not-the-secret-key-of-it")
    assert "the secret key is not the one of the access key" in refusal(spec(plain, client=client, access=liar)).message


@pytest.mark.parametrize("client", CLIENTS)
def test_a_bucket_that_is_not_there_is_named(plain: Minio, client: str) -> None:
    assert "there is no such bucket" in refusal(spec(plain, client=client, buckets=("no-such-bucket",))).message


@pytest.mark.parametrize("client", CLIENTS)
def test_a_certificate_that_nobody_vouches_for_is_refused(tls: Minio, client: str) -> None:
    failure = refusal(spec(tls, client=client, access=replace(tls.access, ca_pem="")))

    assert "certificate is not trusted" in failure.message
    assert "--ca" in failure.hint


@pytest.mark.parametrize("client", CLIENTS)
def test_nobody_at_the_address_is_reported(plain: Minio, client: str) -> None:
    nowhere = replace(plain.access, endpoint="http://127.0.0.1:9")
    assert "the service cannot be reached" in refusal(spec(plain, client=client, access=nowhere)).message


def through(server: Minio, endpoint: str, client: str, **more: object) -> S3Spec:
    return spec(server, client=client, access=replace(server.access, endpoint=endpoint), bytes=1_000_000, **more)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_body_that_is_cut_short_is_no_measurement(plain: Minio, client: str) -> None:
    def cut(piece: bytes, before: int) -> bytes | None:
        return None if before > 200_000 else piece

    with between(plain, cut) as endpoint:
        failure = refusal(through(plain, endpoint, client))

    assert "a body was cut short" in failure.message


@pytest.mark.parametrize("client", CLIENTS)
def test_a_body_that_was_changed_is_no_measurement(plain: Minio, client: str) -> None:
    def change(piece: bytes, before: int) -> bytes | None:
        return bytes([piece[0] ^ 1]) + piece[1:] if before > 200_000 else piece

    with between(plain, change) as endpoint:
        failure = refusal(through(plain, endpoint, client))

    assert (
        "a body is not the one that was stored" in failure.message or "checksum that is not its own" in failure.message
    )


REFUSALS = {
    "SlowDown": ("503 Slow Down", "the service asks to slow down"),
    "AccessDenied": ("403 Forbidden", "access is denied"),
    "RequestTimeTooSkewed": ("403 Forbidden", "this machine's clock is wrong"),
}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("code", REFUSALS)
def test_a_service_that_refuses_is_not_asked_again(plain: Minio, client: str, code: str) -> None:
    """A bucket of somebody else's is refused like this."""
    status, meaning = REFUSALS[code]
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>Not now.</Message></Error>".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    asked = []

    def refuse(piece: bytes, before: int) -> bytes | None:
        asked.append(before)
        return head + body if before == 0 else b""

    with between(plain, refuse) as endpoint:
        failure = refusal(through(plain, endpoint, client))

    assert meaning in failure.message
    assert asked.count(0) == 1


def test_a_clock_that_is_an_hour_off_is_named(plain: Minio) -> None:
    code = (
        "import sys, runpy, datetime, botocore.auth as auth\n"
        "now = auth.get_current_datetime\n"
        "auth.get_current_datetime = lambda *more, **named: now(*more, **named) - datetime.timedelta(hours=1)\n"
        f"sys.path.insert(0, {str(Path(PYTHON[1]).parent)!r})\n"
        f"runpy.run_path({PYTHON[1]!r}, run_name='__main__')"
    )
    failure = refusal(spec(plain, argv=(sys.executable, "-c", code)))

    assert "this machine's clock is wrong" in failure.message


def test_a_client_that_only_says_that_it_encrypts_is_refused(plain: Minio) -> None:
    code = (
        f"import sys, runpy; sys.path.insert(0, {str(Path(PYTHON[1]).parent)!r})\n"
        "import sealed; sealed.seal = lambda key, body: body; sealed.opened = lambda key, chunks: chunks\n"
        f"runpy.run_path({PYTHON[1]!r}, run_name='__main__')"
    )
    failure = refusal(spec(plain, "client-aes-gcm", argv=(sys.executable, "-c", code)))

    assert "its plaintext was found in the server's files" in failure.message


def test_plain_objects_that_are_not_on_this_disk_are_refused(plain: Minio, tmp_path: Path) -> None:
    elsewhere = copy.copy(plain)
    elsewhere.data = tmp_path
    assert "its plaintext was not found" in refusal(replace(spec(plain, "none"), server=elsewhere)).message


def test_a_bucket_that_does_not_encrypt_is_refused(plain: Minio) -> None:
    unencrypted = spec(plain, "none").buckets
    failure = refusal(spec(plain, "sse-s3", buckets=unencrypted))

    assert "claims SSE-S3 as the bucket's default, and the object says none" in failure.message


def test_a_service_that_encrypts_what_is_to_be_plain_is_recognised(plain: Minio) -> None:
    """As AWS does since 2023."""
    subject = spec(plain, "none", buckets=spec(plain, "sse-s3").buckets).subject()
    try:
        with pytest.raises(SubjectSkipped, match=r"encrypts all the same \(AES256\)") as caught:
            subject.open()
    finally:
        subject.kill()
    assert "2023-01-05" in caught.value.hint


def test_no_secret_shows_in_witnesses_or_in_the_list_of_processes(tls: Minio) -> None:
    own_spec = spec(tls, "sse-c")
    subject = own_spec.subject()
    try:
        seen = repr(subject.open())
        pid = subject._client.child.pid  # type: ignore[attr-defined]
        shown = Path(f"/proc/{pid}/cmdline").read_text() + Path(f"/proc/{pid}/environ").read_text()
    finally:
        subject.kill()

    for secret in (KEY, tls.access.secret_key):
        assert secret not in seen + shown + repr(own_spec)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("operation", ["get", "put", "delete"])
@pytest.mark.parametrize("rate", [0.0, 150.0])
def test_several_clients_share_a_load_and_leave_nothing(plain: Minio, client: str, operation: str, rate: float) -> None:
    wanted = spec(plain, "sse-s3", client, operation=operation, places=(HERE,) * 3, concurrency=6, rate=rate)
    seen, visit, closed = measured(wanted, Work(61, settle=10))

    observed = Counter(observation.metric for observation in visit.observations)
    assert observed["latency"] + visit.telemetry.get("load_dropped", 0) == 61
    assert visit.telemetry["attempts"] >= observed["latency"]
    assert seen["encryption_header"] == "AES256"
    assert closed["clients"] == 3
    assert closed["latest_start_s"] >= 0
    assert keys_in(plain, wanted.buckets) == []


def test_several_clients_fetch_one_large_object(plain: Minio) -> None:
    wanted = spec(plain, bytes=9 * 2**20, concurrency=4, places=(HERE, HERE), shelf=Shelf())
    subject = wanted.subject()
    try:
        subject.open()
        stored = keys_in(plain, wanted.buckets)
        subject.visit(Work(40))
        subject.close()
    finally:
        subject.kill()

    assert len(stored) == 1
    assert keys_in(plain, wanted.buckets) == stored  # for the next clients
