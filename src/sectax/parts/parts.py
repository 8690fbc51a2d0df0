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

from sectax.model.errors import WrongUse
from sectax.parts import functions, go, go_programs, gvisor, installer, lambda_local, probes
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import Missing, Requirement, missing_program
from sectax.parts.secrets import agent, backend

Say = Callable[[str], None]


@dataclass(frozen=True)
class Part:
    """One thing that must be here before a subject can run.

    Attributes:
        id: stable, e.g. `probe-php`.
        title: for messages.
        missing: what it lacks on this machine; None where it is ready.
        make: makes what sectax itself can make of it. Raises `SectaxError` where that fails.
        optional: whether the experiment has something to measure without it, so that doing without it is no failure.
    """

    id: str
    title: str
    missing: Callable[[], Missing | None]
    make: Callable[[Say], None]
    optional: bool = False


def load(requirement: str) -> Part:
    """The part that a requirement names. Raises `WrongUse` where there is none."""
    kind, separator, name = requirement.partition(":")
    if requirement == gvisor.PROGRAM:
        title = "gVisor (runsc)"
        make = _made(f"building {title} from source: some minutes", gvisor.make)
        return Part("gvisor", title, gvisor.missing, make, optional=True)
    if not separator:
        return _probe(probes.load(requirement))
    if kind == "function":
        function, _, language = name.partition("/")
        return _function(functions.load(function, language))
    if kind == "lambda-runtime":
        title = f"AWS's runtime client for {name}"
        install = _made(f"installing {title}", lambda: lambda_local.install(name))
        return Part(f"lambda-runtime-{name}", title, lambda: lambda_local.missing(name), install)
    if kind == "program":
        program = go_programs.load(name)
        return Part(f"program-{name}", program.title, program.missing, program.make, program.optional)
    if kind == "system":
        return _system(name)
    if requirement == "secrets:agent":
        # Without it there is access that goes past a sidecar to be measured.
        return Part("secrets-agent", agent.TITLE, agent.missing, agent.build, optional=True)
    if requirement == "secrets:backend":
        title = "the stand-in for Secrets Manager"
        make = _made(f"installing {title} (moto)", backend.install)
        return Part("secrets-backend", title, backend.missing, make)
    raise WrongUse(f"{requirement!r} cannot be set up", "a probe, function:…, lambda-runtime:… or secrets:…")


def _made(saying: str, how: Callable[[], object]) -> Callable[[Say], None]:
    """What says what it does, and does it."""

    def make(say: Say) -> None:
        say(saying)
        how()

    return make


def _probe(probe: probes.Probe) -> Part:
    """A probe, with its libraries."""
    title = f"probe {probe.name}"
    make = _made(f"installing the libraries of {title}", lambda: probes.install_libraries(probe))
    return Part(f"probe-{probe.name}", title, lambda: probes.missing(probe, thorough=True), make)


def _function(function: functions.Function) -> Part:
    """The zip of a Lambda function, with the tool-chain that builds it."""
    title = f"function {function.name} in {function.language}"

    def missing() -> Missing | None:
        lack = functions.missing(function)
        if lack is not None or functions.zip_of(function).exists():
            return lack
        return Missing("it is not built yet", "sectax setup", makable=True, on_first_use=True)

    def make(say: Say) -> None:
        # Of the tool-chains, sectax makes Go alone.
        if functions.missing(function) is not None:
            version = go.wanted(function.folder / "go.mod")
            say(f"fetching Go {version} (for {title})")
            go.fetch(version)
        else:
            say(f"building {title}")
            functions.build(function.name, function.language)

    return Part(f"function-{function.name}-{function.language}", title, missing, make, function.optional)


# A program of the system -> Debian's packages that it takes, where they have other names.
_PACKAGES = {"cc": ("gcc", "libc6-dev")}


def _system(program: str) -> Part:
    """A program that only the system's packages have: that of its own name where `_PACKAGES` names no others."""
    packages = _PACKAGES.get(program, (program,))
    wanted = Requirement(program=program, apt=[*packages], hint=f"apt-get install {' '.join(packages)}")
    return Part(f"system-{program}", program, lambda: missing_program(wanted), lambda say: None, optional=True)


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
