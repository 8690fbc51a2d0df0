"""A MinIO for a benchmark, and clients of sectax's own on it."""

from __future__ import annotations

import base64
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sectax.experiments.s3 import parts
from sectax.experiments.s3.buckets import Buckets
from sectax.experiments.s3.local_server import LocalServer
from sectax.experiments.s3.minio import Minio
from sectax.experiments.s3.spec import S3Spec
from sectax.model.subject import Observation, Subject, Work
from sectax.parts import cache

GO, PYTHON = "go", "python"


class Served:
    """A server over TLS, as everybody's S3 is, with plain objects."""

    def __init__(self, server: LocalServer) -> None:
        self.server = server
        self._buckets = Buckets(server.access)
        self._names = self._buckets.make("none")

    def spec(self, client: str, operation: str, size: int, concurrency: int = 1) -> S3Spec:
        program = [str(parts.client().path)]
        if client == PYTHON:
            program = [sys.executable, str(cache.bundled("clients", "s3-python") / "s3_client.py")]
        return S3Spec(
            client=client,
            argv=tuple(program),
            access=self.server.access,
            operation=operation,
            encryption="none",
            bytes=size,
            buckets=self._names,
            prefix=self._buckets.prefix,
            key=base64.b64encode(secrets.token_bytes(32)).decode(),
            concurrency=concurrency,
            thorough=False,
        )


@contextmanager
def served() -> Iterator[Served]:
    """Raises `SectaxError` with the way to build what is missing."""
    with tempfile.TemporaryDirectory(prefix="sectax-benchmark-") as folder:
        server = Minio(Path(folder), tls=True)
        server.start()
        try:
            yield Served(server)
        finally:
            server.stop()


@contextmanager
def opened(spec: S3Spec) -> Iterator[Subject]:
    """A client that is ready, and is closed at the end."""
    subject = spec.subject()
    try:
        subject.open()
        yield subject
        subject.close()
    finally:
        subject.kill()


def observed(subject: Subject, count: int, metric: str) -> list[Observation]:
    return [observation for observation in subject.visit(Work(count)).observations if observation.metric == metric]
