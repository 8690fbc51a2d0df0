"""The S3 client in Python: boto3, spoken to as clients/PROTOCOL.md says."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import random
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import boto3
import botocore
import urllib3
from botocore import exceptions as trouble
from botocore.config import Config
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from sealed import opened, seal

PROTOCOL = 4
_READ = 256 * 1024
# Larger bodies differ in their first bytes alone, and the first one is not fetched before anything is measured.
_WHOLLY_NEW = 8 * 1024 * 1024
_DIFFERENT = 64
_MOST_KEYS = 1000  # of one DeleteObjects
# An operation of a schedule that begins later than this is late.
_LATE_NS = 1_000_000
# One that finds no free connection for so long is dropped.
_PATIENCE_NS = 100_000_000
_REDIRECTS = range(300, 400)
# Where this process's own clock begins, by which several clients agree on a start.
_ORIGIN = time.perf_counter_ns()
_HEADERS = {
    "sse-s3-header": {"ServerSideEncryption": "AES256"},
}


class Wrong(Exception):
    """The service answered, and the answer is not what it should be."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


@dataclass
class Item:
    """What one operation works on: a body to be put, or an object that is there."""

    bucket: str
    key: str
    body: bytes = b""
    digest: bytes = b""


@dataclass
class Times:
    """Of one operation, in nanoseconds."""

    elapsed: int
    first_byte: int | None = None
    check: int | None = None
    began: int = 0  # by the clock that times it


@dataclass
class Client:
    """One treatment."""

    wanted: dict[str, Any]
    s3: Any
    key: bytes
    staged: list[Item] = field(default_factory=list)
    stored: list[Item] = field(default_factory=list)  # since the last clear
    objects: list[Item] = field(default_factory=list)  # for GET and HEAD
    turn: int = 0  # of the objects that a GET or HEAD goes round
    extra: list[Item] = field(default_factory=list)
    header: str = ""
    attempts: int = 0
    number: int = 0
    base: bytes = b""  # of the large bodies

    @property
    def size(self) -> int:
        return int(self.wanted["bytes"])

    def next_item(self) -> Item:
        """The next key: all buckets in turn, from a random one on."""
        buckets = self.wanted["buckets"]
        self.number += 1
        return Item(
            buckets[self.number % len(buckets)], f"{self.wanted['prefix']}{self.number:06d}-{os.urandom(6).hex()}"
        )

    def fill(self, items: list[Item]) -> None:
        """Give every item a random body of its own."""
        for item in items:
            item.body = self.body(self.size)

    def body(self, size: int) -> bytes:
        """A random one. Large ones differ in their first bytes alone: making them takes longer than storing them."""
        if size <= _WHOLLY_NEW:
            return _random(size)
        if len(self.base) != size:
            self.base = _random(size)
        return os.urandom(_DIFFERENT) + self.base[_DIFFERENT:]

    def put(self, item: Item) -> None:
        """Store the body, encrypted here where the treatment says so."""
        wanted = self.wanted
        body = seal(self.key, item.body) if wanted["encryption"] == "client-aes-gcm" else item.body
        where = {"Bucket": item.bucket, "Key": item.key}
        part_bytes = int(wanted["part_bytes"])
        if not part_bytes:
            self._seen(self.s3.put_object(**where, Body=body, **self._encryption(), **self._customer()))
            return
        upload = self._seen(
            self.s3.create_multipart_upload(**where, **self._encryption(), **self._customer()), named=False
        )
        parts = []
        view = memoryview(body)
        for number, offset in enumerate(range(0, max(1, len(body)), part_bytes), start=1):
            part = self._seen(
                self.s3.upload_part(
                    **where,
                    UploadId=upload["UploadId"],
                    PartNumber=number,
                    Body=bytes(view[offset : offset + part_bytes]),
                    **self._customer(),
                ),
                named=False,
            )
            parts.append({name: part[name] for name in part if name == "ETag" or name.startswith("Checksum")})
            parts[-1] = {name: value for name, value in parts[-1].items() if name != "ChecksumType"}
            parts[-1]["PartNumber"] = number
        self._seen(
            self.s3.complete_multipart_upload(
                **where, UploadId=upload["UploadId"], MultipartUpload={"Parts": parts}, **self._customer()
            ),
            named=False,
        )

    def get(self, item: Item) -> Times:
        """Read to the last byte, and check what came."""
        began = time.perf_counter_ns()
        answer = self.s3.get_object(Bucket=item.bucket, Key=item.key, **self._customer())
        digest, check, first = hashlib.sha256(), 0, 0
        for chunk in self._plain(answer["Body"]):
            came = time.perf_counter_ns()
            first = first or came
            digest.update(chunk)
            check += time.perf_counter_ns() - came
        ended = time.perf_counter_ns()
        self._seen(answer)
        if digest.digest() != item.digest:
            raise Wrong("wrong-body", f"a GET of {self.size} bytes gave other bytes than were stored")
        return Times(ended - began, (first or ended) - began, check)

    def _plain(self, body: Any) -> Iterator[bytes]:
        chunks = iter(lambda: body.read(_READ), b"")
        return opened(self.key, chunks) if self.wanted["encryption"] == "client-aes-gcm" else chunks

    def head(self, item: Item) -> dict[str, Any]:
        return self._seen(self.s3.head_object(Bucket=item.bucket, Key=item.key, **self._customer()))

    def delete(self, item: Item) -> None:
        self._seen(self.s3.delete_object(Bucket=item.bucket, Key=item.key), named=False)

    def delete_all(self, items: list[Item]) -> None:
        """As many at a time as one request takes."""
        keys: dict[str, list[dict[str, str]]] = {}
        for item in items:
            keys.setdefault(item.bucket, []).append({"Key": item.key})
        for bucket, every in keys.items():
            for start in range(0, len(every), _MOST_KEYS):
                some = {"Objects": every[start : start + _MOST_KEYS], "Quiet": True}
                answer = self._seen(self.s3.delete_objects(Bucket=bucket, Delete=some), named=False)
                for error in answer.get("Errors", []):
                    raise Wrong(str(error.get("Code")), f"an object was not removed: {error.get('Message')}")

    def operate(self, item: Item) -> Times:
        """One timed operation."""
        began = time.perf_counter_ns()
        times = self._act(item)
        times.began = began
        return times

    def _act(self, item: Item) -> Times:
        operation, added = self.wanted["operation"], int(self.wanted["added_ns"])
        if operation == "get":
            times = self.get(item)
            times.elapsed += _spin(added)
            return times
        act = {"put": self.put, "head": self.head, "delete": self.delete}[operation]
        began = time.perf_counter_ns()
        act(item)
        return Times(time.perf_counter_ns() - began + _spin(added))

    def _encryption(self) -> dict[str, str]:
        return _HEADERS.get(self.wanted["encryption"], {})

    def _customer(self) -> dict[str, Any]:
        if self.wanted["encryption"] != "sse-c":
            return {}
        return {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": self.key}

    def _seen(self, answer: dict[str, Any], *, named: bool = True) -> dict[str, Any]:
        """Count the attempts, and hold the encryption header to the first one (*named*: this answer has to have it)."""
        self.attempts += 1 + int(answer["ResponseMetadata"].get("RetryAttempts", 0))
        header = _header(answer)
        if named and self.header and header != self.header:
            raise Wrong(
                "wrong-encryption", f"an answer says that it is encrypted with {header}, the first {self.header}"
            )
        return answer


def _spin(added_ns: int) -> int:
    """The known cost of a positive control. Returns how long it took."""
    began = time.perf_counter_ns()
    while added_ns and time.perf_counter_ns() - began < added_ns:
        pass
    return time.perf_counter_ns() - began if added_ns else 0


def _random(size: int, seed: str = "") -> bytes:
    """The key stream of AES, of a fresh key or a seed's: ten times as fast as the kernel's randomness."""
    secret = base64.b64decode(seed) or os.urandom(48)
    cipher = Cipher(AES(secret[:32]), CTR(secret[32:]))
    return cipher.encryptor().update(bytes(size))


def _header(answer: dict[str, Any]) -> str:
    if answer.get("SSECustomerAlgorithm"):
        return "customer"
    return str(answer.get("ServerSideEncryption") or "none")


def hello(_: dict[str, Any]) -> dict[str, Any]:
    import ssl

    return {
        "client": "python",
        "runtime": f"Python {platform.python_version()}",
        "libraries": {
            "boto3": boto3.__version__,
            "botocore": botocore.__version__,
            "urllib3": urllib3.__version__,
            "openssl": ssl.OPENSSL_VERSION,
        },
        "clock": _clock(),
    }


def _clock() -> dict[str, Any]:
    steps, readings = [], []
    for _ in range(2000):
        first = time.perf_counter_ns()
        second = time.perf_counter_ns()
        readings.append(second - first)
        if second > first:
            steps.append(second - first)
    return {
        "name": "perf_counter",
        "granularity_ns": max(1, min(steps, default=1)),
        "read_ns": int(statistics.median(readings)),
    }


def open_(wanted: dict[str, Any]) -> tuple[Client, dict[str, Any]]:
    """Make a client, and store, look at and fetch the first object; what an earlier client stored is looked at."""
    client = Client(wanted, _s3(wanted), base64.b64decode(wanted["key"]))
    client.number = random.randrange(len(wanted["buckets"]))
    found = wanted.get("found")
    first = Item(*found) if found else client.next_item()
    marker, size = wanted["marker"].encode(), int(wanted["first_bytes"])
    small = size <= _WHOLLY_NEW
    seed = "" if small else wanted.get("seed", "")
    first.body = (marker + (_random(size, seed) if seed else client.body(size))[len(marker) :])[:size]
    if small or wanted["operation"] == "get":
        first.digest = hashlib.sha256(first.body).digest()
    if not found:
        client.put(first)
    seen = client.head(first)
    client.header = _header(seen)
    operation = wanted["operation"]
    if small:
        client.get(first)
    if size < len(marker):  # too short to hold it: another object shows what the server does
        proof = client.next_item()
        proof.body = marker
        client.put(proof)
        client.extra.append(proof)
    client.objects = [first]
    if operation in ("get", "head"):
        more = [client.next_item() for _ in range(int(wanted["objects"]) - 1)]
        for item in more:
            client.fill([item])
            item.digest = hashlib.sha256(item.body).digest()
            client.put(item)
            item.body = b""
        client.objects += more
    etag = str(seen.get("ETag", "")).strip('"')
    witnesses = {
        "encryption_header": client.header,
        "kms_key_named": bool(seen.get("SSEKMSKeyId")),
        "bucket_key": bool(seen.get("BucketKeyEnabled")),
        "parts": int(etag.rpartition("-")[2]) if "-" in etag else 1,
        "stored_bytes": int(seen["ContentLength"]),
        "server": str(seen["ResponseMetadata"]["HTTPHeaders"].get("server", "")),
        "first_bucket": first.bucket,
        "first_key": first.key,
    }
    if small or wanted["thorough"]:
        witnesses["etag"] = _etag_kind(etag, first.body)
    first.body = b""
    if operation != "put":
        client.base = b""
    return client, {"witnesses": witnesses}


def _etag_kind(etag: str, body: bytes) -> str:
    if "-" in etag:
        return "multipart"
    return "md5" if etag == hashlib.md5(body, usedforsecurity=False).hexdigest() else "opaque"


def _s3(wanted: dict[str, Any]) -> Any:
    session = boto3.session.Session()
    settings: dict[str, Any] = {
        "retries": {"total_max_attempts": 1},
        "max_pool_connections": max(10, int(wanted["concurrency"])),
        "connect_timeout": 10,
        "read_timeout": 60,
    }
    given: dict[str, Any] = {"region_name": wanted["region"]}
    if wanted["access_key"]:
        given |= {"aws_access_key_id": wanted["access_key"], "aws_secret_access_key": wanted["secret_key"]}
        given["aws_session_token"] = wanted["session_token"] or None
    if wanted["endpoint"]:
        given["endpoint_url"] = wanted["endpoint"]
        settings["s3"] = {"addressing_style": "path"}
        settings["proxies"] = {}  # what stays on this machine is not carried to the proxy that the environment names
    else:
        settings["ignore_configured_endpoint_urls"] = True
    if wanted["ca_pem"]:
        given["verify"] = _certificate_file(wanted["ca_pem"])
    return session.client("s3", config=Config(**settings), **given)


def _certificate_file(pem: str) -> str:
    """boto3 takes a file alone; it is no secret."""
    descriptor = os.memfd_create("ca")
    os.write(descriptor, pem.encode())
    return f"/proc/self/fd/{descriptor}"


def stage(client: Client, count: int) -> dict[str, Any]:
    operation = client.wanted["operation"]
    if operation in ("get", "head"):
        turns = range(client.turn, client.turn + count)
        client.staged += [client.objects[turn % len(client.objects)] for turn in turns]
        client.turn += count
        return {}
    items = [client.next_item() for _ in range(count)]
    client.fill(items)
    client.staged += items
    if operation == "delete":
        for item in items:
            client.put(item)
            item.body = b""
    return {}


def now_ns() -> int:
    """What this process's own clock shows."""
    return time.perf_counter_ns() - _ORIGIN


def measure(client: Client, count: int, ramp: int, start_ns: int = 0) -> dict[str, Any]:
    if len(client.staged) < count:
        raise Wrong("other", f"{count} operations were asked for, {len(client.staged)} are staged")
    items, client.staged = client.staged[:count], client.staged[count:]
    operation, workers = client.wanted["operation"], int(client.wanted["concurrency"])
    rate = float(client.wanted.get("rate", 0))
    before = client.attempts
    _reset_peak()
    if start_ns:
        time.sleep(max(0, start_ns - now_ns()) * 1e-9)
    cpu, started, wall = time.process_time_ns(), now_ns(), time.perf_counter_ns()
    sent = Sent()
    if rate:
        results = _on_schedule(client, items, workers, rate, sent)
    elif workers == 1:
        results = [client.operate(item) for item in items]
    else:
        with ThreadPoolExecutor(workers) as pool:
            results = list(pool.map(client.operate, items))
    wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
    sent_operations = [each for each in results if each is not None]
    times = sent_operations[ramp : len(sent_operations) - ramp]
    buckets = [item.bucket for item, result in zip(items, results, strict=True) if result is not None]
    # On the server is what was put, and what a schedule meant to delete and dropped.
    stays = {"put": lambda result: result is not None, "delete": lambda result: result is None}.get(operation)
    for item, result in zip(items, results, strict=True):
        item.body = b""
        if stays and stays(result):
            client.stored.append(item)
    return {
        "elapsed_ns": [each.elapsed for each in times],
        "first_byte_ns": [each.first_byte for each in times if each.first_byte is not None],
        "check_ns": [each.check for each in times if each.check is not None],
        "wall_ns": wall,
        "cpu_ns": cpu,
        "started_ns": started,
        "one_thread": True,  # of Python's threads one runs at a time, but for hashing and encryption
        "peak_bytes": _peak(),
        "attempts": client.attempts - before,
        "late": sent.late,
        "dropped": count - len(sent_operations),
        "sending_ns": sent.sending_ns,
        "in_flight": in_flight(sent_operations, times),
        "buckets": [client.wanted["buckets"].index(name) for name in buckets[ramp : len(buckets) - ramp]],
    }


def in_flight(operations: list[Times], counted: list[Times]) -> float:
    """How many operations were under way on average from the first one that counts to the end of the last."""
    if not counted:
        return 0.0
    begin, end = min(one.began for one in counted), max(one.began + one.elapsed for one in counted)
    shared = [min(one.began + one.elapsed, end) - max(one.began, begin) for one in operations]
    return sum(max(0, ns) for ns in shared) / max(1, end - begin)


@dataclass
class Sent:
    """How a schedule was kept: operations that began late, and the nanoseconds in which all were sent."""

    late: int = 0
    sending_ns: int = 0


def _on_schedule(client: Client, items: list[Item], workers: int, rate: float, sent: Sent) -> list[Times | None]:
    """Begin an operation at every tick, whether or not the ones before have ended, and time it from then.

    Returns:
        None for an operation that was dropped, since it found no free connection for a while.
    """
    interval, free, lock = round(1e9 / rate), threading.Semaphore(workers), threading.Lock()
    began = time.perf_counter_ns()

    def begin(item: Item, due: int) -> Times:
        try:
            waited = time.perf_counter_ns() - due
            with lock:
                sent.late += waited > _LATE_NS
            times = client.operate(item)
            first = None if times.first_byte is None else times.first_byte + waited
            return Times(times.elapsed + waited, first, times.check, due)
        finally:
            free.release()

    results: list[Future[Times] | None] = []
    with ThreadPoolExecutor(workers) as pool:
        for place, item in enumerate(items):
            due = began + place * interval
            time.sleep(max(0, due - time.perf_counter_ns()) * 1e-9)
            is_free = free.acquire(timeout=max(0, due + _PATIENCE_NS - time.perf_counter_ns()) * 1e-9)
            results.append(pool.submit(begin, item, due) if is_free else None)
            sent.sending_ns = time.perf_counter_ns() - began + interval
    return [None if each is None else each.result() for each in results]


def clear(client: Client) -> dict[str, Any]:
    if int(client.wanted["part_bytes"]):
        for item in client.stored:  # the answers to a multipart upload do not all name the encryption
            client.head(item)
    client.delete_all(client.stored)
    client.stored = []
    return {}


def close(client: Client) -> dict[str, Any]:
    clear(client)
    left = client.staged if client.wanted["operation"] == "delete" else []
    kept = client.objects if client.wanted.get("keep") else []
    client.delete_all([each for each in client.objects + client.extra + left if each not in kept])
    return {"attempts": client.attempts}


def _reset_peak() -> None:
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass


def _peak() -> int:
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def fault(error: Exception) -> dict[str, Any]:
    """What went wrong, as a kind and a text."""
    if isinstance(error, Wrong):
        return {"ok": False, "kind": error.kind, "reason": str(error)}
    if isinstance(error, trouble.ClientError):
        told = error.response.get("Error", {})
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", "")
        code = str(told.get("Code", ""))
        if status in _REDIRECTS and code != "PermanentRedirect":
            code = "redirected"
        return {
            "ok": False,
            "kind": code or "other",
            "reason": f"{error.operation_name}: {told.get('Message') or code} (HTTP {status})",
        }
    kind = "other"
    if isinstance(error, trouble.SSLError):
        kind = "certificate"
    elif isinstance(error, trouble.ReadTimeoutError | trouble.ConnectTimeoutError):
        kind = "timeout"
    elif isinstance(error, trouble.IncompleteReadError | trouble.ResponseStreamingError):
        kind = "short-body"
    elif isinstance(error, trouble.FlexibleChecksumError):
        kind = "wrong-checksum"
    elif isinstance(error, trouble.NoCredentialsError | trouble.PartialCredentialsError):
        kind = "credentials"
    elif isinstance(error, trouble.ConnectionError | trouble.HTTPClientError | OSError):
        kind = "connection"
    elif type(error).__name__ == "InvalidTag":
        kind = "wrong-body"
    return {"ok": False, "kind": kind, "reason": f"{type(error).__name__}: {error}"}


def answer(client: Client, request: dict[str, Any]) -> dict[str, Any]:
    """The reply to a request that needs an open client."""
    match request["command"]:
        case "stage":
            return stage(client, request["count"])
        case "measure":
            return measure(client, request["count"], request["ramp"], request.get("start_ns", 0))
        case "clear":
            return clear(client)
        case "close":
            return close(client)
    raise Wrong("other", f"there is no command {request['command']!r}")


def main() -> None:
    client: Client | None = None
    for line in sys.stdin.buffer:
        request = json.loads(line)
        command = request["command"]
        try:
            if command == "hello":
                reply = hello(request)
            elif command == "now":
                reply = {"now_ns": now_ns()}
            elif command == "open":
                client, reply = open_(request)
            elif client is None:
                raise Wrong("other", f"{command} before open")
            else:
                reply = answer(client, request)
            reply = {"ok": True} | reply
        except Exception as error:  # every fault of a service is an ordinary answer
            reply = fault(error)
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
        if command == "close" and reply["ok"]:
            return


if __name__ == "__main__":
    main()
