"""A second host for tests: real processes, each behind a program that gives it another world (`env -i`, `unshare`).

Installed as somebody else's package would be, by an entry point of the group `sectax.hosts`.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from sectax.hosts.process.child import LINE_LIMIT, Child
from sectax.hosts.process.errors import ChildError
from sectax.hosts.process.host import LocalHost, NotFound
from sectax.hosts.process.telemetry import TelemetryReader

EMPTIED, NAMESPACED = "emptied:blue", "namespaced:green"

_LOCAL = LocalHost()
_BEHIND = {
    "emptied": ("env", "-i", "PATH=/usr/bin:/bin", "WORLD={world}"),
    "namespaced": ("unshare", "-Ur", "--uts", "sh", "-c", 'hostname {world}; WORLD=$(hostname) exec "$@"', "sh"),
}


class WrappedHost:
    """Implements `sectax.hosts.registry.Host`. What is behind the colon of its name is what `$WORLD` is inside."""

    def __init__(self, name: str) -> None:
        kind, _, world = name.partition(":")
        self.name = name
        self._prefix = [word.replace("{world}", world) for word in _BEHIND[kind]]
        self._folder = tempfile.TemporaryDirectory()

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        line_limit: int = LINE_LIMIT,
        ends_itself: bool = False,
    ) -> Child:
        assert env is None
        return _LOCAL.start([*self._prefix, *argv], cwd=cwd, line_limit=line_limit, ends_itself=ends_itself)

    def telemetry(self, child: Child) -> TelemetryReader:
        return _LOCAL.telemetry(child)  # what stands before the program has become it

    def find_program(self, word: str, cwd: str | None, env: Mapping[str, str]) -> str:
        try:
            return self._say(["sh", "-c", 'command -v "$0"', word])
        except ChildError as error:
            raise NotFound(f"{word} was not found on {self.name}", "install it there") from error

    def put(self, file: Path) -> str:
        there = Path(self._folder.name, file.name)
        return str(there if there.exists() else shutil.copy(file, there))

    def on_one_processor(self, claims: Path) -> AbstractContextManager[None]:
        return nullcontext()  # its children inherit it

    def identity(self) -> dict[str, str]:
        return {"host.world": self._say(["sh", "-c", "echo $WORLD"])}

    def circumstances(self) -> dict[str, str]:
        return {}

    def _say(self, argv: Sequence[str]) -> str:
        with self.start(argv) as child:
            return child.receive_line(time.monotonic() + 60).decode().strip()


def install(folder: Path) -> None:
    """Write what a package manager writes of a package with these hosts into a folder of `sys.path`."""
    metadata = folder / "wrapped-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: wrapped\nVersion: 1.0\n")
    kinds = "".join(f"{kind} = {__name__}:WrappedHost\n" for kind in _BEHIND)
    experiment = "[sectax.experiments]\nplaces = tests.fakes.places:PLACES\n"
    (metadata / "entry_points.txt").write_text(f"[sectax.hosts]\n{kinds}{experiment}")
