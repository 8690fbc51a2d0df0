"""Go as new as a module asks for: the one on PATH, or the one that an older Go has fetched into the user's cache.

Go's releases are modules too (golang.org/toolchain, https://go.dev/doc/toolchain), so the Go of any distribution can
fetch them through the module proxy and hold them to Go's checksum database. A Go older than 1.21 does not do so by
itself, and a newer one does not where GOTOOLCHAIN=local, which is Debian's default. The database is asked whatever
the user's settings say, since an older Go would obey them, and the release that sectax wants must have the sum that
stands here.

`python -m sectax.parts.go GO_MOD…` prints the folder of a Go that is new enough for these, or nothing.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from sectax.parts import installer, machine
from sectax.parts.cache import cache_folder
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import BrokenProgram, Missing, ask

_WITHIN_REACH = "are the Go module proxy and sum.golang.org within reach?"
_GOARCH = {"x86_64": "amd64"}  # where it is not Lambda's word
# Which Go a go.mod and the user's settings would switch to is not asked: the one that is started is the one that works.
_ITSELF = {"GOTOOLCHAIN": "local", "GOWORK": "off"}
# Of the user's environment and of what `go env -w` has written: nothing that spares a module the checksum database.
VOUCHED = {
    "GOENV": "off",
    "GOSUMDB": "sum.golang.org",
    **dict.fromkeys(("GONOSUMDB", "GONOSUMCHECK", "GOPRIVATE", "GOINSECURE"), ""),
}
# The newest release that anything here asks for: it is fetched for older ones too, so that there is one.
RELEASE = "1.26.3"
# Of this release, as `go mod download -json golang.org/toolchain@v0.0.1-RELEASE` says `Sum`. For any other release or
# processor the database alone vouches.
SUMS = {
    "go1.26.3.linux-amd64": "h1:LdHRR8AtYKtOQrWMnd5AbvhZMSVJ7HoO2wrqShPaLV8=",
    "go1.26.3.linux-arm64": "h1:KRiC8jsRApkVqG+J+n5bGoaipGxrQ4yTn8B7BnFjzd0=",
}


def architecture() -> str:
    own = machine.architecture()
    return _GOARCH.get(own, own)


def wanted(go_mod: Path) -> str:
    """The oldest release that a module takes, e.g. `1.26.0`."""
    match = re.search(r"^go (\d+\.\d+)(\.\d+)?", go_mod.read_text(), re.MULTILINE)
    if match is None:
        raise ValueError(f"{go_mod} names no version of Go")
    return match[1] + (match[2] or ".0")


def find(version: str) -> Path | None:
    """A program `go` of this release or a newer one; None where there is none."""
    fetched = _fetched_program(to_be_fetched(version))
    if _is_new_enough(_on_path(), version):
        return _on_path()
    return fetched if fetched.exists() else None


def missing(version: str) -> Missing | None:
    """What is lacking here to have a Go of this release or a newer one; None where there is one."""
    if find(version) is not None:
        return None
    program = _on_path()
    if program is None:
        return Missing("go is not installed", _install(version), apt=("golang-go",))
    return Missing(
        f"{installed_version(program) or program} is too old, {version} is needed", "sectax setup", makable=True
    )


def to_be_fetched(version: str) -> str:
    """The release that is fetched where this one or a newer one is wanted."""
    return max(version, RELEASE, key=_numbers)


def _install(version: str) -> str:
    return f"install Go {version} or newer (https://go.dev/doc/install)"


def fetch(version: str) -> None:
    """Have the Go on PATH fetch this release, or `RELEASE`, into the cache: about 70 MB. Raises `SetUpFailed`."""
    version = to_be_fetched(version)
    place = _fetched_program(version).parents[1]
    with installer.scratch_beside(place) as scratch:
        release = f"go{version}.{platform.system().lower()}-{architecture()}"
        own = {"GOPATH": str(scratch), "GOMODCACHE": str(scratch / "modules"), "GOFLAGS": "-modcacherw"}
        own |= {"GO111MODULE": "on", "GOPROXY": _proxy(scratch)}
        module = f"golang.org/toolchain@v0.0.1-{release}"
        printed = installer.run(
            ["go", "mod", "download", "-json", module],
            f"Go {version} could not be fetched",
            f"{_WITHIN_REACH} Or {_install(version)}",
            environment=os.environ | _ITSELF | VOUCHED | own,
            folder=scratch,
        )
        fetched = json.loads(printed)
        if fetched["Sum"] != SUMS.get(release, fetched["Sum"]):
            raise SetUpFailed(
                f"what came as {release} is not that release: its sum is {fetched['Sum']}, not {SUMS[release]}",
                f"find out who changed it on its way (go env GOPROXY), or {_install(version)}",
            )
        folder = Path(fetched["Dir"])
        _make_usable(folder)
        try:
            folder.rename(place)
        except OSError:
            if not place.exists():  # two may fetch it at once, and one of them comes second
                raise


def ensure(version: str, title: str, say: Callable[[str], None]) -> Path:
    """A program `go` of this release or a newer one, fetched for *title* where there is none. Raises `SetUpFailed`."""
    if missing(version) is not None:
        say(f"fetching Go {to_be_fetched(version)} (for {title})")
        fetch(version)
    program = find(version)
    assert program is not None, "it was there, or has just been fetched"
    return program


def _proxy(folder: Path) -> str:
    """The user's own, as companies have theirs; empty, which is Go's default, in the place of a folder (file://…).

    A newer Go spares a folder what it otherwise insists on. Source: cmd/go/internal/modfetch/sumdb.go, useSumDB.
    """
    named = ask(["go", "env", "GOPROXY"], os.environ | _ITSELF, folder).stdout.strip()
    return "" if named.lower().startswith("file:") else named


def _make_usable(folder: Path) -> None:
    """What Go itself does with a release that it fetched: a module's archive has no modes, and no go.mod below its own.

    Source: cmd/go/internal/toolchain/select.go, Exec.
    """
    for below in ("bin", "pkg/tool"):
        for path in (folder / below).rglob("*"):
            path.chmod(0o755)
    shutil.copyfile(folder / "src/_go.mod", folder / "src/go.mod")


def _fetched_program(version: str) -> Path:
    return cache_folder() / "go" / f"go{version}-{architecture()}" / "bin" / "go"


def _on_path() -> Path | None:
    path = shutil.which("go")
    return None if path is None else Path(path)


def _is_new_enough(program: Path | None, version: str) -> bool:
    match = re.match(r"go(\d+(\.\d+)*)", installed_version(program)) if program is not None else None
    return match is not None and _numbers(match[1]) >= _numbers(version)


@functools.lru_cache(maxsize=8)
def installed_version(program: Path) -> str:
    """What it says that it is, e.g. `go1.26.8`; empty where it cannot be run."""
    try:
        done = ask([str(program), "version"], os.environ | _ITSELF)
    except BrokenProgram:
        return ""
    match = re.search(r"\bgo\d\S*", done.stdout)
    return match[0] if match is not None else ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _main() -> None:
    versions = [wanted(Path(name)) for name in sys.argv[1:]]
    program = find(max(versions, key=_numbers)) if versions else None
    if program is not None:
        sys.stdout.write(f"{program.parent}\n")


if __name__ == "__main__":
    _main()
