"""Checks programs that parts need: absent, too old, broken or incomplete."""

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
from sectax.text.masking import masked_text
from sectax.text.printable import printable

_ASK_TIMEOUT_S = 20
_SHOWN = 80  # characters of a program's output


class Requirement(msgspec.Struct, frozen=True):
    """A needed program: minimum version, a command that must succeed, and packages.

    A check that also prints the version saves a process.
    """

    program: str
    version: str = ""
    apt: list[str] = []
    check: list[str] = []
    hint: str = ""


@dataclass(frozen=True)
class Missing(WhyNot):
    """Why a part cannot be used here, and what helps.

    Attributes:
        apt: Debian's packages.
        makable: whether sectax can download or build it.
        on_first_use: whether a run does so by itself.
    """

    apt: tuple[str, ...] = ()
    makable: bool = False
    on_first_use: bool = False


class BrokenProgram(Exception):
    """A program exists but does not work."""


def ask(
    command: Sequence[str], environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a quick program to its end, with any exit status. Raises `BrokenProgram`."""
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
        name = signal.strsignal(-done.returncode)
        raise BrokenProgram(f"{command_line} was killed by signal {-done.returncode} ({name})")
    return done


def missing_program(requirement: Requirement, *, ours: bool = False) -> Missing | None:
    """What is wrong with a program, or None.

    Args:
        ours: whether it is the Python that runs sectax, regardless of PATH.
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
        # Its package is installed, so installing it does not help.
        hint = f"reinstall it, or put a working {requirement.program} first on PATH"
        return Missing(f"{requirement.program} is broken: {error}", hint)
    return None


def _known_version(program: str) -> tuple[int, ...]:
    command = [program, "--version"]
    done = ask(command)
    if done.returncode != 0:
        raise BrokenProgram(f"{shlex.join(command)} ended with exit status {done.returncode}{_first_line(done)}")
    version = _printed_version(done)
    if version is None:
        raise BrokenProgram(f"{shlex.join(command)} printed no version{_first_line(done)}")
    return version


def _printed_version(done: subprocess.CompletedProcess[str] | None) -> tuple[int, ...] | None:
    match = re.search(r"\d+(\.\d+)+", done.stdout) if done is not None else None
    return None if match is None else _numbers(match[0])


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)


def _first_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = masked_text(done.stderr + done.stdout).split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    return f": {printable(first, _SHOWN)}" if first else ""
