"""What levels can need of this machine: a probe, a program or function of sectax, a Lambda with processor shares."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.model.errors import SectaxError
from sectax.model.why_not import WhyNot
from sectax.subjects.function import LOCAL
from sectax.toolchain import functions, go_programs, probes


@dataclass(frozen=True)
class NeedsProbe:
    """The probe of this name: its program, and its libraries."""

    name: str

    def why_not(self) -> WhyNot | None:
        return probes.missing(probes.load(self.name))


@dataclass(frozen=True)
class NeedsFunction:
    """A function in one of its languages: the tool-chain that builds it."""

    name: str
    language: str

    def why_not(self) -> WhyNot | None:
        return functions.missing(functions.load(self.name, self.language))


@dataclass(frozen=True)
class NeedsLambda:
    """A Lambda whose functions have the share of a processor that their memory buys.

    Attributes:
        endpoint: as in `FunctionSpec`.
    """

    endpoint: str | None

    def why_not(self) -> WhyNot | None:
        """Tries it, which makes a sandbox and takes some 50 ms."""
        if self.endpoint != LOCAL:
            return None
        from lambda_local.main import check  # loads the whole server
        from lambda_local.settings import Settings

        try:
            check(Settings())
        except SectaxError as error:
            return error.why_not
        return None


@dataclass(frozen=True)
class NeedsProgram:
    """A program that Go builds, by its name in `toolchain.go_programs`."""

    name: str

    def why_not(self) -> WhyNot | None:
        program = go_programs.load(self.name)
        lack = program.missing()
        return None if lack is None else WhyNot(f"{program.title} is not there: {lack.reason}", "sectax setup s3")
