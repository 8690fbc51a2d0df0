"""Programs that only the system's packages have, as parts: `system:runc`."""

from __future__ import annotations

from sectax.parts.programs import Requirement, missing_program
from sectax.parts.registry import Part

# A program of the system -> Debian's packages that it takes, where they have other names.
_PACKAGES = {"cc": ("gcc", "libc6-dev")}


def part(program: str) -> Part:
    """A program, from the package of its own name where `_PACKAGES` names no others."""
    packages = _PACKAGES.get(program, (program,))
    wanted = Requirement(program=program, apt=[*packages], hint=f"apt-get install {' '.join(packages)}")
    return Part(f"system-{program}", program, lambda: missing_program(wanted), optional=True)
