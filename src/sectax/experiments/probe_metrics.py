"""What probes are compared in: CPU time where they all can tell it, wall time otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sectax.model.metric import Better, Metric, Summary
from sectax.subjects.probe.probe_subject import BATCH_CPU, BATCH_TIME, ProbeSpec
from sectax.subjects.probe.software import has_cpu_clock

CPU_TIME = Metric("cpu_time", "s", Better.LOWER, Summary.MEAN, observed=BATCH_CPU, cpu=True)
THROUGHPUT = Metric("throughput", "operations/s", Better.HIGHER, Summary.RATE, observed=BATCH_TIME)

_CPU_ANSWERS = (
    "the answer is CPU time per operation: the operations neither wait nor do I/O, and CPU time leaves out "
    "what other programs take; operations per second of wall time stand beside it"
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


def probe_metrics(empties: Iterable[ProbeSpec]) -> ProbeMetrics:
    """Ask the probes of a run; one without a CPU clock decides for all, so that all have the same metric.

    Args:
        empties: a subject of every probe, whose operation does nothing.
    """
    without = [spec.name for spec in empties if has_cpu_clock(spec) is False]
    if not without:
        return ProbeMetrics((CPU_TIME, THROUGHPUT), (THROUGHPUT.name,), _CPU_ANSWERS)
    named = f"the probe {without[0]} does" if len(without) == 1 else f"the probes {', '.join(without)} do"
    return ProbeMetrics((THROUGHPUT,), (), _WALL_ANSWERS.format(named))
