"""What must be built for the experiment: a server and the fast client, both by Go."""

from __future__ import annotations

from sectax.model.errors import WrongUse
from sectax.parts import cache, go
from sectax.parts.go_programs import GoProgram
from sectax.parts.registry import Part

SERVER, CLIENT = "s3:minio", "s3:client"
_SET_UP = "sectax setup s3"


def minio() -> GoProgram:
    """The last release with everything that S3 encryption needs. Upstream maintains it no longer."""
    return GoProgram(
        name="minio",
        title="MinIO, the local S3 server",
        executable="minio",
        go_version="1.24.0",
        about="about 3 minutes, 150 MB",
        set_up=_SET_UP,
        module="github.com/minio/minio",
        version="v0.0.0-20260212201848-7aac2a2c5b7c",
        sum="h1:/qdoYujxF5MBLDMVLeiYJ/7fBa1HikX39Dvzb9Ji8pA=",
    )


def client() -> GoProgram:
    """The client in Go, from sources of sectax's own."""
    folder = cache.bundled("clients", "s3-go")
    return GoProgram(
        name="s3-client",
        title="the S3 client in Go",
        executable="s3-client",
        go_version=go.wanted(folder / "go.mod"),
        about="about 20 seconds",
        set_up=_SET_UP,
        folder=folder,
        optional=True,
    )


def part(name: str) -> Part:
    """`s3:minio` or `s3:client`."""
    if name not in ("minio", "client"):
        raise WrongUse(f"there is no part 's3:{name}'", f"there are: {SERVER}, {CLIENT}")
    return (minio() if name == "minio" else client()).part()
