"""The local servers by their level."""

from __future__ import annotations

from sectax.experiments.s3.levels import MINIO, SEAWEEDFS
from sectax.experiments.s3.local_server import LocalServer
from sectax.experiments.s3.minio import Minio
from sectax.experiments.s3.seaweedfs import SeaweedFs

SERVERS: dict[str, type[LocalServer]] = {SEAWEEDFS: SeaweedFs, MINIO: Minio}
