"""Comparison of the times that a probe reports with sectax's own clock."""

from __future__ import annotations

# Both clocks follow the same kernel clock; only rounding differs.
_TOLERANCE = 1.01
_TOLERANCE_S = 20e-6
# The CPU clock is read outside the wall clock's readings, so its first, cold reading counts as CPU time.
_CPU_TOLERANCE_S = 100e-6
# Steal time between the readings of both clocks stays in the CPU clock, so one batch may have a few milliseconds too
# many. A wrong clock is also wrong in the sum, or by far.
_FAR_ABOVE = 10
# Shorter sums are not judged, since a delay can distort one short batch. On a busy machine delays are longer, so CPU
# time counted by the kernel is judged if available.
_JUDGED_AFTER_S = 0.25
_SHORTEST_JUDGED_S = 1e-3
# Microseconds reported as nanoseconds are a factor of 1000; the overhead of a request is always below 50.
_FAR_BELOW = 50


class ClockWatch:
    """Detects probes that report times in a wrong unit or by a wrong clock."""

    def __init__(self) -> None:
        self._reported_s = 0.0
        self._timed_s = 0.0

    def complaint(
        self, reported_s: float, wall_s: float, timed_share: float = 1.0, process_s: float | None = None
    ) -> str | None:
        """Add a measurement; return what is implausible in all, or None.

        Args:
            reported_s: time of the timed operations by the probe's clock.
            wall_s: time of the whole exchange by sectax's clock.
            timed_share: share of timed operations (the others settled).
            process_s: CPU time of the exchange by the kernel's count; None if unknown.
        """
        if reported_s > wall_s * _TOLERANCE + _TOLERANCE_S:
            return f"it reported {reported_s:.4g} s, sectax's clock counted {wall_s:.4g} s"
        at_work_s = wall_s if process_s is None else min(wall_s, process_s)
        if at_work_s >= _SHORTEST_JUDGED_S:
            self._reported_s += reported_s / timed_share
            self._timed_s += at_work_s
        if self._timed_s >= _JUDGED_AFTER_S and self._reported_s * _FAR_BELOW < self._timed_s:
            return (
                f"it reported {self._reported_s:.3g} s, sectax's clock counted {self._timed_s:.3g} s: "
                "is its clock in nanoseconds?"
            )
        return None


class CpuWatch:
    """Detects CPU times that the processors or the kernel contradict."""

    def __init__(self, granularity_s: float, processors: int) -> None:
        """Args: the CPU clock's step; the processors that the probe may use."""
        self._slack_s = granularity_s + _CPU_TOLERANCE_S
        self._processors = processors
        self._reported_s = 0.0
        self._process_s = 0.0
        self._cpu_s = 0.0
        self._most_s = 0.0

    def complaint(
        self, cpu_s: float, elapsed_s: float, timed_share: float = 1.0, process_s: float | None = None
    ) -> str | None:
        """Add one batch and return what is implausible in all of them so far, or None.

        Args:
            cpu_s, elapsed_s: CPU and wall time of the timed operations, by the probe.
            timed_share, process_s: as in `ClockWatch.complaint`.
        """
        most_s = elapsed_s * _TOLERANCE * self._processors + self._slack_s
        self._cpu_s += cpu_s
        self._most_s += most_s
        far_above = cpu_s > most_s * _FAR_ABOVE
        if far_above or (self._cpu_s >= _JUDGED_AFTER_S and self._cpu_s > self._most_s):
            reported_s, possible_s = (cpu_s, most_s) if far_above else (self._cpu_s, self._most_s)
            return f"it reported {reported_s:.4g} s of CPU time; at most {possible_s:.4g} s are possible"
        if process_s is not None:
            self._reported_s += cpu_s / timed_share
            self._process_s += process_s
        if self._process_s >= _JUDGED_AFTER_S and self._reported_s * _FAR_BELOW < self._process_s:
            return (
                f"it reported {self._reported_s:.3g} s of CPU time, the kernel counted {self._process_s:.3g} s: "
                "is its CPU clock in nanoseconds, and of its own process?"
            )
        return None
