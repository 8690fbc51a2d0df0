"""Go in the version that a module needs: on PATH, or fetched into the cache.

Releases of Go are modules (golang.org/toolchain, https://go.dev/doc/toolchain), so any Go can fetch them through the
module proxy, checked against the checksum database. Go before 1.21 does not do so by itself, nor does Debian's with
GOTOOLCHAIN=local. The database is used regardless of the user's settings, and our release must have the sum below.

`python -m sectax.parts.go GO_MOD…` prints the folder of a new enough Go, or nothing.
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
from sectax.parts.cache import cache_folder, refuse_foreign
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import BrokenProgram, Missing, ask

_WITHIN_REACH = "check access to the Go module proxy and sum.golang.org."
_GOARCH = {"x86_64": "amd64"}  # others are named as by Lambda
# No automatic switch to another version of Go.
_ITSELF = {"GOTOOLCHAIN": "local", "GOWORK": "off"}
# Always use the checksum database, regardless of the user's settings.
VOUCHED = {
    "GOENV": "off",
    "GOSUMDB": "sum.golang.org",
    **dict.fromkeys(("GONOSUMDB", "GONOSUMCHECK", "GOPRIVATE", "GOINSECURE"), ""),
}
# The newest release that is needed here; fetched instead of older ones too.
RELEASE = "1.26.3"
# `Sum` of `go mod download -json golang.org/toolchain@v0.0.1-RELEASE`; others are checked by the database only.
SUMS = {
    "go1.26.3.linux-amd64": "h1:LdHRR8AtYKtOQrWMnd5AbvhZMSVJ7HoO2wrqShPaLV8=",
    "go1.26.3.linux-arm64": "h1:KRiC8jsRApkVqG+J+n5bGoaipGxrQ4yTn8B7BnFjzd0=",
}


def architecture() -> str:
    own = machine.architecture()
    return _GOARCH.get(own, own)


def wanted(go_mod: Path) -> str:
    """Minimum version in a go.mod, such as `1.26.0`."""
    match = re.search(r"^go (\d+\.\d+)(\.\d+)?", go_mod.read_text(), re.MULTILINE)
    if match is None:
        raise ValueError(f"{go_mod} has no version of Go")
    return match[1] + (match[2] or ".0")


def find(version: str) -> Path | None:
    """Path of a `go` of at least this version, or None."""
    fetched = _fetched_program(release_to_fetch(version))
    if _is_new_enough(_on_path(), version):
        return _on_path()
    refuse_foreign(fetched)
    return fetched if fetched.exists() else None


def missing(version: str) -> Missing | None:
    """What is lacking for a Go of at least this version, or None."""
    if find(version) is not None:
        return None
    program = _on_path()
    if program is None:
        return Missing("go is not installed", _install(version), apt=("golang-go",))
    reason = f"{installed_version(program) or program} is too old, {version} is needed"
    return Missing(reason, "sectax setup", makable=True)


def release_to_fetch(version: str) -> str:
    """Release to fetch for at least this version."""
    return max(version, RELEASE, key=_numbers)


def _install(version: str) -> str:
    return f"install Go {version} or newer (https://go.dev/doc/install)"


def fetch(version: str) -> None:
    """Have the Go on PATH fetch a release (70 MB). Raises `SetUpFailed`."""
    version = release_to_fetch(version)
    target = _fetched_program(version).parents[1]
    with installer.scratch_beside(target) as scratch:
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
                f"the download of {release} has the wrong sum {fetched['Sum']} instead of {SUMS[release]}",
                f"check the module proxy (go env GOPROXY), or {_install(version)}",
            )
        folder = Path(fetched["Dir"])
        _make_usable(folder)
        try:
            folder.rename(target)
        except OSError:
            if not target.exists():  # fetched by another process meanwhile
                raise


def ensure(version: str, title: str, say: Callable[[str], None]) -> Path:
    """Path of a `go` of this version or later. Raises `SetUpFailed`."""
    if missing(version) is not None:
        say(f"fetching Go {release_to_fetch(version)} (for {title})")
        fetch(version)
    program = find(version)
    assert program is not None, "just fetched"
    return program


def _proxy(folder: Path) -> str:
    """The user's GOPROXY without folders, which skip the checksum database.

    Source: cmd/go/internal/modfetch/sumdb.go, useSumDB.
    """
    named = ask(["go", "env", "GOPROXY"], os.environ | _ITSELF, folder).stdout.strip()
    return "" if named.lower().startswith("file:") else named


def _make_usable(folder: Path) -> None:
    """Restore file modes and src/go.mod, as cmd/go's toolchain/select.go does."""
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
    """Its version, such as `go1.26.8`; empty if it cannot be run."""
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
