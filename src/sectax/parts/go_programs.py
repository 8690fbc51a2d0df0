"""Programs built with Go into the cache, from sectax's sources or a pinned module.

A module is pinned by version and hash: Go checks downloads with its checksum database, and the built program must
contain that hash.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sectax.parts import cache, go, installer
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import Missing
from sectax.parts.registry import Part, Say

BUILD = ("build", "-mod=readonly", "-buildvcs=false")


@dataclass(frozen=True)
class GoProgram:
    """A program and its sources.

    Attributes:
        about: duration of the build and downloads.
        set_up: the user's command to build it.
        executable: its file name.
        folder: sectax's sources, or None for a module.
        module, version, sum, go: a pinned module, and the minimum version of Go.
        optional: whether the experiment is useful without it.
    """

    name: str
    title: str
    about: str
    set_up: str
    executable: str
    folder: Path | None = None
    module: str = ""
    version: str = ""
    sum: str = ""
    go: str = ""
    optional: bool = False

    @property
    def go_version(self) -> str:
        return self.go if self.folder is None else go.wanted(self.folder / "go.mod")

    def part(self) -> Part:
        about = f"from {self.module or self.folder}, {self.about}"
        return Part(f"program-{self.name}", self.title, self.missing, self.make, self.optional, about)

    @property
    def path(self) -> Path:
        """Its path in the cache, with its version or a hash of its sources."""
        mark = self.version or _digest(self)
        return cache.cache_folder() / "programs" / f"{self.name}-{mark}-{go.architecture()}" / self.executable

    def missing(self) -> Missing | None:
        """What is lacking to start it, or None."""
        if cache.is_intact(self.path):
            return None
        if lack := go.missing(self.go_version):
            return lack
        # sectax's own sources are small, and change with its version.
        small = self.folder is not None
        return Missing(f"{self.title} is not built yet ({self.about})", self.set_up, makable=True, on_first_use=small)

    def make(self, say: Say) -> None:
        """Build it into the cache, with a fetched Go if necessary. Raises `SetUpFailed`."""
        tool, folder = go.ensure(self.go_version, self.title, say), self.path.parent
        say(f"building {self.title}")
        with installer.scratch_beside(folder) as scratch:
            executable = scratch / self.executable
            own = self.folder is not None
            words = [*BUILD, "-o", str(executable), "."] if own else ["install", f"{self.module}@{self.version}"]
            compile_module(self.title, tool, words, self.folder, say, GOBIN=str(scratch))
            _check_sum(tool, executable, self)
            # Two processes may build it at once; the last one replaces the first.
            cache.store(executable, self.path)


def compile_module(title: str, tool: Path, words: list[str], folder: Path | None, say: Say, **more: str) -> None:
    """Run go with no user setting but the proxy. Raises `SetUpFailed`."""
    own = go.VOUCHED | {"GOFLAGS": "-trimpath", "GOROOT": "", "GOWORK": "off", "GOTOOLCHAIN": "local"}
    own |= {"GOOS": "linux", "GOARCH": go.architecture(), "CGO_ENABLED": "0"}
    own |= {"GOPROXY": _ask(tool, "env", "GOPROXY").strip()} | more
    installer.run(
        [str(tool), *words],
        f"{title} could not be built",
        "check access to the Go module proxy and sum.golang.org, then try again",
        environment=os.environ | own,
        folder=folder,
        progress=lambda _, seconds: say(f"still building {title}: {seconds:.0f} s"),
    )


def build_own(title: str, folder: Path, out: Path, say: Say) -> None:
    """Build a folder's module as *out*. Raises `SetUpFailed`."""
    tool = go.ensure(go.wanted(folder / "go.mod"), title, say)
    compile_module(title, tool, [*BUILD, "-o", str(out), "."], folder, say)


def _ask(tool: Path, *words: str) -> str:
    done = subprocess.run([tool, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return done.stdout


def _check_sum(tool: Path, built: Path, program: GoProgram) -> None:
    if not program.sum:
        return
    output = _ask(tool, "version", "-m", str(built))
    match = re.search(rf"^\tmod\t{re.escape(program.module)}\t(\S+)\t(\S+)$", output, re.MULTILINE)
    if match is None or (match[1], match[2]) != (program.version, program.sum):
        module = f"{match[1]} {match[2]}" if match else "nothing"
        raise SetUpFailed(
            f"{program.title} was built from {module} instead of {program.version} {program.sum}",
            "check the module proxy (go env GOPROXY)",
        )


def _digest(program: GoProgram) -> str:
    """Hash of a program's sources, including local modules that replace others."""
    assert program.folder is not None, "a program with a version has no sources here"
    digest = hashlib.sha256()
    for folder in (program.folder, *_replacing_folders(program.folder)):
        # Without external libraries there is no go.sum.
        wanted = [path for name in ("go.mod", "go.sum") if (path := folder / name).exists()]
        wanted += [path for path in folder.glob("*.go") if not path.name.endswith("_test.go")]
        for path in sorted(wanted):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _replacing_folders(folder: Path) -> list[Path]:
    paths = re.findall(r"^replace \S+ => (\.\S*)$", (folder / "go.mod").read_text(), re.MULTILINE)
    return [folder / path for path in paths]
