"""What must be built for the experiment: the client, by Go."""

from __future__ import annotations

from sectax.model.errors import WrongUse
from sectax.parts import cache, go
from sectax.parts.go_programs import GoProgram
from sectax.parts.registry import Part

CLIENT = "http:client"


def client() -> GoProgram:
    """The client in Go, from sources of sectax's own."""
    folder = cache.bundled("clients", "http-go")
    return GoProgram(
        name="http-client",
        title="the HTTP client in Go",
        executable="http-client",
        go_version=go.wanted(folder / "go.mod"),
        about="about 20 seconds",
        set_up="sectax setup http",
        folder=folder,
    )


def part(name: str) -> Part:
    """`http:client`."""
    if name != "client":
        raise WrongUse(f"there is no part 'http:{name}'", f"there is: {CLIENT}")
    return client().part()
