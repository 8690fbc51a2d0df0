"""Subject of an S3 client; opening proves that the service encrypts."""

from __future__ import annotations

import contextlib
import secrets
import statistics
import time
from dataclasses import asdict, replace
from typing import Any

from sectax.experiments.client_server.client import Overlap
from sectax.experiments.client_server.server import ServerFailed, cpu_time_s
from sectax.experiments.client_server.subject import ClientSubject
from sectax.experiments.s3.client_process import ClientProcess, ObjectBatch
from sectax.experiments.s3.failures import MEANINGS, OTHER
from sectax.experiments.s3.levels import CLIENT, ENCRYPTIONS, METADATA, NONE, SSE_C
from sectax.experiments.s3.local_server import LocalServer
from sectax.experiments.s3.many_clients import ManyClients
from sectax.experiments.s3.object_pool import PooledObject
from sectax.experiments.s3.proof import cached_share, contains_marker, files_below
from sectax.experiments.s3.spec import S3Spec
from sectax.hosts.process.telemetry import difference
from sectax.model.errors import SubjectSkipped
from sectax.model.subject import Observation, Visit, Witnesses

DISK_BYTES = "disk_bytes"
_GB = 1e9

# GETs of small objects use several, one per bucket; a large one is stored once per block.
_OBJECTS = 3
_LARGE = 4 * 1024 * 1024
# Objects of this size are pooled.
_POOLED_FROM = 8 * 1024 * 1024
# Objects are removed after many batches, all at once.
_PENDING, _PENDING_BYTES = 1000, 64 * 1024 * 1024
_WARMING, _WARMING_BYTES = 10, 4 * 1024 * 1024
# A file system's clock may be behind by this much.
_FILE_CLOCK_S = 2.0
# Witnesses that depend on the object's size.
_SIZE_WITNESSES = frozenset({"parts", "stored_bytes"})
# Witnesses noted when an object is stored.
_STORING_WITNESSES = frozenset({"proof", DISK_BYTES, "page_cache"})


class S3Subject(ClientSubject):
    """Implements `sectax.model.subject.Subject`."""

    whose, meanings, other = "its client", MEANINGS, OTHER

    def __init__(self, spec: S3Spec) -> None:
        super().__init__((*spec.access.secrets(), spec.key))
        self._spec = spec
        self._client: ClientProcess | ManyClients | None = None
        self._disk_bytes: int | None = None
        self._pending = 0  # operations since the last removal
        self._prefix = ""
        self._overlap = Overlap(spec.clients)
        self._by_bucket: dict[int, list[int]] = {}  # nanoseconds
        is_pooled = spec.operation in ("get", "head") and spec.bytes > _POOLED_FROM
        self._pool = spec.object_pool if is_pooled else None
        self._stored_object: PooledObject | None = None

    def start(self) -> None:
        if self._client is not None or self._spec.refused is not None:
            return
        if self._pool is not None:
            self._stored_object = self._pool.take(self._spec.pool_key)
        seed = "" if self._stored_object is None else self._stored_object.seed
        spec = self._spec
        arguments = (spec.argv, spec.access, spec.bytes, spec.rate, seed)
        with self._readable_errors("start"):
            self._client = ManyClients(spec.places, *arguments) if spec.clients > 1 else ClientProcess(*arguments)

    def open(self) -> Witnesses:
        """Store the first object, and check its encryption.

        Returns:
            encryption_header, kms_key_named, bucket_key, etag (`md5`, `multipart`, `opaque`; of large objects only if
            thorough), parts, stored_bytes, server, as read by the client; local_server, its name and version; proof,
            whether the server's files contain the marker; disk_bytes; page_cache; client, runtime, library versions,
            clock.
        Raises:
            SubjectSkipped: the service encrypts although none was requested.
            SubjectFailed: the object is not encrypted as claimed, or another failure.
            ServerFailed: the local server ended.
        """
        if self._spec.refused is not None:
            raise SubjectSkipped(self._spec.refused.message, self._spec.refused.hint)
        self.start()
        spec, client = self._spec, self._running()
        stored = self._stored_object
        marker = secrets.token_hex(16) if stored is None else stored.marker
        prefix = f"{spec.prefix}{secrets.token_hex(6)}/"
        objects = 1 if spec.bytes > _LARGE else _OBJECTS
        began = time.time()
        with self._readable_errors("open"):
            hello = client.hello()
            opened = client.open(self._client_request(prefix, marker), objects)
        self._prefix, answered = prefix, dict(opened.witnesses)
        bucket, key = place = str(answered.pop("first_bucket", "")), str(answered.pop("first_key", ""))
        self._check_header(str(answered.get("encryption_header")))
        if not self._first_is_equal:
            answered = {name: value for name, value in answered.items() if name not in _SIZE_WITNESSES}
        witnesses: Witnesses = {name: self._safe(value) for name, value in answered.items()}
        if stored is not None and stored.found:
            # Checked when it was stored.
            witnesses |= stored.witnesses
            self._disk_bytes = int(stored.witnesses.get(DISK_BYTES, 0)) or None
        elif spec.server is not None:
            witnesses |= self._proof(spec.server, bucket, key, marker, began - _FILE_CLOCK_S)
        elif ENCRYPTIONS[spec.encryption].by_service:
            witnesses["proof"] = spec.claim
        if stored is not None:
            storing = {name: value for name, value in witnesses.items() if name in _STORING_WITNESSES}
            self._stored_object = replace(stored, found=place, witnesses=storing)
        clock = self._begin_visits(hello.clock, client.telemetry())
        self._warm_up()
        libraries: Witnesses = {f"library_{name}": self._safe(version) for name, version in hello.libraries.items()}
        return witnesses | {"client": hello.client, "runtime": self._safe(hello.runtime)} | libraries | clock

    def _measure(self, count: int) -> Visit:
        """Measure a batch; bodies are made and objects removed outside of it.

        Observations: `latency`, one per operation; of a GET also `first_byte` and `check`, the hashing of the body,
        included in latency; `transfer`, the time of the batch over its bytes (by Little's law if operations overlap);
        `client_cpu`, and `server_cpu` of our own server, also per GB; `client_memory`; `disk_bytes`.
        """
        batch, server_s, telemetry = self._batch(count)
        count = len(batch.elapsed_ns)
        for bucket, elapsed_ns in zip(batch.buckets, batch.elapsed_ns, strict=False):
            self._by_bucket.setdefault(bucket, []).append(elapsed_ns)
        observed = self._times("latency", batch.elapsed_ns) + self._times("first_byte", batch.first_byte_ns)
        observed += self._times("check", batch.check_ns)
        if self._spec.bytes:
            wall_ns = sum(batch.elapsed_ns) / batch.in_flight if self._spec.ramp else batch.wall_ns
            observed.append(Observation("transfer", wall_ns * 1e-9, "s", self._clock, count * self._spec.bytes))
        counted = count / (count + 2 * self._spec.ramp)
        observed.append(Observation("client_cpu", counted * batch.cpu_ns * 1e-9, "s", "process CPU time", count))
        if server_s is not None:
            observed.append(Observation("server_cpu", counted * server_s, "s", "server's CPU time", count))
        observed += self._per_gb(observed, count)
        if batch.peak_bytes:
            observed.append(Observation("client_memory", float(batch.peak_bytes), "B", "kernel", 1))
        if self._disk_bytes is not None:
            observed.append(Observation(DISK_BYTES, float(self._disk_bytes), "B", "file system", 1))
        return Visit(tuple(observed), telemetry)

    def _per_gb(self, observed: list[Observation], count: int) -> list[Observation]:
        moved = 0 if self._spec.operation in METADATA else count * self._spec.bytes
        names = {"client_cpu": "client_cpu_per_gb", "server_cpu": "server_cpu_per_gb"}
        return [
            Observation(names[observation.metric], observation.value * _GB, "s/GB", observation.clock, moved)
            for observation in observed
            if moved and observation.metric in names
        ]

    def close(self) -> Witnesses:
        """Remove the client's objects, and end it.

        Returns:
            requests, in_flight, and `bucket_1_s`, …: median latency by bucket.
        """
        self._stage = "close"
        with self._readable_errors("close"):
            attempts = self._running().close(self._pending)
        self._reclaim()
        if self._pool is not None and self._stored_object is not None:
            self._pool.put(self._spec.pool_key, self._stored_object)
        self.kill()
        buckets: Witnesses = {
            f"bucket_{bucket + 1}_s": statistics.median(elapsed_ns) * 1e-9
            for bucket, elapsed_ns in sorted(self._by_bucket.items())
        }
        return {"requests": attempts} | self._overlap.witnesses() | buckets

    def _leave(self) -> None:
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.kill()

    def _client_request(self, prefix: str, marker: str) -> dict[str, Any]:
        """The request `open` of clients/PROTOCOL.md."""
        spec = self._spec
        return (
            asdict(spec.access)
            | {
                "operation": spec.operation,
                "bytes": spec.bytes,
                "buckets": list(spec.buckets),
                "prefix": prefix,
                "encryption": spec.encryption,
                "key": spec.key if spec.encryption in (SSE_C, CLIENT) else "",
                "part_bytes": spec.part_bytes,
                "concurrency": spec.concurrency,
                "marker": marker,
                "thorough": spec.thorough,
                "first_bytes": spec.first_bytes,
                "added_ns": round(spec.added_s * 1e9),
                "rate": spec.rate,
            }
            | self._pooled_fields()
        )

    def _pooled_fields(self) -> dict[str, Any]:
        stored = self._stored_object
        return {} if stored is None else {"seed": stored.seed, "found": list(stored.found), "keep": stored.stays}

    def _batch(self, count: int) -> tuple[ObjectBatch, float | None, dict[str, float]]:
        """Returns the batch, the server's CPU seconds, and the client's telemetry."""
        client, ramp = self._running(), self._spec.ramp
        total = count + 2 * ramp
        with self._readable_errors("stage"):
            client.make_ready(total, ramp)
        with self._readable_errors(self._spec.operation):
            before = self._telemetry.read()
            server, began = self._server_cpu_s(), time.monotonic()
            batch = client.measure(total, ramp)
            spanned_s, server_after = time.monotonic() - began, self._server_cpu_s()
            after = self._telemetry.read()
        self._pending += total
        if self._disk_bytes is None and self._spec.server is not None:
            self._disk_bytes = self._spec.server.largest_stored(self._spec.buckets, self._prefix)
        with self._readable_errors("clear"):
            self._clear_in_time()
        complaint = batch.complaint(count, spanned_s, ramp)
        if complaint is not None:
            raise self._failure(complaint, "report it")
        telemetry = difference(before, after) | {"spanned_s": spanned_s, "attempts": float(batch.attempts)}
        if self._spec.concurrency > 1 or self._spec.rate:
            telemetry |= batch.load(count, self._spec.rate, self._spec.concurrency)
        self._overlap.add(batch, ramp)
        server_s = None if server is None or server_after is None else server_after - server
        return batch, server_s, telemetry

    def _warm_up(self) -> None:
        """Run a few operations: the first ones take up to 50 % longer."""
        count = max(1, min(_WARMING, _WARMING_BYTES // max(1, self._spec.bytes)))
        if self._spec.rate or count == 1:
            return
        with self._readable_errors(self._spec.operation):
            self._running().make_ready(count)
            self._running().measure(count)
            self._pending += count

    def _clear_in_time(self) -> None:
        if self._spec.operation not in ("put", "delete"):
            self._pending = 0
        elif self._pending >= _PENDING or self._pending * self._spec.bytes >= _PENDING_BYTES:
            if self._spec.operation == "put":
                self._running().clear(self._pending)
            self._reclaim()
            self._pending = 0

    def _reclaim(self) -> None:
        if self._spec.server is not None:
            self._spec.server.reclaim()

    def _check_header(self, header: str) -> None:
        claimed = ENCRYPTIONS[self._spec.encryption]
        if header == claimed.header:
            return
        self.kill()
        if self._spec.encryption == NONE:
            raise SubjectSkipped(
                f"{self._title()}: the service encrypts although none was requested ({self._safe(header)})",
                "AWS has encrypted every new object with SSE-S3 since 2023-01-05; with --endpoint aws that is the "
                "baseline",
            )
        reason = f"{claimed.words} was requested, and the object has {self._safe(header)}"
        raise self._failure(reason, "check whether the service supports this encryption")

    def _proof(self, server: LocalServer, bucket: str, key: str, marker: str, since: float) -> Witnesses:
        """Search the server's files for the beginning of the first object's body."""
        spec, stored = self._spec, server.files(bucket, key)
        own = not spec.thorough and stored and spec.bytes >= len(marker)
        is_plain = contains_marker(stored if own else files_below(server.data), marker.encode(), since)
        encryption = ENCRYPTIONS[spec.encryption]
        if is_plain is encryption.hides:
            found = "was found" if is_plain else "was not found"
            reason = f"the plaintext {found} in the server's files ({encryption.words})"
            raise self._failure(reason, "it was not measured; report it to the server's authors")
        proof = "plaintext found on disk" if is_plain else "no plaintext on disk"
        witnesses: Witnesses = {"local_server": server.named(), "proof": proof}
        if self._first_is_equal:
            self._disk_bytes = server.largest_stored((bucket,), key.rpartition("/")[0])
        if self._disk_bytes is not None:
            witnesses[DISK_BYTES] = self._disk_bytes
            cached = cached_share(stored)
            if cached is not None:
                held = "held" if cached >= 0.9 else "held in part"
                witnesses["page_cache"] = "not held" if cached <= 0.1 else held
        return witnesses

    @property
    def _first_is_equal(self) -> bool:
        """Whether the first object is as large as the measured ones."""
        return self._spec.first_bytes == self._spec.bytes

    def _server_cpu_s(self) -> float | None:
        return None if self._spec.server is None else cpu_time_s(self._spec.server.pid)

    def _running(self) -> ClientProcess | ManyClients:
        if self._client is None:
            raise RuntimeError("the subject was not started")
        return self._client

    def _title(self) -> str:
        spec = self._spec
        return f"s3 ({spec.operation}, {spec.bytes} bytes, {spec.encryption}, {spec.client} client)"

    def _check_server(self) -> None:
        server = self._spec.server
        if server is not None and not server.is_running():
            reason = f"the local S3 server ended during the run{self._redacted(server.log_tail())}"
            raise ServerFailed(reason, "sectax resume continues with a new one; check memory and disk space")
