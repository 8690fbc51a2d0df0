"""Subjects on a real server."""

from __future__ import annotations

import base64
import sys

from sectax.experiments.s3 import parts
from sectax.experiments.s3.buckets import Buckets
from sectax.experiments.s3.local_server import KMS_KEY, LocalServer
from sectax.experiments.s3.spec import S3Spec
from sectax.parts import cache

KEY = base64.b64encode(bytes(range(32))).decode()
PYTHON = (sys.executable, str(cache.bundled("clients", "s3-python") / "s3_client.py"))


def argv(client: str) -> tuple[str, ...]:
    return PYTHON if client == "python" else (str(parts.client().path),)


def spec(server: LocalServer, encryption: str = "none", client: str = "python", **more: object) -> S3Spec:
    """Of an object of 20 KB that is fetched, unless told otherwise, in buckets of its own."""
    buckets = Buckets(server.access)
    wanted: dict[str, object] = {
        "client": client,
        "argv": argv(client),
        "access": server.access,
        "operation": "get",
        "encryption": encryption,
        "bytes": 20_000,
        "buckets": buckets.make(encryption, KMS_KEY),
        "prefix": buckets.prefix,
        "key": KEY,
        "server": server,
    }
    return S3Spec(**(wanted | more))  # type: ignore[arg-type]
