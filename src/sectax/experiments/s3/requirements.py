"""What levels can need of this machine: the local server, the client in Go."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.model.why_not import WhyNot
from sectax.toolchain import go_programs


@dataclass(frozen=True)
class NeedsProgram:
    """A program that Go builds, by its name in `toolchain.go_programs`."""

    name: str

    def why_not(self) -> WhyNot | None:
        program = go_programs.load(self.name)
        lack = program.missing()
        return None if lack is None else WhyNot(f"{program.title} is not there: {lack.reason}", "sectax setup s3")
