"""The registry of parts, which are installed or built.

A part is named `FAMILY:NAME`. A family is an entry point `sectax.parts`: a function from a name to a `Part`, of an
experiment or in `sectax.parts`.
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
_APT_LOCK = threading.Lock()  # apt-get does not run in parallel
Say = Callable[[str], None]


@dataclass(frozen=True)
class Part:
    """Something that must be installed or built before a subject can run.

    Attributes:
        id: stable, such as `probe-php`.
        title: for messages.
        missing: what it lacks on this machine, or None.
        make: downloads or builds it. Raises `SectaxError`.
        optional: whether the experiment is useful without it.
        about: source, duration and downloads.
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
    """The part of this name. Raises `WrongUse`."""
    family, _, rest = name.partition(":")
    if family not in families():
        raise WrongUse(f"there is no part {name!r}", did_you_mean(family, families()))
    part: Part = families()[family].load()(rest)
    return part


def family_part(family: str, name: str, parts: Mapping[str, Callable[[], Part]]) -> Part:
    """One of a family's parts. Raises `WrongUse`."""
    if name not in parts:
        raise WrongUse(f"there is no part {family + ':' + name!r}", f"there are: {', '.join(parts)}")
    return parts[name]()


def set_up(part: Part, say: Say) -> None:
    """Make a part usable: with apt or `Part.make`. Raises `SectaxError`."""
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
        raise SetUpFailed(f"{part.title}: {lack.reason}", f"install Debian's {names}, then run this again")
    if os.geteuid() != 0:
        raise SetUpFailed(f"{part.title}: {lack.reason}", f"sudo apt-get install -y {names}, then run this again")
    with _APT_LOCK:
        _apt_get(part, lack, names, say)


def _apt_get(part: Part, lack: Missing, names: str, say: Say) -> None:
    say(f"installing {names} (for {part.title})")
    install = ["apt-get", "install", "-y", "--no-install-recommends", *lack.apt]
    # Package lists may be empty or old: update them if the first attempt fails.
    try:
        _run(part, install)
    except SetUpFailed:
        say("refreshing the package lists")
        _run(part, ["apt-get", "update"])
        _run(part, install)


def _run(part: Part, command: list[str]) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    installer.run(command, f"{part.title}: {' '.join(command)} failed", environment=environment)
