"""Programs that Go builds from a module or from sectax's own sources, in the user's cache.

A program that others wrote is pinned to one version and the hash of its module: Go checks what it fetches against its
checksum database, and the program that was built must name that hash. Others are built from sources of sectax's own.
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
    """A program and what it is built from.

    Attributes:
        about: how long building it takes and what it fetches.
        set_up: the command that builds it.
        executable: the name of its file.
        folder: the sources that come with sectax.
        module, version, sum, go: of a program that others wrote, and the oldest Go that builds it; empty where sectax
            brings the sources.
        optional: whether the experiment has something to measure without it.
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
        """Where it is, or will be: under its version, or under a hash of its sources."""
        mark = self.version or _digest(self)
        return cache.cache_folder() / "programs" / f"{self.name}-{mark}-{go.architecture()}" / self.executable

    def missing(self) -> Missing | None:
        """What is lacking here to start it; None where it is built."""
        if self.path.exists():
            return None
        if lack := go.missing(self.go_version):
            return lack
        # Sources of sectax's own are small, and change with its version.
        soon = self.folder is not None
        return Missing(f"{self.title} is not built yet ({self.about})", self.set_up, makable=True, on_first_use=soon)

    def make(self, say: Say) -> None:
        """Build it and put it into the cache, complete or not at all; fetch Go first where it is missing.

        Raises:
            SetUpFailed: Go failed, or what came is not the version that is pinned.
        """
        tool, place = go.ensure(self.go_version, self.title, say), self.path.parent
        say(f"building {self.title}")
        with installer.scratch_beside(place) as scratch:
            executable = scratch / self.executable
            own = self.folder is not None
            words = [*BUILD, "-o", str(executable), "."] if own else ["install", f"{self.module}@{self.version}"]
            compile_module(self.title, tool, words, self.folder, say, GOBIN=str(scratch))
            _check_sum(tool, executable, self)
            place.mkdir(exist_ok=True)
            # Two may build it at once: each its own, and the last one takes the place.
            executable.replace(self.path)


def compile_module(title: str, tool: Path, words: list[str], folder: Path | None, say: Say, **more: str) -> None:
    """Have Go install or build with nothing of the user's settings but the proxy, as companies have theirs.

    Raises:
        SetUpFailed: Go failed.
    """
    # GOFLAGS, GOROOT, go.work files and the choice of a release are the user's own, and none of this build.
    own = go.VOUCHED | {"GOFLAGS": "-trimpath", "GOROOT": "", "GOWORK": "off", "GOTOOLCHAIN": "local"}
    own |= {"GOOS": "linux", "GOARCH": go.architecture(), "CGO_ENABLED": "0"}
    own |= {"GOPROXY": _ask(tool, "env", "GOPROXY").strip()} | more
    installer.run(
        [str(tool), *words],
        f"{title} could not be built",
        "are the Go module proxy and sum.golang.org within reach? Then try again",
        environment=os.environ | own,
        folder=folder,
        progress=lambda _, seconds: say(f"still building {title}: {seconds:.0f} s"),
    )


def build_own(title: str, folder: Path, out: Path, say: Say) -> None:
    """Build the module in a folder as the program *out*; fetch Go where it is missing or too old.

    Raises:
        SetUpFailed: there is no Go that could fetch another, or it failed.
    """
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
            f"what was built as {program.title} is not {program.version}: it names {module}, not {program.sum}",
            "find out who changed it on its way (go env GOPROXY)",
        )


def _digest(program: GoProgram) -> str:
    """A hash of all that a program of sectax's own is built from: its module, and those beside it that it names."""
    assert program.folder is not None, "a program with a version has no sources here"
    digest = hashlib.sha256()
    for folder in (program.folder, *_replacing_folders(program.folder)):
        # Without a library of others there is no go.sum.
        wanted = [path for name in ("go.mod", "go.sum") if (path := folder / name).exists()]
        wanted += [path for path in folder.glob("*.go") if not path.name.endswith("_test.go")]
        for path in sorted(wanted):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _replacing_folders(folder: Path) -> list[Path]:
    """The folders that a module's go.mod has in the place of other modules."""
    paths = re.findall(r"^replace \S+ => (\.\S*)$", (folder / "go.mod").read_text(), re.MULTILINE)
    return [folder / path for path in paths]
