"""Buckets of a run, removed at its end with their objects.

Only keys below the run's own prefix are deleted, and only buckets that are then empty.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import signal
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from sectax.experiments.s3.access import S3Access
from sectax.experiments.s3.levels import ENCRYPTIONS
from sectax.model.errors import ExitStatus, SectaxError
from sectax.text.printable import printable

# Several per encryption, so that none has a favourable place on the disk.
NUMBER = 3
_DELETED_AT_ONCE = 1000  # limit of DeleteObjects
_ANSWER_S = 20.0
# Requests are charged: limits for cleaning up all buckets of a run.
_LONGEST_S = 60.0
_MOST_LISTINGS = 2000
# Time limit for cleaning up after killed runs.
_SWEEP_S = 15.0


class BucketUnavailable(SectaxError):
    """A bucket cannot be created or used for a treatment."""

    exit_status = ExitStatus.NOTHING_MEASURED


class CleanupIncomplete(SectaxError):
    """Objects or buckets of the run could not be removed."""

    exit_status = ExitStatus.NOTHING_MEASURED

    def __init__(self, left: Sequence[LeftoverBucket], access: S3Access) -> None:
        named = "; ".join(map(str, left))
        hint = "\n".join(bucket.command(access) for bucket in left)
        super().__init__(f"some of the run's objects could not be removed: {named}", hint)


@dataclass(frozen=True)
class LeftoverBucket:
    """A bucket that could not be cleaned up; `made` is whether the run created it."""

    bucket: str
    prefix: str
    made: bool
    why: str

    def __str__(self) -> str:
        state = "remains" if self.made else f"still has objects below {self.prefix}"
        return f"bucket {self.bucket} {state} ({self.why})"

    def command(self, access: S3Access) -> str:
        """Shell command that removes the run's objects only."""
        where = f" --endpoint-url {access.endpoint}" if access.endpoint else ""
        empty = f"aws s3 rm --recursive s3://{self.bucket}/{self.prefix}{where}"
        return f"{empty} && aws s3 rb s3://{self.bucket}{where}" if self.made else empty


class _Journal(msgspec.Struct):
    """Information to clean up after a killed run; contains no secrets."""

    endpoint: str
    region: str
    prefix: str
    made: list[str] = []
    used: list[str] = []


@dataclass(frozen=True)
class Rule:
    algorithm: str
    bucket_key: bool = False


class Buckets:
    """All buckets of one session at one service."""

    def __init__(self, access: S3Access, journals: Path | None = None) -> None:
        """Args: the service; folder of journals, or None without need."""
        self.token = secrets.token_hex(5)
        self.prefix = f"sectax-{self.token}/"
        self._s3 = client(access)
        self._journal = _Journal(access.endpoint, access.region, self.prefix)
        self._path = None if journals is None else journals / f"{self.token}.json"
        self._lock = -1
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)

    def make(self, encryption: str, kms_key: str = "") -> tuple[str, ...]:
        """Create buckets with this default encryption. Raises `BucketUnavailable`."""
        names = tuple(f"sectax-{self.token}-{encryption}-{number}" for number in range(1, NUMBER + 1))
        for name in names:
            self._journal.made.append(name)
            self._note()
            with _explained(name):
                # us-east-1 must not be named.
                region = self._journal.region
                where = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
                self._s3.create_bucket(Bucket=name, **where)
                self._encrypt(name, encryption, kms_key)
        return names

    def use(self, name: str, encryption: str) -> tuple[str, ...]:
        """Use an existing bucket; `BucketUnavailable` if encrypted otherwise."""
        self._journal.used.append(name)
        self._note()
        with _explained(name):
            self._s3.head_bucket(Bucket=name)
            rule = self._rule(name)
        wanted = ENCRYPTIONS[encryption]
        if (rule.algorithm, rule.bucket_key) != (wanted.bucket_rule, wanted.bucket_key):
            current, needed = rule.algorithm or "none", wanted.bucket_rule or "none"
            reason = f"bucket {name} has the default encryption {current}, and {encryption} needs {needed}"
            raise BucketUnavailable(reason, "name another bucket, or change its default encryption")
        return (name,)

    def remove(self) -> list[LeftoverBucket]:
        """Delete objects and buckets within a minute; returns leftovers."""
        left: dict[str, LeftoverBucket] = {}
        with contextlib.suppress(KeyboardInterrupt), _interruptible():
            remove(self._s3, self._journal, left)
        if self._path is not None and self._lock >= 0:
            if not left:
                self._path.unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = -1
        return list(left.values())

    def _encrypt(self, name: str, encryption: str, kms_key: str) -> None:
        wanted = ENCRYPTIONS[encryption]
        if not wanted.bucket_rule:
            return
        by_default: dict[str, Any] = {"SSEAlgorithm": wanted.bucket_rule}
        if wanted.kms and kms_key:
            by_default["KMSMasterKeyID"] = kms_key
        rule: dict[str, Any] = {"ApplyServerSideEncryptionByDefault": by_default}
        if wanted.bucket_key:
            rule["BucketKeyEnabled"] = True
        self._s3.put_bucket_encryption(Bucket=name, ServerSideEncryptionConfiguration={"Rules": [rule]})
        in_force = self._rule(name)
        if (in_force.algorithm, in_force.bucket_key) != (wanted.bucket_rule, wanted.bucket_key):
            applied = (in_force.algorithm or "no encryption") + (" with a bucket key" if in_force.bucket_key else "")
            reason = f"bucket {name} was configured with {wanted.words}, but the service applied {applied}"
            raise BucketUnavailable(reason, "check whether the service supports it")

    def _rule(self, name: str) -> Rule:
        from botocore.exceptions import ClientError  # type: ignore[import-untyped]

        try:
            answer = self._s3.get_bucket_encryption(Bucket=name)
        except ClientError as error:
            if error.response["Error"]["Code"] == "ServerSideEncryptionConfigurationNotFoundError":
                return Rule("")
            raise
        rule = answer["ServerSideEncryptionConfiguration"]["Rules"][0]
        by_default = rule.get("ApplyServerSideEncryptionByDefault", {})
        return Rule(by_default.get("SSEAlgorithm", ""), rule.get("BucketKeyEnabled", False))

    def _note(self) -> None:
        if self._lock >= 0:
            os.pwrite(self._lock, msgspec.json.encode(self._journal), 0)


def client(access: S3Access) -> Any:
    """boto3 client for unmeasured requests, without retries."""
    import boto3  # type: ignore[import-untyped]  # takes a third of a second
    from botocore.config import Config  # type: ignore[import-untyped]

    settings: dict[str, Any] = {
        "retries": {"total_max_attempts": 1},
        "connect_timeout": _ANSWER_S,
        "read_timeout": _ANSWER_S,
    }
    arguments: dict[str, Any] = {"region_name": access.region}
    if access.access_key:
        arguments |= {"aws_access_key_id": access.access_key, "aws_secret_access_key": access.secret_key}
        arguments["aws_session_token"] = access.session_token or None
    if access.endpoint:
        arguments["endpoint_url"] = access.endpoint
        settings |= {"s3": {"addressing_style": "path"}, "proxies": {}}
    else:
        settings["ignore_configured_endpoint_urls"] = True
    certificates: str | None = None
    if access.ca_pem:
        with tempfile.NamedTemporaryFile("w", suffix=".pem", delete=False) as file:
            file.write(access.ca_pem)
        arguments["verify"] = certificates = file.name
    s3 = boto3.session.Session().client("s3", config=Config(**settings), **arguments)
    if certificates is not None:
        weakref.finalize(s3, os.unlink, certificates)  # every new connection reads it
    return s3


def remove(s3: Any, journal: _Journal, left: dict[str, LeftoverBucket], longest_s: float = _LONGEST_S) -> None:
    """Delete the journal's objects, then created buckets if empty.

    Args:
        left: filled with leftovers by bucket, also on an interrupt.
    """
    from sectax.experiments.s3.failures import explain_error

    names = tuple(dict.fromkeys((*journal.made, *journal.used)))
    for name in names:
        left[name] = LeftoverBucket(name, journal.prefix, name in journal.made, "cleaning up was interrupted")
    limit = _CleanupLimit(time.monotonic() + longest_s)
    for name in names:
        try:
            why = _empty(s3, name, journal.prefix, limit)
            # Remaining objects are not the run's.
            if not why and name in journal.made and not s3.list_objects_v2(Bucket=name, MaxKeys=1).get("Contents"):
                s3.delete_bucket(Bucket=name)
        except Exception as error:  # go on with the other buckets
            why = "" if "NoSuchBucket" in str(error) else printable(explain_error(error)[0], 200)
        if why:
            left[name] = replace(left[name], why=why)
        else:
            del left[name]


class _CleanupLimit:
    def __init__(self, until: float) -> None:
        self._until = until
        self._listings = 0

    def is_over(self) -> bool:
        self._listings += 1
        return self._listings > _MOST_LISTINGS or time.monotonic() > self._until


def _empty(s3: Any, bucket: str, prefix: str, limit: _CleanupLimit) -> str:
    """Delete all objects below the prefix; returns why some remain, or nothing.

    Listings start after the last key, so that undeletable objects appear once.
    """
    last, refused, why = "", 0, ""
    while not limit.is_over():
        after = {"StartAfter": last} if last else {}
        listed = s3.list_objects_v2(Bucket=bucket, Prefix=prefix, MaxKeys=_DELETED_AT_ONCE, **after)
        keys = [entry["Key"] for entry in listed.get("Contents", []) if entry["Key"] > last]
        if not keys:
            break
        last = max(keys)
        wanted = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
        for error in s3.delete_objects(Bucket=bucket, Delete=wanted).get("Errors", []):
            refused, why = refused + 1, str(error.get("Code"))
    else:
        return "too many objects, or the service is too slow"
    if refused:
        return f"{refused} objects: {printable(why, 60)}"
    for upload in s3.list_multipart_uploads(Bucket=bucket, Prefix=prefix).get("Uploads", []):
        if limit.is_over():
            return "too many unfinished uploads"
        s3.abort_multipart_upload(Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"])
    return ""


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C and TERM interrupt, even at the session's shielded end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: signal.signal(number, _interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def sweep(access: S3Access, journals: Path) -> list[LeftoverBucket]:
    """Clean up after killed runs at a service; returns leftovers."""
    left: list[LeftoverBucket] = []
    for path in sorted(journals.glob("*.json")):
        with contextlib.suppress(OSError, msgspec.DecodeError):
            lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                content = path.read_bytes()
                journal = msgspec.json.decode(content, type=_Journal) if content else None
                if journal is not None and (journal.endpoint, journal.region) != (access.endpoint, access.region):
                    continue
                leftovers: dict[str, LeftoverBucket] = {}
                if journal is not None:
                    remove(client(access), journal, leftovers, _SWEEP_S)
                left += leftovers.values()
                if not leftovers:
                    path.unlink()
            finally:
                os.close(lock)
    return left


@contextlib.contextmanager
def _explained(bucket: str) -> Iterator[None]:
    """Convert boto3's errors into `BucketUnavailable`."""
    from botocore.exceptions import BotoCoreError, ClientError

    from sectax.experiments.s3.failures import explain_error

    try:
        yield
    except (ClientError, BotoCoreError) as error:
        message, hint = explain_error(error)
        raise BucketUnavailable(f"bucket {bucket}: {printable(message, 300)}", hint) from error
