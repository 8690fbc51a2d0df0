"""What must be built for the experiment: a service with a filter in front, and the client of the experiment http."""

from __future__ import annotations

from pathlib import Path

from sectax.experiments.http.parts import CLIENT
from sectax.model.errors import WrongUse
from sectax.parts import go
from sectax.parts.go_programs import GoProgram
from sectax.parts.registry import Part

SERVER = "waf:server"
_SOURCES = Path(__file__).parent / "server"


def server() -> GoProgram:
    """A page that does nothing behind Coraza with the OWASP Core Rule Set, from sources of sectax's own."""
    return GoProgram(
        name="waf-server",
        title="the service with Coraza in front",
        executable="waf-server",
        go_version=go.wanted(_SOURCES / "go.mod"),
        about="about a minute, 20 MB",
        set_up="sectax setup waf",
        folder=_SOURCES,
    )


def part(name: str) -> Part:
    """`waf:server`."""
    if name != "server":
        raise WrongUse(f"there is no part 'waf:{name}'", f"there is: {SERVER}")
    return server().part()


__all__ = ["CLIENT", "SERVER", "part", "server"]
