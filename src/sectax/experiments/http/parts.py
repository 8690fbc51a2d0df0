"""The part to build: the HTTP client in Go."""

from __future__ import annotations

from sectax.parts import cache
from sectax.parts.go_programs import GoProgram
from sectax.parts.registry import Part, family_part

CLIENT = "http:client"


def client() -> GoProgram:
    title, folder = "the HTTP client in Go", cache.bundled("clients", "http-go")
    return GoProgram("http-client", title, "about 20 seconds", "sectax setup http", "http-client", folder)


def part(name: str) -> Part:
    return family_part("http", name, {"client": client().part})
