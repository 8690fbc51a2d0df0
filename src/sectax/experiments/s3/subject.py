"""An S3 client as a subject: opened with a proof that the service encrypts, visited for batches of operations."""

from __future__ import annotations

import contextlib
import secrets
import statistics
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sectax.experiments.client_server.client import Overlap
from sectax.experiments.client_server.server import ServerFailed, cpu_time_s
from sectax.experiments.client_server.subject import ClientSubject
from sectax.experiments.s3.client_process import ClientProcess, ObjectBatch
from sectax.experiments.s3.failures import MEANINGS, OTHER
from sectax.experiments.s3.levels import CLIENT, ENCRYPTIONS, METADATA, NONE, SSE_C
from sectax.experiments.s3.many_clients import ManyClients
from sectax.experiments.s3.object_pool import PooledObject
from sectax.experiments.s3.proof import cached_share, holds, stored_bytes
from sectax.experiments.s3.spec import S3Spec
from sectax.hosts.process.telemetry import difference
from sectax.model.errors import SubjectSkipped
from sectax.model.subject import Observation, Visit, Witnesses

DISK_BYTES = "disk_bytes"
_GB = 1e9

# A GET of a small object goes round several, one per bucket; a large one is stored once a block.
_OBJECTS = 3
_LARGE = 4 * 1024 * 1024
# One whose body clients can make again from a seed is found again by the next client.
_KEPT_FROM = 8 * 1024 * 1024
# Objects are removed after many turns, all at once.
_KEPT, _KEPT_BYTES = 1000, 64 * 1024 * 1024
_WARMING, _WARMING_BYTES = 10, 4 * 1024 * 1024
# The clock of a file system may be so much behind.
_FILE_CLOCK_S = 2.0
# What a smaller first object says nothing of. The kind of its ETag goes by the encryption, not by the size.
_OF_ITS_SIZE = frozenset({"parts", "stored_bytes"})
# What is looked for once, when an object is stored.
_OF_STORING = frozenset({"proof", DISK_BYTES, "page_cache"})


class S3Subject(ClientSubject):
    """Implements `sectax.model.subject.Subject` for an S3 client."""

    whose, meanings, other = "its client", MEANINGS, OTHER

    def __init__(self, spec: S3Spec) -> None:
        super().__init__((*spec.access.secrets(), spec.key))
        self._spec = spec
        self._client: ClientProcess | ManyClients | None = None
        self._disk_bytes: int | None = None
        self._kept = 0  # operations that were run since the last clearing
        self._prefix = ""
        self._overlap = Overlap(spec.clients)
        self._by_bucket: dict[int, list[int]] = {}  # nanoseconds
        is_kept = spec.shelf is not None and spec.operation in ("get", "head") and spec.bytes > _KEPT_FROM
        self._shelf = spec.shelf if is_kept else None
        self._stored_object: PooledObject | None = None

    def start(self) -> None:
        """Start the client, without waiting for it."""
        if self._client is not None or self._spec.refused is not None:
            return
        if self._shelf is not None:
            self._stored_object = self._shelf.take(self._spec.alike)
        seed = "" if self._stored_object is None else self._stored_object.seed
        spec = self._spec
        of_one = (spec.argv, spec.access, spec.bytes, spec.rate, seed)
        with self._asking("start"):
            self._client = ManyClients(spec.places, *of_one) if spec.clients > 1 else ClientProcess(*of_one)

    def open(self) -> Witnesses:
        """Store the first object, and see that it is encrypted as the treatment claims.

        Returns:
            encryption_header, kms_key_named, bucket_key, etag (`md5`, `multipart`, `opaque`; of a large first object
            only where the spec is thorough), parts, stored_bytes, server: as the client read them back. proof: whether
            the marker was found in the server's files. disk_bytes: what the object takes there. page_cache: which share
            of it the kernel keeps. `client`, `runtime`, `library_…` and the clock's figures.
        Raises:
            SubjectSkipped: the service encrypts what was to be plain.
            SubjectFailed: it does not encrypt what it says, or refuses.
            ServerFailed: the local server has ended.
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
        with self._asking("open"):
            hello = client.hello()
            opened = client.open(self._client_request(prefix, marker), objects)
        self._prefix, answered = prefix, dict(opened.witnesses)
        bucket, key = place = str(answered.pop("first_bucket", "")), str(answered.pop("first_key", ""))
        self._check_header(str(answered.get("encryption_header")))
        if not self._first_is_alike:
            answered = {name: value for name, value in answered.items() if name not in _OF_ITS_SIZE}
        witnesses: Witnesses = {name: self._safe(value) for name, value in answered.items()}
        if stored is not None and stored.found:
            # It was searched for when it was stored, and nothing has been written to it since.
            witnesses |= stored.witnesses
            self._disk_bytes = int(stored.witnesses.get(DISK_BYTES, 0)) or None
        elif spec.server is not None:
            witnesses |= self._proof(spec.server.data, bucket, key, marker, began - _FILE_CLOCK_S)
        elif ENCRYPTIONS[spec.encryption].by_service:
            witnesses["proof"] = "claimed by the service, not proven"
        if stored is not None:
            storing = {name: value for name, value in witnesses.items() if name in _OF_STORING}
            self._stored_object = replace(stored, found=place, witnesses=storing)
        clock = self._begin_visits(hello.clock, client.telemetry())
        self._warm_up()
        libraries: Witnesses = {f"library_{name}": self._safe(version) for name, version in hello.libraries.items()}
        return witnesses | {"client": hello.client, "runtime": self._safe(hello.runtime)} | libraries | clock

    def _measured(self, count: int) -> Visit:
        """Have the operations run.

        Observations, by the client's own clock: `latency` in seconds, one per operation; of a GET also `first_byte` and
        `check`, the hashing of the body that latency holds too; `transfer`, the seconds of the whole batch over its
        bytes (where operations overlap, by Little's law: their times over how many were under way); `client_cpu`, and
        `server_cpu` where the server is ours, also per GB where a body moves; `client_memory` in bytes; `disk_bytes`.
        Bodies are made and objects are removed outside of all of them.

        Telemetry: `attempts`; what a load does to its client, where operations overlap: `load_cpu_s` of the
        `load_quota_s` that it may have; `load_in_flight` operations of `load_at_once`, or of a schedule
        `load_scheduled` operations in `load_schedule_s`, of which `load_dropped` were not sent and `load_late` not on
        time, the others within `load_sending_s`.
        """
        batch, server_s, ridden = self._batch(count)
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
        return Visit(tuple(observed), ridden)

    def _per_gb(self, observed: list[Observation], count: int) -> list[Observation]:
        """The CPU times of a batch again, over the bytes that it moved."""
        moved = 0 if self._spec.operation in METADATA else count * self._spec.bytes
        names = {"client_cpu": "client_cpu_per_gb", "server_cpu": "server_cpu_per_gb"}
        return [
            Observation(names[observation.metric], observation.value * _GB, "s/GB", observation.clock, moved)
            for observation in observed
            if moved and observation.metric in names
        ]

    def close(self) -> Witnesses:
        """Have the client remove what it stored, and end.

        Returns:
            `requests`; of several at once, `in_flight`; `bucket_1_s`, …: the median latency in each bucket.
        """
        self._stage = "close"
        with self._asking("close"):
            attempts = self._running().close(self._kept)
        if self._shelf is not None and self._stored_object is not None:
            self._shelf.put(self._spec.alike, self._stored_object)
        self.kill()
        buckets: Witnesses = {
            f"bucket_{bucket + 1}_s": statistics.median(elapsed_ns) * 1e-9
            for bucket, elapsed_ns in sorted(self._by_bucket.items())
        }
        return {"requests": attempts} | self._overlap.witnesses() | buckets

    def _leave(self) -> None:
        """What the client stored is removed with the buckets."""
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.kill()

    def _client_request(self, prefix: str, marker: str) -> dict[str, Any]:
        """What the client is sent, by the names of clients/PROTOCOL.md."""
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
            | self._kept_fields()
        )

    def _kept_fields(self) -> dict[str, Any]:
        stored = self._stored_object
        return {} if stored is None else {"seed": stored.seed, "found": list(stored.found), "keep": stored.stays}

    def _batch(self, count: int) -> tuple[ObjectBatch, float | None, dict[str, float]]:
        """Returns what was measured, the server's CPU seconds meanwhile, and the client's telemetry."""
        client, ramp = self._running(), self._spec.ramp
        total = count + 2 * ramp
        with self._asking("stage"):
            client.make_ready(total, ramp)
        with self._asking(self._spec.operation):
            before = self._telemetry.read()
            server, began = self._server_cpu_s(), time.monotonic()
            batch = client.measure(total, ramp)
            spanned_s, server_after = time.monotonic() - began, self._server_cpu_s()
            after = self._telemetry.read()
        self._kept += total
        if self._disk_bytes is None and self._spec.server is not None:
            self._disk_bytes = self._largest_stored(self._spec.server.data)
        with self._asking("clear"):
            self._clear_in_time()
        complaint = batch.complaint(count, spanned_s, ramp)
        if complaint is not None:
            raise self._failure(complaint, "report it")
        ridden = difference(before, after) | {"spanned_s": spanned_s, "attempts": float(batch.attempts)}
        if self._spec.concurrency > 1 or self._spec.rate:  # one operation at a time is waited for with its CPU time
            ridden |= batch.load(count, self._spec.rate, self._spec.concurrency)
        self._overlap.add(batch, ramp)
        server_s = None if server is None or server_after is None else server_after - server
        return batch, server_s, ridden

    def _warm_up(self) -> None:
        """A few operations of the kind that is measured: its first ones are slower by up to the half."""
        count = max(1, min(_WARMING, _WARMING_BYTES // max(1, self._spec.bytes)))
        if self._spec.rate or count == 1:
            return
        with self._asking(self._spec.operation):
            self._running().make_ready(count)
            self._running().measure(count)
            self._kept += count

    def _clear_in_time(self) -> None:
        """Remove what was stored, before it becomes much."""
        if self._spec.operation != "put":
            self._kept = 0
        elif self._kept >= _KEPT or self._kept * self._spec.bytes >= _KEPT_BYTES:
            self._running().clear(self._kept)
            self._kept = 0

    def _check_header(self, header: str) -> None:
        claimed = ENCRYPTIONS[self._spec.encryption]
        if header == claimed.header:
            return
        self.kill()
        if self._spec.encryption == NONE:
            raise SubjectSkipped(
                f"{self._title()}: nothing was asked for, and the service encrypts all the same ({self._safe(header)})",
                "AWS has encrypted every new object with SSE-S3 since 2023-01-05: compare with that, "
                "--endpoint aws does so by itself",
            )
        raise self._failure(
            f"claims {claimed.words}, and the object says {self._safe(header)}",
            "does the service know this encryption?",
        )

    def _proof(self, data: Path, bucket: str, key: str, marker: str, since: float) -> Witnesses:
        """Search the server's files for what the first object's body begins with."""
        spec, stored = self._spec, data / bucket / key
        own = not spec.thorough and stored.is_dir() and spec.bytes >= len(marker)
        place = holds(stored if own else data, marker.encode(), since)
        hides = ENCRYPTIONS[spec.encryption].hides
        if place is hides:
            words = ENCRYPTIONS[spec.encryption].words
            raise self._failure(
                f"{words} is claimed, and its plaintext was found in the server's files"
                if place
                else "is to be plain, and its plaintext was not found in the server's files",
                "nothing is timed that does not do what its name says; report it",
            )
        witnesses: Witnesses = {"proof": "plaintext found on disk" if place else "no plaintext on disk"}
        if stored.is_dir() and self._first_is_alike:
            self._disk_bytes = stored_bytes(stored)
            witnesses["disk_bytes"] = self._disk_bytes
            cached = cached_share(stored)
            if cached is not None:
                held = "held" if cached >= 0.9 else "held in part"
                witnesses["page_cache"] = "not held" if cached <= 0.1 else held
        return witnesses

    @property
    def _first_is_alike(self) -> bool:
        """Whether the first object is as large as those that are measured."""
        return self._spec.first_bytes == self._spec.bytes

    def _largest_stored(self, data: Path) -> int | None:
        """What the largest object of this client takes of the server's disk; None where it is not to be seen."""
        below = [Path(data, bucket, self._prefix) for bucket in self._spec.buckets]
        return max(
            (stored_bytes(entry) for folder in below if folder.is_dir() for entry in folder.iterdir()), default=None
        )

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
            raise ServerFailed(
                f"the local S3 server has ended in the middle of the run{self._redacted(server.log_tail())}",
                "sectax resume goes on with a new one; is there enough memory and disk?",
            )
