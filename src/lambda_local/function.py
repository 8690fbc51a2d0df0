"""A function as it is configured at one moment, a layer, and where the files are that belong to them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LATEST = "$LATEST"  # the only version that functions have here


@dataclass(frozen=True)
class Code:
    """An unpacked archive.

    Attributes:
        sha256: of the archive, in Base64. size: of the archive, in bytes.
        folder: where it was unpacked to. unpacked: bytes of all its files.
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


# Compared by identity: two configurations are the same only if no update lies between them, and an instance of
# another one is out of date.
@dataclass(frozen=True, eq=False)
class Function:
    """One configuration of a function. An update makes a new one.

    Attributes:
        timeout: seconds. memory: MB. tmp: MB of /tmp.
        opt: the folder of all its layers together, None where it has none.
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
        """The folders that its instances see, or that they are made of."""
        opt = set() if self.opt is None else {self.opt}
        return {self.code.folder, *opt, *(layer.code.folder for layer in self.layers)}


def now() -> str:
    """The present as Lambda writes it: 2026-01-31T12:00:00.000+0000."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "+0000"
