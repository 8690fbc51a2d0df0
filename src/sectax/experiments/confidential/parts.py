"""What must be built for the experiment: its own probe, by a C compiler."""

from __future__ import annotations

from sectax.experiments.confidential import probe
from sectax.parts.programs import Missing
from sectax.parts.registry import Part, family_part

PROBE = "confidential:probe"


def part(name: str) -> Part:
    return family_part("confidential", name, {"probe": _probe})


def _probe() -> Part:
    """It is built when it is looked for."""

    def missing() -> Missing | None:
        return None if probe.built() is not None else Missing(probe.NO_COMPILER, "sectax setup confidential")

    return Part("confidential-probe", "the probe of memory and system calls", missing, optional=True)
