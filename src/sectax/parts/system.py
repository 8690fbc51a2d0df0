"""Programs from the system's packages as parts: `system:runc`."""

from __future__ import annotations

from sectax.parts.programs import Requirement, missing_program
from sectax.parts.registry import Part

# Program -> Debian's packages, if named differently.
_PACKAGES = {"cc": ("gcc", "libc6-dev")}


def part(program: str) -> Part:
    packages = _PACKAGES.get(program, (program,))
    wanted = Requirement(program=program, apt=[*packages], hint=f"apt-get install {' '.join(packages)}")
    return Part(f"system-{program}", program, lambda: missing_program(wanted), optional=True)
