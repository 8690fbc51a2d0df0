"""Options --host and --pair, and the witnesses that host names promise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sectax.hosts.facts import TECHNOLOGIES
from sectax.hosts.registry import host
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import WrongUse
from sectax.model.subject import Witness

HOST, PAIR = "host", "pair"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
_CONTAINERS = "oci:"
_NORMAL = "normal"
_ISOLATION = "Containers and gVisor do not encrypt memory: their cost says nothing about a confidential VM"
_ANY = "confidential"


@dataclass(frozen=True)
class HostPairs:
    """Hosts by name for every pair, the baseline first; one pair without --pair."""

    pairs: tuple[dict[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.pairs[0])

    @property
    def baseline(self) -> str:
        return self.names[0]

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(where for pair in self.pairs for where in pair.values()))

    @property
    def use_this_machine(self) -> bool:
        return any(map(sees_this_machine, self.hosts))

    def where(self, levels: Mapping[str, str]) -> str:
        return self.pairs[int(levels.get(PAIR, "1")) - 1][levels[HOST]]


def read_places(options: Mapping[str, tuple[str, ...]], otherwise: Mapping[str, str]) -> HostPairs:
    """Parse --host and --pair. Raises `WrongUse`.

    Args:
        otherwise: default hosts.
    """
    first: dict[str, str] = {}
    for typed in options.get(HOST, ()):
        name, separator, where = typed.partition("=")
        if not separator or not _NAME.fullmatch(name) or not where:
            raise WrongUse(f"--host {typed!r} is not NAME=WHERE", "as in --host normal=ssh://user@vm-1")
        if name in first:
            raise WrongUse(f"two hosts are called {name!r}", "give every host a different name")
        first[name] = _checked_host(where)
    if len(first) == 1:
        raise WrongUse("one host has nothing to be compared with", "give two or more; the first is the baseline")
    pairs = [first or dict(otherwise)]
    for typed in options.get(PAIR, ()):
        left, separator, right = typed.partition("=")
        if not separator or not left or not right:
            raise WrongUse(f"--pair {typed!r} is not A=B", "as in --pair ssh://vm-3=ssh://vm-4")
        if len(first) != 2:
            raise WrongUse(f"--pair needs exactly two hosts, not {len(first)}", "give two with --host")
        pairs.append(dict(zip(first, (_checked_host(left), _checked_host(right)), strict=True)))
    return HostPairs(tuple(pairs))


def sees_this_machine(where: str) -> bool:
    """Whether a host is this machine or a container, which sees its files."""
    return where == LOCAL_HOST or where.startswith(_CONTAINERS)


def _checked_host(where: str) -> str:
    host(where)  # validates the address, without connecting
    return where


def scope(places: HostPairs) -> str:
    """Scope of a cost measured on these hosts."""
    if any(where.startswith(_CONTAINERS) for where in places.hosts):
        return f"{_ISOLATION}. The cost applies to this machine, kernel and processor."
    return "It applies to these hosts only: two equal VMs can differ too. Five pairs allow a general claim."


def declares(name: str, where: str) -> dict[str, Witness]:
    """Witnesses that a host's name and address promise.

    A name with the name of a technology (`sev-snp`, `vm-tdx`) promises it; `confidential` any, and `normal` none.
    """
    promised: dict[str, Witness] = {}
    if where.startswith(_CONTAINERS):
        _, _, added = where.partition("+")
        kind = "gvisor" if "runsc" in where else "container"
        promised["isolation"] = f"{kind}+{added}" if added and kind == "container" else kind
    elif _has_word(name, "gvisor"):
        promised["isolation"] = "gvisor"
    technology = next((kind for kind in ("sev-snp", "sev-es", *TECHNOLOGIES) if _has_word(name, kind)), None)
    if technology is not None:
        promised["memory_encryption"] = technology
    elif _has_word(name, _NORMAL):
        promised["memory_encryption"] = "none"
    elif _has_word(name, _ANY):
        promised["confidential"] = True
    return promised


def _has_word(name: str, word: str) -> bool:
    return re.search(rf"(?:^|[-_.+\d]){re.escape(word)}(?:$|[-_.+\d])", name.lower()) is not None
