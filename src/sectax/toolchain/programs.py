"""Looks for the programs that a probe needs: absent, too old, broken and lacking something are four things."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass

import msgspec

from sectax.model.printable import printable

_CHECK_TIMEOUT_S = 20
_SHOWN = 80  # characters of what a program said


class Requirement(msgspec.Struct, frozen=True):
    """A program that a probe needs: its least version, a command that must succeed, and what installs it."""

    program: str
    version: str = ""
    apt: list[str] = []
    check: list[str] = []
    mend: str = ""


@dataclass(frozen=True)
class Missing:
    """Why something cannot be used here, the command that mends it, and the apt packages that would.

    `makable` is True where sectax itself can make it, from the network or from sources; `on_first_use` where a run
    does that by itself, and waits for it.
    """

    reason: str
    mend: str
    apt: tuple[str, ...] = ()
    makable: bool = False
    on_first_use: bool = False


class _Broken(Exception):
    """The program is there and does not work; the message says how that shows."""


def missing_program(requirement: Requirement, *, ours: bool = False) -> Missing | None:
    """What is wrong with a program that a probe needs; None where it can be used.

    Args:
        ours: it is the Python that runs sectax, whatever is on PATH.
    """
    program = sys.executable if ours else shutil.which(requirement.program)
    mend = requirement.mend or f"install {requirement.program}"
    apt = tuple(requirement.apt)
    if program is None:
        return Missing(f"{requirement.program} is not installed", mend, apt)
    try:
        wanted = re.fullmatch(r">=\s*([\d.]+)", requirement.version)
        if wanted is not None and (version := _version_of(program)) < _numbers(wanted[1]):
            seen = ".".join(map(str, version))
            return Missing(f"{requirement.program} {seen} is too old, {wanted[1]} is needed", mend, apt)
        if requirement.check and _run([program, *requirement.check[1:]]).returncode != 0:
            return Missing(f"{requirement.program} lacks what the probe needs: {mend}", mend, apt)
    except _Broken as error:
        # Its package is installed, so installing it is not what helps.
        return Missing(
            f"{requirement.program} is broken: {error}",
            f"reinstall it, or put a {requirement.program} that works first on PATH",
        )
    return None


def _version_of(program: str) -> tuple[int, ...]:
    command = [program, "--version"]
    done = _run(command)
    if done.returncode != 0:
        raise _Broken(f"{shlex.join(command)} ended with exit status {done.returncode}{_said(done)}")
    found = re.search(r"\d+(\.\d+)+", done.stdout)
    if found is None:
        raise _Broken(f"{shlex.join(command)} names no version{_said(done)}")
    return _numbers(found[0])


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run it to its end, whatever its exit status. Raises `_Broken` where it does not start, crashes or hangs."""
    shown = shlex.join(command)
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_CHECK_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _Broken(f"{shown} did not end within {_CHECK_TIMEOUT_S} s") from error
    except OSError as error:
        raise _Broken(f"{shown} cannot be started: {error.strerror}") from error
    if done.returncode < 0:
        raise _Broken(f"{shown} was killed by signal {-done.returncode} ({signal.strsignal(-done.returncode)})")
    return done


def _said(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr + done.stdout).split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    return f": {printable(first, _SHOWN)}" if first else ""
