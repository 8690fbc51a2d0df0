"""Whether something else keeps this machine busy: then figures take longer and are less sure."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sectax.sandboxes.process.host import host_circumstances, host_identity

# A load above this share of the processors competes with what is measured.
_BUSY = 0.5
# Less than this cannot be told from chance.
SLOWED = 1.15


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


def slowdown(at_most_s: float = 0.2) -> float:
    """How many times longer work takes now than the processor time that it gets: 1 where nothing else runs.

    Works for so long by the clock.
    """
    began, worked = time.monotonic(), time.thread_time()
    while (passed := time.monotonic() - began) < at_most_s:
        pass
    return max(1.0, passed / max(time.thread_time() - worked, 1e-3))


def machine_load() -> MachineLoad:
    """As it is now."""
    return MachineLoad(float(host_circumstances()["host.load"].split()[0]), int(host_identity()["host.cpus"]))
