"""The hosts of a run: their names, where they are, and what the names promise."""

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
_ISOLATION = "Containers and gVisor isolate and encrypt no memory: their cost says nothing of a confidential VM"
_ANY = "confidential"


@dataclass(frozen=True)
class HostPairs:
    """Where the subjects of a run are.

    Attributes:
        pairs: of every pair, the hosts by their names, the baseline first. Without --pair there is one.
    """

    pairs: tuple[dict[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.pairs[0])

    @property
    def baseline(self) -> str:
        return self.names[0]

    @property
    def hosts(self) -> tuple[str, ...]:
        """All hosts, each once."""
        return tuple(dict.fromkeys(where for pair in self.pairs for where in pair.values()))

    @property
    def use_this_machine(self) -> bool:
        """Whether one of them is this machine, or a container, which sees its files."""
        return any(map(sees_this_machine, self.hosts))

    def where(self, levels: Mapping[str, str]) -> str:
        """The host of a combination of levels."""
        return self.pairs[int(levels.get(PAIR, "1")) - 1][levels[HOST]]


def read_places(options: Mapping[str, tuple[str, ...]], otherwise: Mapping[str, str]) -> HostPairs:
    """Understand --host and --pair.

    Args:
        otherwise: the hosts where none are given.
    Raises:
        WrongUse: a host without a name, a name twice, an invalid address, pairs without two hosts.
    """
    first: dict[str, str] = {}
    for typed in options.get(HOST, ()):
        name, separator, where = typed.partition("=")
        if not separator or not _NAME.fullmatch(name) or not where:
            raise WrongUse(f"--host {typed!r} is not NAME=WHERE", "as in --host normal=ssh://user@vm-1")
        if name in first:
            raise WrongUse(f"two hosts are called {name!r}", "give every host a name of its own")
        first[name] = _checked_host(where)
    if len(first) == 1:
        raise WrongUse("one host alone has nothing to be compared with", "give two or more; the first is the baseline")
    pairs = [first or dict(otherwise)]
    for typed in options.get(PAIR, ()):
        left, separator, right = typed.partition("=")
        if not separator or not left or not right:
            raise WrongUse(f"--pair {typed!r} is not A=B", "as in --pair ssh://vm-3=ssh://vm-4")
        if len(first) != 2:
            raise WrongUse(
                f"--pair repeats a pair, and {len(first) or 'no'} hosts were named", "give exactly two with --host"
            )
        pairs.append(dict(zip(first, (_checked_host(left), _checked_host(right)), strict=True)))
    return HostPairs(tuple(pairs))


def sees_this_machine(where: str) -> bool:
    """Whether a host is this machine, or a container, which sees its files."""
    return where == LOCAL_HOST or where.startswith(_CONTAINERS)


def _checked_host(where: str) -> str:
    host(where)  # refuses what is none; nothing is reached yet
    return where


def scope(places: HostPairs) -> str:
    """What a cost that was measured on these hosts says of others."""
    if any(where.startswith(_CONTAINERS) for where in places.hosts):
        return f"{_ISOLATION}. The cost is that of this machine, kernel and processor."
    return "It holds for these hosts alone: two equal VMs can differ too. Five pairs make a general claim."


def declares(name: str, where: str) -> dict[str, Witness]:
    """What a name and an address promise, by the names of the witnesses that must bear it out.

    A name that is, or begins or ends with, the name of a technology (`sev-snp`, `vm-tdx`) promises it; `confidential`
    promises any of them, and `normal` none.
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
