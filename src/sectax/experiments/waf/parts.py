"""What must be built for the experiment: a service with a filter in front; the client is that of http."""

from __future__ import annotations

from pathlib import Path

from sectax.parts.go_programs import GoProgram
from sectax.parts.registry import Part, family_part

SERVER = "waf:server"
_SOURCES = Path(__file__).parent / "server"


def server() -> GoProgram:
    """A page that does nothing behind Coraza with the OWASP Core Rule Set, from sources of sectax's own."""
    title, about = "the service with Coraza in front", "about a minute, 20 MB"
    return GoProgram("waf-server", title, about, "sectax setup waf", "waf-server", _SOURCES)


def part(name: str) -> Part:
    return family_part("waf", name, {"server": server().part})
