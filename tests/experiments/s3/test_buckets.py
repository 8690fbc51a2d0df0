"""Buckets are made as a treatment wants them, and removed with what the run put in: never with more."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.experiments.s3.buckets import Buckets, BucketUnavailable, client, sweep
from sectax.experiments.s3.levels import MINIO
from sectax.experiments.s3.local_server import KMS_KEY, LocalServer
from tests.experiments.s3.servers import needs_server, running
from tests.needs import needs

pytestmark = [needs_server, pytest.mark.more]


def names(server: LocalServer) -> set[str]:
    return {bucket["Name"] for bucket in client(server.access).list_buckets()["Buckets"]}


def test_what_was_made_is_removed_with_what_the_run_stored(plain: LocalServer, tmp_path: Path) -> None:
    buckets = Buckets(plain.access, tmp_path)
    created = buckets.make("sse-kms", KMS_KEY)
    client(plain.access).put_object(Bucket=created[0], Key=f"{buckets.prefix}one", Body=b"1")
    begun = client(plain.access).create_multipart_upload(Bucket=created[1], Key=f"{buckets.prefix}two")

    assert len(created) == 3
    assert set(created) <= names(plain)
    assert begun["UploadId"]
    assert buckets.remove() == []
    assert not set(created) & names(plain)
    assert list(tmp_path.iterdir()) == []


def test_a_strangers_object_survives_with_its_bucket(plain: LocalServer, tmp_path: Path) -> None:
    s3 = client(plain.access)
    buckets = Buckets(plain.access, tmp_path)
    created = buckets.make("none")
    s3.put_object(Bucket=created[0], Key="a stranger's", Body=b"dear to somebody")
    s3.put_object(Bucket=created[0], Key=f"{buckets.prefix}ours", Body=b"1")

    remaining = buckets.remove()

    assert [found["Key"] for found in s3.list_objects_v2(Bucket=created[0])["Contents"]] == ["a stranger's"]
    assert remaining == []  # the bucket is theirs from now on, and no later run is kept by it
    assert created[0] in names(plain)
    assert list(tmp_path.iterdir()) == []


def test_a_bucket_that_was_there_stays_and_loses_only_what_the_run_stored(plain: LocalServer, tmp_path: Path) -> None:
    s3 = client(plain.access)
    s3.create_bucket(Bucket="of-the-company")
    s3.put_object(Bucket="of-the-company", Key="payroll", Body=b"1")
    buckets = Buckets(plain.access, tmp_path)
    s3.put_object(Bucket=buckets.use("of-the-company", "none")[0], Key=f"{buckets.prefix}ours", Body=b"1")

    assert buckets.remove() == []
    assert [found["Key"] for found in s3.list_objects_v2(Bucket="of-the-company")["Contents"]] == ["payroll"]


def test_a_bucket_with_another_default_encryption_is_refused(plain: LocalServer, tmp_path: Path) -> None:
    client(plain.access).create_bucket(Bucket="plain-one")

    with pytest.raises(BucketUnavailable, match="AES256"):
        Buckets(plain.access, tmp_path).use("plain-one", "sse-s3")
    with pytest.raises(BucketUnavailable, match="nowhere-to-be-found"):
        Buckets(plain.access, tmp_path).use("nowhere-to-be-found", "none")


@needs("MinIO")
def test_bucket_keys_that_the_server_forgets_are_noticed(tmp_path: Path) -> None:
    with running(tmp_path / "server", MINIO) as server:
        buckets = Buckets(server.access, tmp_path)

        with pytest.raises(BucketUnavailable):
            buckets.make("sse-kms-bucket-key", KMS_KEY)
        assert buckets.remove() == []


def test_a_bucket_key_that_is_accepted_and_not_used_is_known(plain: LocalServer) -> None:
    """An object of SeaweedFS names none, although its bucket has one."""
    buckets = Buckets(plain.access)
    name, *_ = buckets.make("sse-kms-bucket-key", KMS_KEY)
    s3 = client(plain.access)
    s3.put_object(Bucket=name, Key="one", Body=b"body")

    assert not s3.head_object(Bucket=name, Key="one").get("BucketKeyEnabled")
    assert plain.lacks("sse-kms-bucket-key") is not None


def test_what_a_killed_run_left_is_swept_by_the_next_one_at_the_same_service(
    plain: LocalServer, tmp_path: Path
) -> None:
    killed = Buckets(plain.access, tmp_path)
    made = killed.make("none")
    client(plain.access).put_object(Bucket=made[0], Key=f"{killed.prefix}ours", Body=b"1")
    living = Buckets(plain.access, tmp_path)
    kept = living.make("none")
    os.close(killed._lock)  # as the kernel does with what the killed one held

    assert sweep(replace(plain.access, endpoint="http://127.0.0.1:9"), tmp_path) == []
    assert set(made) <= names(plain)
    assert sweep(plain.access, tmp_path) == []
    assert not set(made) & names(plain)
    assert set(kept) <= names(plain)
    assert living.remove() == []
    assert list(tmp_path.iterdir()) == []


def test_journals_hold_no_secret(plain: LocalServer, tmp_path: Path) -> None:
    buckets = Buckets(plain.access, tmp_path)
    buckets.make("none")
    text = "".join(path.read_text() for path in tmp_path.iterdir())
    buckets.remove()

    assert buckets.token in text
    assert not any(secret in text for secret in plain.access.secrets())
