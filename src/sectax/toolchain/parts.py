"""What experiments need to be installed or built, whatever it is: each part knows what it lacks, and how it is made.

A requirement of an experiment names a part: `php` is a probe, `function:NAME/LANGUAGE` a Lambda function that comes
with sectax, `lambda-runtime:python3.12` AWS's runtime client for functions in that Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sectax.model.errors import WrongUse
from sectax.toolchain import functions, go, probe_environment, probes
from sectax.toolchain.lambda_runtime import managed
from sectax.toolchain.programs import Missing

Say = Callable[[str], None]


class Part(Protocol):
    """One thing that must be here before a subject can run."""

    @property
    def id(self) -> str:
        """Stable, e.g. `probe-php`."""

    @property
    def title(self) -> str:
        """For messages."""

    @property
    def optional(self) -> bool:
        """Whether the experiment has something to measure without it, so that doing without it is no failure."""

    def missing(self) -> Missing | None:
        """What it lacks on this machine; None where it is ready."""

    def make(self, say: Say) -> None:
        """Make what sectax itself can make of it. Raises `SectaxError` where that fails."""


def load(requirement: str) -> Part:
    """The part that a requirement names. Raises `WrongUse` where there is none."""
    kind, separator, name = requirement.partition(":")
    if not separator:
        return ProbePart(probes.load(requirement))
    if kind == "function":
        function, _, language = name.partition("/")
        return FunctionPart(functions.load(function, language))
    if kind == "lambda-runtime":
        return RuntimePart(name)
    raise WrongUse(f"{requirement!r} is nothing that can be set up", "a probe, function:… or lambda-runtime:…")


@dataclass(frozen=True)
class ProbePart:
    """A probe, with its libraries."""

    probe: probes.Probe
    optional: bool = False

    @property
    def id(self) -> str:
        return f"probe-{self.probe.name}"

    @property
    def title(self) -> str:
        return f"probe {self.probe.name}"

    def missing(self) -> Missing | None:
        return probes.missing(self.probe, thorough=True)

    def make(self, say: Say) -> None:
        say(f"installing the libraries of {self.title}")
        probe_environment.build(self.probe)


@dataclass(frozen=True)
class FunctionPart:
    """The zip of a Lambda function, with the tool-chain that builds it."""

    function: functions.Function

    @property
    def optional(self) -> bool:
        return self.function.optional

    @property
    def id(self) -> str:
        return f"function-{self.function.name}-{self.function.language}"

    @property
    def title(self) -> str:
        return f"function {self.function.name} in {self.function.language}"

    def missing(self) -> Missing | None:
        lack = functions.missing(self.function)
        if lack is not None or functions.zip_of(self.function).exists():
            return lack
        return Missing("it is not built yet", "sectax setup", makable=True, on_first_use=True)

    def make(self, say: Say) -> None:
        # Of the tool-chains, sectax makes Go alone.
        if functions.missing(self.function) is not None:
            version = go.wanted(self.function.folder / "go.mod")
            say(f"fetching Go {version} (for {self.title})")
            go.fetch(version)
        else:
            say(f"building {self.title}")
            functions.build(self.function.name, self.function.language)


@dataclass(frozen=True)
class RuntimePart:
    """AWS's runtime client, for the functions of one Lambda runtime."""

    runtime: str
    optional: bool = False

    @property
    def id(self) -> str:
        return f"lambda-runtime-{self.runtime}"

    @property
    def title(self) -> str:
        return f"AWS's runtime client for {self.runtime}"

    def missing(self) -> Missing | None:
        return managed.missing(self.runtime)

    def make(self, say: Say) -> None:
        say(f"installing {self.title}")
        managed.install(self.runtime)
