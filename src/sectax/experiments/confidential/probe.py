"""The probe (probe.c): build, and strict parser of its output."""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path

from sectax.experiments.confidential.output import SysbenchResult, UnknownOutput
from sectax.parts import c_programs

SOURCE = Path(__file__).with_name("probe.c")
GRANULARITY_S = 1e-9  # it prints nanoseconds
NO_COMPILER = "building the probe needs a C compiler here"

_NANO = 1e-9
_TEST = re.compile(r"sectax-probe 1 ([a-z-]{1,40}) (\d{1,15}) (\d{1,18}) (\d{1,18})")
_RUN = re.compile(r"sectax-run 1 (\d{1,18}) (\d{1,18}|-)")
_LEAF = re.compile(r"([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8})")


@functools.cache
def built() -> Path | None:
    """The probe as a static program, built if necessary, or None."""
    program = c_programs.built(SOURCE, "probes", links=(c_programs.STATIC,))
    return None if program is None else program[0]


@functools.cache
def version() -> str:
    return f"sectax-probe 1 {hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]}"


def read_test(text: str, name: str, count: int) -> SysbenchResult:
    """Parse the output of one test. Raises `UnknownOutput`."""
    tests = [test for line in text.splitlines() if (test := _TEST.fullmatch(line))]
    if len(tests) != 1:
        raise UnknownOutput(f"its result was printed {len(tests)} times, not once")
    named, done, elapsed_ns, cpu_ns = tests[0].groups()
    if named != name or int(done) != count:
        raise UnknownOutput(f"it did {done} operations of {named} instead of {count} of {name}")
    return SysbenchResult(int(elapsed_ns) * _NANO, int(cpu_ns) * _NANO)


def read_run(text: str) -> tuple[str, float, float | None]:
    """Output, CPU and steal seconds of a program. Raises `UnknownOutput`."""
    output, _, last = text.rstrip("\n").rpartition("\n")
    match = _RUN.fullmatch(last)
    if match is None:
        raise UnknownOutput("its CPU time is missing: the probe was killed")
    return output, int(match[1]) * _NANO, None if match[2] == "-" else int(match[2]) * _NANO


def read_cpuid(text: str) -> dict[int, tuple[int, int, int, int]]:
    """Leaves of CPUID as EAX, EBX, ECX, EDX; other lines are ignored."""
    leaves: dict[int, tuple[int, int, int, int]] = {}
    for line in text.splitlines():
        match = _LEAF.fullmatch(line)
        if match is not None:
            leaf, *registers = (int(digits, 16) for digits in match.groups())
            leaves[leaf] = (registers[0], registers[1], registers[2], registers[3])
    return leaves
