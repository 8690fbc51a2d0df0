"""Looks for the programs that a part needs: absent, too old, broken and lacking something are four things."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from sectax.model.why_not import WhyNot
from sectax.text.printable import printable

_ASK_TIMEOUT_S = 20
_SHOWN = 80  # characters of what a program said


class Requirement(msgspec.Struct, frozen=True):
    """A program that a probe needs: its least version, a command that must succeed, and what installs it.

    A check that prints the program's version too saves a start of it.
    """

    program: str
    version: str = ""
    apt: list[str] = []
    check: list[str] = []
    hint: str = ""


@dataclass(frozen=True)
class Missing(WhyNot):
    """Why a part cannot be used here, and who can change that.

    Attributes:
        apt: Debian's packages that would.
        makable: sectax itself can make it, from the network or from sources.
        on_first_use: a run makes it by itself, and waits for it.
    """

    apt: tuple[str, ...] = ()
    makable: bool = False
    on_first_use: bool = False


class BrokenProgram(Exception):
    """A program is there and does not work; the message says how that shows."""


def ask(
    command: Sequence[str], environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program that answers at once, to its end, whatever its exit status.

    Raises:
        Broken: it does not start, crashes, or does not end within 20 s.
    """
    command_line = shlex.join(command)
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_ASK_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise BrokenProgram(f"{command_line} did not end within {_ASK_TIMEOUT_S} s") from error
    except OSError as error:
        raise BrokenProgram(f"{command_line} cannot be started: {error.strerror}") from error
    if done.returncode < 0:
        raise BrokenProgram(
            f"{command_line} was killed by signal {-done.returncode} ({signal.strsignal(-done.returncode)})"
        )
    return done


def missing_program(requirement: Requirement, *, ours: bool = False) -> Missing | None:
    """What is wrong with a program that a probe needs; None where it can be used.

    Args:
        ours: it is the Python that runs sectax, whatever is on PATH.
    """
    program = sys.executable if ours else shutil.which(requirement.program)
    hint = requirement.hint or f"install {requirement.program}"
    apt = tuple(requirement.apt)
    if program is None:
        return Missing(f"{requirement.program} is not installed", hint, apt)
    try:
        checked = ask([program, *requirement.check[1:]]) if requirement.check else None
        match = re.fullmatch(r">=\s*([\d.]+)", requirement.version)
        if match is not None:
            version = _printed_version(checked) or _known_version(program)
            if version < _numbers(match[1]):
                installed = ".".join(map(str, version))
                return Missing(f"{requirement.program} {installed} is too old, {match[1]} is needed", hint, apt)
        if checked is not None and checked.returncode != 0:
            return Missing(f"{requirement.program} lacks what the probe needs: {hint}", hint, apt)
    except BrokenProgram as error:
        # Its package is installed, so installing it is not what helps.
        return Missing(
            f"{requirement.program} is broken: {error}",
            f"reinstall it, or put a {requirement.program} that works first on PATH",
        )
    return None


def _known_version(program: str) -> tuple[int, ...]:
    command = [program, "--version"]
    done = ask(command)
    if done.returncode != 0:
        raise BrokenProgram(f"{shlex.join(command)} ended with exit status {done.returncode}{_first_line(done)}")
    version = _printed_version(done)
    if version is None:
        raise BrokenProgram(f"{shlex.join(command)} names no version{_first_line(done)}")
    return version


def _printed_version(done: subprocess.CompletedProcess[str] | None) -> tuple[int, ...] | None:
    match = re.search(r"\d+(\.\d+)+", done.stdout) if done is not None else None
    return None if match is None else _numbers(match[0])


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)


def _first_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr + done.stdout).split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    return f": {printable(first, _SHOWN)}" if first else ""
