"""Says what of the sandbox can be had here, by trying it."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.model.errors import SectaxError
from sectax.sandboxes.instance.instance import Instance
from sectax.sandboxes.instance.limits import Limits, vcpus

# The smallest function there is: what the kernel takes for it, it takes for all.
_MEMORY_MB = 128


@dataclass(frozen=True)
class Part:
    """One ability: whether it can be had; where not, why, and what would mend it."""

    here: bool
    reason: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Availability:
    """What of the sandbox can be had here.

    Attributes:
        cgroup: "v1", "v2" or "none".
        cpu: CPU quotas.
        memory: memory limits.
        namespaces: everything else; without them there are no instances, and the other two are not asked for.
    """

    cgroup: str
    cpu: Part
    memory: Part
    namespaces: Part


def available() -> Availability:
    """What can be had here, found out by making an instance; takes some 50 ms, so ask once."""
    no_quota: SectaxError | None = None
    for cpu in (vcpus(_MEMORY_MB), None):
        try:
            instance = Instance.create("trial", Limits(_MEMORY_MB, cpu), [], tmp_mb=1)
        except SectaxError as error:
            no_quota = no_quota or error
            last = error
            continue
        try:
            version, without = instance.in_force().cgroup, instance.missing.get("memory")
        finally:
            instance.destroy()
        return Availability(version, cpu=_part(no_quota), memory=_part(without), namespaces=Part(True))
    return Availability("none", cpu=_part(no_quota), memory=_part(last), namespaces=_part(last))


def _part(missing: SectaxError | None) -> Part:
    return Part(True) if missing is None else Part(False, missing.message, missing.hint)
