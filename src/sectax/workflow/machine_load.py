"""Whether something else keeps this machine busy: then figures take longer and are less sure."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.sandboxes.process.host import host_circumstances, host_identity

# A load above this share of the processors competes with what is measured.
_BUSY = 0.5


@dataclass(frozen=True)
class MachineLoad:
    """The load average of the last minute, and the processors that sectax may use."""

    load: float
    cpus: int

    @property
    def busy(self) -> bool:
        """Whether it competes with what is measured."""
        return self.load > _BUSY * self.cpus

    def __str__(self) -> str:
        return f"{self.load:.2f} on {self.cpus} processors"


def machine_load() -> MachineLoad:
    """As it is now."""
    return MachineLoad(float(host_circumstances()["host.load"].split()[0]), int(host_identity()["host.cpus"]))
