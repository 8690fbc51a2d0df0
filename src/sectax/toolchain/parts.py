"""What experiments need to be installed or built: each part knows what it lacks and how it is made, `set_up` does it.

A requirement of an experiment names a part: `php` is a probe, `function:NAME/LANGUAGE` a Lambda function that comes
with sectax, `lambda-runtime:python3.12` AWS's runtime client for functions in that Python, `program:minio` a program
that Go builds, `system:runc` a program of the system's packages, `runsc` gVisor's, `secrets:agent` and
`secrets:backend` what the experiment `secrets` runs besides its functions.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sectax.model.errors import WrongUse
from sectax.toolchain import functions, go, go_programs, gvisor, installer, probes
from sectax.toolchain.installer import SetUpFailed
from sectax.toolchain.lambda_runtime import managed
from sectax.toolchain.programs import Missing, Requirement, missing_program
from sectax.toolchain.secrets import agent, backend

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
    if requirement == gvisor.PROGRAM:
        return GvisorPart()
    if not separator:
        return ProbePart(probes.load(requirement))
    if kind == "function":
        function, _, language = name.partition("/")
        return FunctionPart(functions.load(function, language))
    if kind == "lambda-runtime":
        return RuntimePart(name)
    if kind == "program":
        return go_programs.load(name)
    if kind == "system":
        return SystemPart(name)
    if kind == "secrets" and name in ("agent", "backend"):
        return SecretsAgentPart() if name == "agent" else SecretsBackendPart()
    raise WrongUse(f"{requirement!r} cannot be set up", "a probe, function:…, lambda-runtime:… or secrets:…")


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
        probes.install_libraries(self.probe)


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


# A program of the system -> Debian's packages that it takes, where they have other names.
_PACKAGES = {"cc": ("gcc", "libc6-dev")}


@dataclass(frozen=True)
class SystemPart:
    """A program of the system, in the package of its own name where `_PACKAGES` names no others."""

    program: str
    optional: bool = True

    @property
    def id(self) -> str:
        return f"system-{self.program}"

    @property
    def title(self) -> str:
        return self.program

    def missing(self) -> Missing | None:
        packages = _PACKAGES.get(self.program, (self.program,))
        hint = f"apt-get install {' '.join(packages)}"
        return missing_program(Requirement(program=self.program, apt=[*packages], hint=hint))

    def make(self, say: Say) -> None:
        """Only the system's packages have it."""


@dataclass(frozen=True)
class GvisorPart:
    """gVisor's runtime."""

    id: str = "gvisor"
    title: str = "gVisor (runsc)"
    optional: bool = True

    def missing(self) -> Missing | None:
        return gvisor.missing()

    def make(self, say: Say) -> None:
        say(f"building {self.title} from source: some minutes")
        gvisor.make()


@dataclass(frozen=True)
class SecretsAgentPart:
    """AWS's Secrets Manager Agent. Without it there is access that goes past a sidecar to be measured."""

    optional: bool = True
    id: str = "secrets-agent"
    title: str = "AWS's Secrets Manager Agent"

    def missing(self) -> Missing | None:
        return agent.missing()

    def make(self, say: Say) -> None:
        say(f"building {self.title} {agent.VERSION} with cargo, which takes some minutes")
        agent.build(say)


@dataclass(frozen=True)
class SecretsBackendPart:
    """moto, which stands in for Secrets Manager."""

    optional: bool = False
    id: str = "secrets-backend"
    title: str = "the stand-in for Secrets Manager"

    def missing(self) -> Missing | None:
        return backend.missing()

    def make(self, say: Say) -> None:
        say(f"installing {self.title} (moto)")
        backend.install()


def set_up(part: Part, say: Say) -> None:
    """Make a part usable here: system packages through apt, the rest as the part itself knows.

    Raises:
        SectaxError: with the command that a person must run.
    """
    lack = part.missing()
    while lack is not None:
        if lack.apt:
            _install_system_packages(part, lack, say)
        elif lack.makable:
            part.make(say)
        else:
            raise SetUpFailed(f"{part.title}: {lack.reason}", lack.hint)
        still = part.missing()
        if still == lack:
            raise SetUpFailed(f"{part.title}: installed, but still {lack.reason}", lack.hint)
        lack = still


def _install_system_packages(part: Part, lack: Missing, say: Say) -> None:
    names = " ".join(lack.apt)
    if shutil.which("apt-get") is None:
        raise SetUpFailed(f"{part.title}: {lack.reason}", f"install what Debian calls {names}, then run this again")
    if os.geteuid() != 0:
        raise SetUpFailed(f"{part.title}: {lack.reason}", f"sudo apt-get install -y {names}, then run this again")
    say(f"installing {names} (for {part.title})")
    install = ["apt-get", "install", "-y", "--no-install-recommends", *lack.apt]
    # The package lists of a new machine may be empty or old: fetch them only when the first attempt says so.
    try:
        _run(part, install)
    except SetUpFailed:
        say("refreshing the package lists")
        _run(part, ["apt-get", "update"])
        _run(part, install)


def _run(part: Part, command: list[str]) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    installer.run(command, f"{part.title}: {' '.join(command)} failed", environment=environment)
