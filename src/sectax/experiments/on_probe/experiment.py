"""Base of experiments on probes: subject, software and metrics."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sectax.experiments.interface import Bench
from sectax.experiments.on_probe.subject import BATCH_CPU, BATCH_TIME, ProbeSpec
from sectax.hosts.process.processors import pinned
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.machine import Machine
from sectax.model.metric import Better, Metric, Summary
from sectax.model.subject import Referee, SubjectSpec, Witnesses
from sectax.parts import probes

# A shared machine changes speed within milliseconds, so batches are as short as the clock allows, with room for a few
# operations of half a millisecond: docs/method-notes.md, 'Turns are short'.
BATCH_S = 0.0015
# Enough for a quiet machine; the most that helps on a noisy one.
ROUNDS = (6, 80)

CPU_TIME = Metric("cpu_time", "s", Better.LOWER, Summary.MEAN, observed=BATCH_CPU, cpu=True)
THROUGHPUT = Metric("throughput", "operations/s", Better.HIGHER, Summary.RATE, observed=BATCH_TIME)

_CPU_ANSWERS = (
    "the answer is CPU time per operation: the operations do not wait or do I/O, and CPU time excludes other "
    "programs; operations per second of wall time are shown too"
)
_WALL_ANSWERS = "the answer is operations per second of wall time: {} not report CPU time"


@dataclass(frozen=True)
class ProbeMetrics:
    """The metrics of operations that do not wait or do I/O, the primary one first.

    Attributes:
        beside: names of secondary metrics.
        answered_by: the sentence on which metric answers the question.
    """

    metrics: tuple[Metric, ...]
    beside: tuple[str, ...]
    answered_by: str


def probe_metrics(languages: Iterable[str], machine: Machine) -> ProbeMetrics:
    """Choose the metrics: CPU time if all available probes report it."""
    states = {language: machine.probe(language) for language in languages}
    without = [name for name, state in states.items() if state.lack is None and state.cpu_clock is False]
    if not without:
        return ProbeMetrics((CPU_TIME, THROUGHPUT), (THROUGHPUT.name,), _CPU_ANSWERS)
    named = f"the probe {without[0]} does" if len(without) == 1 else f"the probes {', '.join(without)} do"
    return ProbeMetrics((THROUGHPUT,), (), _WALL_ANSWERS.format(named))


class ProbeBench(Bench):
    """A bench of probes: one per `language`, which is the family."""

    def identity(self) -> dict[str, str]:
        """Return fingerprints of the probes, and versions of their software.

        Probes start on as many processors as in the run, since a JVM chooses its garbage collector by that.
        """
        identity: dict[str, str] = {}
        ours = sorted(os.sched_getaffinity(0))
        with pinned(ours[-1:] if self.plan.one_processor else ours):
            for language in sorted({treatment.levels["language"] for treatment in self.plan.treatments}):
                identity[f"{language}.files"] = probes.load(language).fingerprint()
                identity |= {f"{language}.{name}": text for name, text in software(empty_subject(language)).items()}
        return identity

    def empties(self) -> dict[str, SubjectSpec]:
        return {family: empty_subject(family) for family in sorted({cell.family for cell in self.plan.cells})}


def probe_subject(
    language: str,
    operation: str,
    parameters: Mapping[str, str],
    inputs: Mapping[str, str],
    referee: Referee | None,
) -> ProbeSpec:
    """Return a language's probe with an operation, as in `prepare`."""
    probe = probes.load(language)
    return ProbeSpec(
        name=language,
        argv=probe.command(),
        cwd=str(probe.folder),
        operation=operation,
        parameters=dict(parameters),
        inputs=dict(inputs),
        referee=referee,
        least_warmup_s=probe.manifest.compiles_for_s,
    )


def empty_subject(language: str) -> ProbeSpec:
    """Return the subject whose operation does nothing."""
    return probe_subject(language, "empty", {}, {}, None)


def software(spec: ProbeSpec) -> dict[str, str]:
    """Return versions of probe, runtime, libraries; none if it does not start."""
    return {
        name: str(value)
        for name, value in (_witnesses(spec) or {}).items()
        if name in ("probe", "runtime") or name.startswith("library_")
    }


def ask_probe(spec: ProbeSpec) -> tuple[bool | None, float]:
    """Return whether it has a CPU clock, and its start time; (None, 0) if not."""
    start = time.monotonic()
    witnesses = _witnesses(spec)
    return (None, 0.0) if witnesses is None else ("cpu_clock" in witnesses, time.monotonic() - start)


def _witnesses(spec: ProbeSpec) -> Witnesses | None:
    subject = replace(spec, first=False).subject()
    try:
        return subject.open()
    except (SubjectFailed, SubjectSkipped):
        return None  # the pilot will report it
    finally:
        subject.kill()
