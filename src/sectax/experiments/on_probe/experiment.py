"""What experiments on probes share: the subject that a probe is, its software, and the metrics of its operations."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sectax.experiments.interface import Bench
from sectax.experiments.on_probe.subject import BATCH_CPU, BATCH_TIME, ProbeSpec
from sectax.hosts.process.processors import among
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.machine import Machine
from sectax.model.metric import Better, Metric, Summary
from sectax.model.subject import Referee, SubjectSpec, Witnesses
from sectax.parts import probes

# A machine that shares its cores changes speed within milliseconds, so turns are as short as the clock allows with room
# for a few operations of half a millisecond: docs/method-notes.md, 'Turns are short'.
BATCH_S = 0.0015
# What a quiet machine needs, and what a noisy one gains by.
ROUNDS = (6, 80)

CPU_TIME = Metric("cpu_time", "s", Better.LOWER, Summary.MEAN, observed=BATCH_CPU, cpu=True)
THROUGHPUT = Metric("throughput", "operations/s", Better.HIGHER, Summary.RATE, observed=BATCH_TIME)

_CPU_ANSWERS = (
    "the answer is CPU time per operation: the operations neither wait nor do I/O, and CPU time leaves out "
    "what other programs take; operations per second of wall time are shown beside it"
)
_WALL_ANSWERS = "the answer is operations per second of wall time: {} not report CPU time"


@dataclass(frozen=True)
class ProbeMetrics:
    """The metrics of operations that neither wait nor do I/O, the one that answers the question first.

    Attributes:
        beside: names of those that are shown with it.
        answered_by: which one answers the question, and why.
    """

    metrics: tuple[Metric, ...]
    beside: tuple[str, ...]
    answered_by: str


def probe_metrics(languages: Iterable[str], machine: Machine) -> ProbeMetrics:
    """The metrics of a run on these probes: one without a CPU clock decides for all, so that all have the same metric.

    A probe that cannot run there, or could not be asked, does not decide.
    """
    states = {language: machine.probe(language) for language in languages}
    without = [name for name, state in states.items() if state.lack is None and state.cpu_clock is False]
    if not without:
        return ProbeMetrics((CPU_TIME, THROUGHPUT), (THROUGHPUT.name,), _CPU_ANSWERS)
    named = f"the probe {without[0]} does" if len(without) == 1 else f"the probes {', '.join(without)} do"
    return ProbeMetrics((THROUGHPUT,), (), _WALL_ANSWERS.format(named))


class ProbeBench(Bench):
    """Subjects are probes, one for each level of the factor `language`, which names the families of cells too."""

    def identity(self) -> dict[str, str]:
        """The probes that the plan uses: fingerprints of their files, versions of their runtimes and libraries.

        They are asked on as many processors as they will have: a JVM chooses its garbage collector by that.
        """
        identity: dict[str, str] = {}
        ours = sorted(os.sched_getaffinity(0))
        with among(ours[-1:] if self.plan.one_processor else ours):
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
    """The probe of a language with an operation made ready, as in the protocol's `prepare`."""
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
    """The subject whose operation does nothing."""
    return probe_subject(language, "empty", {}, {}, None)


def software(spec: ProbeSpec) -> dict[str, str]:
    """`probe`, `runtime` and every `library_…` with its version; nothing where the probe does not start."""
    return {
        name: str(value)
        for name, value in (_witnesses(spec) or {}).items()
        if name in ("probe", "runtime") or name.startswith("library_")
    }


def ask_probe(spec: ProbeSpec) -> tuple[bool | None, float]:
    """Whether the probe names a CPU clock, and the seconds until it answers; None and 0 where it cannot be asked."""
    began = time.monotonic()
    witnesses = _witnesses(spec)
    return (None, 0.0) if witnesses is None else ("cpu_clock" in witnesses, time.monotonic() - began)


def _witnesses(spec: ProbeSpec) -> Witnesses | None:
    subject = replace(spec, first=False).subject()
    try:
        return subject.open()
    except (SubjectFailed, SubjectSkipped):
        return None  # the pilot meets the same, and says so
    finally:
        subject.kill()
