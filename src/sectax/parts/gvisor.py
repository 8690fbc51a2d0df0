"""gVisor's runtime, built from a pinned version into the cache."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from sectax.parts import cache, go, installer
from sectax.parts.programs import Missing
from sectax.parts.registry import Part, Say

PROGRAM = "runsc"
# Of its branch `go`, which builds with Go's tools; checked by Go's checksum database.
VERSION = "v0.0.0-20260905035102-160fafc42237"
GO = "1.26.3"  # in its go.mod


def part(_: str) -> Part:
    about = f"from gvisor.dev/gvisor {VERSION}, about 4 minutes, 100 MB"

    def build(say: Say) -> None:
        say("building gVisor (runsc) from source")
        make()

    return Part("gvisor", "gVisor (runsc)", missing, build, optional=True, about=about)


def built() -> Path:
    return cache.cache_folder() / "gvisor" / VERSION / PROGRAM


def missing() -> Missing | None:
    """What is lacking for it, or None."""
    if shutil.which(PROGRAM) is not None or cache.is_intact(built()):
        return None
    return go.missing(GO) or Missing("gVisor (runsc) is not built yet", "sectax setup confidential", makable=True)


def make() -> None:
    """Build it: 4 minutes on two processors, 100 MB. Raises `SetUpFailed`."""
    program = go.find(GO)
    if program is None:
        go.fetch(GO)
        return
    with installer.scratch_beside(built()) as scratch:
        own = {"CGO_ENABLED": "0", "GOBIN": str(scratch), "GOTOOLCHAIN": "local", "GOWORK": "off"}
        installer.run(
            [str(program), "install", f"gvisor.dev/gvisor/{PROGRAM}@{VERSION}"],
            "gVisor could not be built",
            "check access to the Go module proxy, or put a runsc on PATH (https://gvisor.dev/docs/user_guide/install)",
            environment=os.environ | go.VOUCHED | own | {"GOFLAGS": "-mod=mod"},
            folder=scratch,
        )
        cache.store(scratch / PROGRAM, built())
