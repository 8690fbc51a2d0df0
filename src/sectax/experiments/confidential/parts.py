"""What must be built for the experiment: its own probe, by a C compiler."""

from __future__ import annotations

from sectax.experiments.confidential import probe
from sectax.model.errors import WrongUse
from sectax.parts.programs import Missing
from sectax.parts.registry import Part

PROBE = "confidential:probe"


def part(name: str) -> Part:
    """`confidential:probe`, which is built when it is looked for."""
    if name != "probe":
        raise WrongUse(f"there is no part 'confidential:{name}'", f"there is {PROBE}")
    return Part("confidential-probe", "the probe of memory and system calls", _missing, optional=True)


def _missing() -> Missing | None:
    return None if probe.built() is not None else Missing(probe.NO_COMPILER, "sectax setup confidential")
