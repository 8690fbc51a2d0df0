"""A server that ends in the middle, and one whose disk is full."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.experiments.s3.failures import MEANINGS
from sectax.experiments.s3.levels import MINIO, SEAWEEDFS
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work
from tests.experiments.s3.servers import each_server, needs_server, running
from tests.experiments.s3.specs import spec
from tests.experiments.subjects import answered, failure, subject_of
from tests.needs import needs

pytestmark = [needs_server, pytest.mark.more]


def test_a_service_elsewhere_that_ends_in_the_middle_fails_a_treatment_in_words(tmp_path: Path, client: str) -> None:
    with running(tmp_path) as server, subject_of(replace(spec(server, client=client), server=None)) as subject:
        subject.open()
        subject.visit(Work(1))
        server.stop()

        with pytest.raises(SubjectFailed) as caught:
            subject.visit(Work(1))
    assert answered(caught.value, MEANINGS) == "connection"


@needs("mounts")
@each_server
def test_a_full_disk_is_named(tmp_path: Path, name: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "none", str(tmp_path)], check=True)
    try:
        with running(tmp_path, name) as server:
            failed = failure(spec(server, operation="put", bytes=60_000_000))
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)

    assert answered(failed, MEANINGS) == {MINIO: "XMinioStorageFull", SEAWEEDFS: "InternalError"}[name]
    assert "--data" in failed.hint
