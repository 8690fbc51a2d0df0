"""Configurations of functions, layers, and their files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LATEST = "$LATEST"  # the only supported version


@dataclass(frozen=True)
class Code:
    """An unpacked archive.

    Attributes:
        sha256: hash of the archive in Base64. size: bytes of the archive.
        folder: the unpacked files. unpacked: bytes of all files.
    """

    sha256: str
    size: int
    folder: Path
    unpacked: int = 0


@dataclass(frozen=True)
class LayerVersion:
    arn: str
    version: int
    code: Code


# Compared by identity: any update makes existing instances out of date.
@dataclass(frozen=True, eq=False)
class Function:
    """One configuration of a function; an update creates a new one.

    Attributes:
        timeout: seconds. memory: MB. tmp: MB of /tmp.
        opt: the folder of its merged layers; None without layers.
    """

    name: str
    arn: str
    runtime: str
    handler: str
    role: str
    code: Code
    description: str = ""
    timeout: int = 3
    memory: int = 128
    tmp: int = 512
    environment: dict[str, str] = field(default_factory=dict)
    layers: tuple[LayerVersion, ...] = ()
    opt: Path | None = None
    modified: str = ""

    def changed(self, **changes: Any) -> Function:
        return replace(self, **changes, modified=now())

    @property
    def unpacked(self) -> int:
        return self.code.unpacked + sum(layer.code.unpacked for layer in self.layers)

    @property
    def folders(self) -> set[Path]:
        """The folders that its instances use, and their sources."""
        opt = set() if self.opt is None else {self.opt}
        return {self.code.folder, *opt, *(layer.code.folder for layer in self.layers)}


def now() -> str:
    """Return the time in Lambda's format: 2026-01-31T12:00:00.000+0000."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "+0000"
