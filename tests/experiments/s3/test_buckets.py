"""Buckets are made as a treatment wants them, and removed with what the run put in: never with more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.experiments.s3.buckets import Buckets, NoBucket, client, sweep
from sectax.experiments.s3.minio import KMS_KEY, Minio
from tests.experiments.s3.servers import needs_minio, running

pytestmark = [needs_minio, pytest.mark.more]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Minio]:
    with running(tmp_path_factory.mktemp("server")) as started:
        yield started


def names(server: Minio) -> set[str]:
    return {bucket["Name"] for bucket in client(server.access).list_buckets()["Buckets"]}


def test_what_was_made_is_removed_with_what_the_run_stored(server: Minio, tmp_path: Path) -> None:
    buckets = Buckets(server.access, tmp_path)
    created = buckets.make("sse-kms", KMS_KEY)
    client(server.access).put_object(Bucket=created[0], Key=f"{buckets.prefix}one", Body=b"1")
    begun = client(server.access).create_multipart_upload(Bucket=created[1], Key=f"{buckets.prefix}two")

    assert len(created) == 3
    assert set(created) <= names(server)
    assert begun["UploadId"]
    assert buckets.remove() == []
    assert not set(created) & names(server)
    assert list(tmp_path.iterdir()) == []


def test_a_strangers_object_survives_with_its_bucket(server: Minio, tmp_path: Path) -> None:
    s3 = client(server.access)
    buckets = Buckets(server.access, tmp_path)
    created = buckets.make("none")
    s3.put_object(Bucket=created[0], Key="a stranger's", Body=b"dear to somebody")
    s3.put_object(Bucket=created[0], Key=f"{buckets.prefix}ours", Body=b"1")

    remaining = buckets.remove()

    assert [found["Key"] for found in s3.list_objects_v2(Bucket=created[0])["Contents"]] == ["a stranger's"]
    assert remaining == []  # the bucket is theirs from now on, and no later run is kept by it
    assert created[0] in names(server)
    assert list(tmp_path.iterdir()) == []


def test_a_bucket_that_was_there_stays_and_loses_only_what_the_run_stored(server: Minio, tmp_path: Path) -> None:
    s3 = client(server.access)
    s3.create_bucket(Bucket="of-the-company")
    s3.put_object(Bucket="of-the-company", Key="payroll", Body=b"1")
    buckets = Buckets(server.access, tmp_path)
    s3.put_object(Bucket=buckets.use("of-the-company", "none")[0], Key=f"{buckets.prefix}ours", Body=b"1")

    assert buckets.remove() == []
    assert [found["Key"] for found in s3.list_objects_v2(Bucket="of-the-company")["Contents"]] == ["payroll"]


def test_a_bucket_with_another_default_encryption_is_refused(server: Minio, tmp_path: Path) -> None:
    client(server.access).create_bucket(Bucket="plain-one")

    with pytest.raises(NoBucket, match="has the default encryption none, and sse-s3 needs AES256"):
        Buckets(server.access, tmp_path).use("plain-one", "sse-s3")
    with pytest.raises(NoBucket, match="no such bucket"):
        Buckets(server.access, tmp_path).use("nowhere-to-be-found", "none")


def test_bucket_keys_that_the_server_forgets_are_noticed(server: Minio, tmp_path: Path) -> None:
    buckets = Buckets(server.access, tmp_path)

    with pytest.raises(NoBucket, match="reads back"):
        buckets.make("sse-kms-bucket-key", KMS_KEY)
    assert buckets.remove() == []


def test_what_a_killed_run_left_is_swept_by_the_next_one_at_the_same_service(server: Minio, tmp_path: Path) -> None:
    killed = Buckets(server.access, tmp_path)
    made = killed.make("none")
    client(server.access).put_object(Bucket=made[0], Key=f"{killed.prefix}ours", Body=b"1")
    living = Buckets(server.access, tmp_path)
    kept = living.make("none")
    os.close(killed._lock)  # as the kernel does with what the killed one held

    assert sweep(replace(server.access, endpoint="http://127.0.0.1:9"), tmp_path) == []
    assert set(made) <= names(server)
    assert sweep(server.access, tmp_path) == []
    assert not set(made) & names(server)
    assert set(kept) <= names(server)
    assert living.remove() == []
    assert list(tmp_path.iterdir()) == []


def test_journals_hold_no_secret(server: Minio, tmp_path: Path) -> None:
    buckets = Buckets(server.access, tmp_path)
    buckets.make("none")
    text = "".join(path.read_text() for path in tmp_path.iterdir())
    buckets.remove()

    assert buckets.token in text
    assert not any(secret in text for secret in server.access.secrets())
