"""The registry of parts: what can be installed or built, what each lacks here, and how it is made.

A part is named `FAMILY:NAME`. A family is an entry point of the group `sectax.parts`: a function that is given the name
and gives back the `Part`. An experiment registers the parts of its own; those that several use are in `sectax.parts`.
"""

from __future__ import annotations

import functools
import os
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from sectax.model.errors import WrongUse
from sectax.parts import installer
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import Missing
from sectax.text.near import did_you_mean

GROUP = "sectax.parts"
_ONE_BY_ONE = threading.Lock()  # apt-get refuses to work beside another one
Say = Callable[[str], None]


@dataclass(frozen=True)
class Part:
    """One thing that must be here before a subject can run.

    Attributes:
        id: stable, e.g. `probe-php`.
        title: for messages.
        missing: what it lacks on this machine; None where it is ready. Its reason names the part where it can.
        make: makes what sectax itself can make of it. Raises `SectaxError` where that fails.
        optional: whether the experiment has something to measure without it, so that doing without it is no failure.
        about: from which package it is made, how long that takes, how much it fetches.
    """

    id: str
    title: str
    missing: Callable[[], Missing | None]
    make: Callable[[Say], None] = lambda say: None
    optional: bool = False
    about: str = ""


@functools.cache
def families() -> dict[str, EntryPoint]:
    return {family.name: family for family in entry_points(group=GROUP)}


def load(name: str) -> Part:
    """The part of this name. Raises `WrongUse` where there is none."""
    family, _, rest = name.partition(":")
    if family not in families():
        raise WrongUse(f"there is no part {name!r}", did_you_mean(family, families()))
    part: Part = families()[family].load()(rest)
    return part


def family_part(family: str, name: str, parts: Mapping[str, Callable[[], Part]]) -> Part:
    """The part of a family of which these are all. Raises `WrongUse`."""
    if name not in parts:
        raise WrongUse(f"there is no part {family + ':' + name!r}", f"there are: {', '.join(parts)}")
    return parts[name]()


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
            if part.about:
                say(f"{part.title}: {part.about}")
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
    with _ONE_BY_ONE:
        _apt_get(part, lack, names, say)


def _apt_get(part: Part, lack: Missing, names: str, say: Say) -> None:
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
