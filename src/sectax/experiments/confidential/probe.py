"""Our own probe (probe.c): built here, and a strict reader of what it prints."""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path

from sectax.experiments.confidential.output import SysbenchResult, UnknownOutput
from sectax.parts import c_programs

SOURCE = Path(__file__).with_name("probe.c")
# Of the probe's clock: it prints whole nanoseconds.
GRANULARITY_S = 1e-9
NO_COMPILER = "there is no C compiler here to build the probe with"

_NANO = 1e-9
_TEST = re.compile(r"sectax-probe 1 ([a-z-]{1,40}) (\d{1,15}) (\d{1,18}) (\d{1,18})")
_RUN = re.compile(r"sectax-run 1 (\d{1,18}) (\d{1,18}|-)")
_LEAF = re.compile(r"([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8})")


@functools.cache
def built() -> Path | None:
    """The probe as a static program; None where it cannot be built here."""
    program = c_programs.built(SOURCE, "probes", links=(c_programs.STATIC,))
    return None if program is None else program[0]


@functools.cache
def version() -> str:
    """What tells it from the probe of another sectax."""
    return f"sectax-probe 1 {hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]}"


def read_test(text: str, name: str, count: int) -> SysbenchResult:
    """What one test of the probe printed.

    Raises:
        UnknownOutput: it is not the result of so many operations of this test.
    """
    tests = [test for line in text.splitlines() if (test := _TEST.fullmatch(line))]
    if len(tests) != 1:
        raise UnknownOutput(f"its result stands there {len(tests)} times, not once")
    named, done, elapsed_ns, cpu_ns = tests[0].groups()
    if named != name or int(done) != count:
        raise UnknownOutput(f"it answered with {done} operations of {named}, and was asked for {count} of {name}")
    return SysbenchResult(int(elapsed_ns) * _NANO, int(cpu_ns) * _NANO)


def read_run(text: str) -> tuple[str, float, float | None]:
    """What a program printed that ran under the probe, and what the probe says of it.

    Returns:
        its output; the seconds of CPU time that it used; the seconds in which the hypervisor ran somebody else, None
        where the kernel does not say.
    Raises:
        UnknownOutput: the probe says nothing of it.
    """
    output, _, last = text.rstrip("\n").rpartition("\n")
    match = _RUN.fullmatch(last)
    if match is None:
        raise UnknownOutput("what it used is not said: its probe was ended")
    return output, int(match[1]) * _NANO, None if match[2] == "-" else int(match[2]) * _NANO


def read_cpuid(text: str) -> dict[int, tuple[int, int, int, int]]:
    """Leaves of CPUID, each as EAX, EBX, ECX, EDX; other lines are left out."""
    leaves: dict[int, tuple[int, int, int, int]] = {}
    for line in text.splitlines():
        match = _LEAF.fullmatch(line)
        if match is not None:
            leaf, *registers = (int(digits, 16) for digits in match.groups())
            leaves[leaf] = (registers[0], registers[1], registers[2], registers[3])
    return leaves
