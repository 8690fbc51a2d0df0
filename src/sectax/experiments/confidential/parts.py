"""The part to build: the probe in C."""

from __future__ import annotations

from sectax.experiments.confidential import probe
from sectax.parts.programs import Missing
from sectax.parts.registry import Part, family_part

PROBE = "confidential:probe"


def part(name: str) -> Part:
    return family_part("confidential", name, {"probe": _probe})


def _probe() -> Part:
    def missing() -> Missing | None:  # builds it
        return None if probe.built() is not None else Missing(probe.NO_COMPILER, "sectax setup confidential")

    return Part("confidential-probe", "the probe of memory and system calls", missing, optional=True)
