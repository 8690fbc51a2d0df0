"""Parts to build: the server and the client in Go."""

from __future__ import annotations

from sectax.parts import cache
from sectax.parts.go_programs import GoProgram
from sectax.parts.registry import Part, family_part

SERVER, CLIENT = "s3:minio", "s3:client"
_SET_UP = "sectax setup s3"


def minio() -> GoProgram:
    """The last release with all encryption; unmaintained upstream."""
    return GoProgram(
        *("minio", "MinIO, the local S3 server", "about 3 minutes, 150 MB", _SET_UP, "minio"),
        module="github.com/minio/minio",
        version="v0.0.0-20260212201848-7aac2a2c5b7c",
        sum="h1:/qdoYujxF5MBLDMVLeiYJ/7fBa1HikX39Dvzb9Ji8pA=",
        go="1.24.0",
    )


def client() -> GoProgram:
    title, folder = "the S3 client in Go", cache.bundled("clients", "s3-go")
    return GoProgram("s3-client", title, "about 20 seconds", _SET_UP, "s3-client", folder, optional=True)


def part(name: str) -> Part:
    return family_part("s3", name, {"minio": minio().part, "client": client().part})
