"""What a probe says it consists of: its runtime and libraries, which may not change within a run."""

from __future__ import annotations

from dataclasses import replace

from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.subjects.probe.probe_subject import ProbeSpec


def software(spec: ProbeSpec) -> dict[str, str]:
    """`probe`, `runtime` and every `library_…` with its version; nothing where the probe does not start."""
    subject = replace(spec, first=False).subject()
    try:
        witnesses = subject.open()
    except (SubjectFailed, SubjectSkipped):
        return {}  # the pilot meets the same, and says so
    finally:
        subject.kill()
    return {
        name: str(value)
        for name, value in witnesses.items()
        if name in ("probe", "runtime") or name.startswith("library_")
    }


def has_cpu_clock(spec: ProbeSpec) -> bool | None:
    """Whether the probe names a CPU clock; None for one that cannot be asked, which the pilot will meet too."""
    subject = replace(spec, first=False).subject()
    try:
        return "cpu_clock" in subject.open()
    except (SubjectFailed, SubjectSkipped):
        return None
    finally:
        subject.kill()
