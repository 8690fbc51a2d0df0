"""Says what of the sandbox is available here, by trying it."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.model.errors import SectaxError
from sectax.model.why_not import WhyNot
from sectax.sandboxes.instance.instance import Instance
from sectax.sandboxes.instance.limits import Limits, vcpus

# The smallest function there is: what the kernel takes for it, it takes for all.
_MEMORY_MB = 128


@dataclass(frozen=True)
class Availability:
    """What of the sandbox is available here: for each ability why it is not, or None where it is.

    Attributes:
        cgroup: "v1", "v2" or "none".
        namespaces: everything but the other two, which are not tried without them.
        memory: memory limits.
        cpu: CPU quotas.
    """

    cgroup: str
    namespaces: WhyNot | None = None
    memory: WhyNot | None = None
    cpu: WhyNot | None = None

    def why_not(self, *, cpu_quota: bool = True) -> WhyNot | None:
        """The first reason why there are no instances with memory limits (and, if wanted, CPU quotas) here."""
        return self.namespaces or self.memory or (self.cpu if cpu_quota else None)


def available() -> Availability:
    """What is available here, found out by making an instance; takes some 50 ms, so ask once."""
    no_quota: WhyNot | None = None
    for cpu in (vcpus(_MEMORY_MB), None):
        try:
            instance = Instance.create("trial", Limits(_MEMORY_MB, cpu), [], tmp_mb=1)
        except SectaxError as error:
            last = error.why_not
            no_quota = no_quota or last
            continue
        try:
            version, without = instance.in_force().cgroup, instance.missing.get("memory")
        finally:
            instance.destroy()
        return Availability(version, memory=without.why_not if without is not None else None, cpu=no_quota)
    return Availability("none", last, last, no_quota)
