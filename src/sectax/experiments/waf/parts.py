"""The part to build: a service behind a filter; the client is that of http."""

from __future__ import annotations

from pathlib import Path

from sectax.parts.go_programs import GoProgram
from sectax.parts.registry import Part, family_part

SERVER = "waf:server"
_SOURCES = Path(__file__).parent / "server"


def server() -> GoProgram:
    """An empty page behind Coraza with the OWASP Core Rule Set."""
    title, about = "the service with Coraza in front", "about a minute, 20 MB"
    return GoProgram("waf-server", title, about, "sectax setup waf", "waf-server", _SOURCES)


def part(name: str) -> Part:
    return family_part("waf", name, {"server": server().part})
