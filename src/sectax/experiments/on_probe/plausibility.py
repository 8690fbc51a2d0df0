"""Holds the times that a probe reports against sectax's own clock."""

from __future__ import annotations

# Both clocks are steered by the same kernel; what is left is rounding.
_TOLERANCE = 1.01
_TOLERANCE_S = 20e-6
# The CPU clock is read outside of the wall clock's readings: what its first reading costs, cold, counts as CPU time.
_CPU_TOLERANCE_S = 100e-6
# A hypervisor that takes the processor away between the readings of both clocks leaves that time in the CPU clock.
# One batch with a few milliseconds too many is such an accident; a wrong clock is wrong in the sum too, or by far.
_FAR_ABOVE = 10
# Below so much nothing is judged, since a hiccup can make one short batch look late. A busy machine can hold a process
# back for longer, so that what the kernel counts as its CPU time is judged instead of time that passes.
_JUDGED_AFTER_S = 0.25
_SHORTEST_JUDGED_S = 1e-3
# Microseconds reported as nanoseconds are a factor of 1000; reading a request and writing a reply never are 50.
_FAR_BELOW = 50


class ClockWatch:
    """Notices a probe whose times cannot be seconds as sectax counts them: a wrong unit, a wrong clock."""

    def __init__(self) -> None:
        self._reported_s = 0.0
        self._timed_s = 0.0

    def complaint(
        self, reported_s: float, wall_s: float, timed_share: float = 1.0, process_s: float | None = None
    ) -> str | None:
        """Take in one measurement; what is wrong with what the probe has reported, None where nothing is.

        Args:
            reported_s: what the probe says its timed operations took.
            wall_s: the whole exchange, seen from outside.
            timed_share: timed operations among all that were run (the rest settled).
            process_s: the CPU time of the whole exchange as the kernel counts it; None where it cannot be read.
        """
        if reported_s > wall_s * _TOLERANCE + _TOLERANCE_S:
            return f"it reported {reported_s:.4g} s for what took {wall_s:.4g} s by sectax's clock"
        at_work_s = wall_s if process_s is None else min(wall_s, process_s)
        if at_work_s >= _SHORTEST_JUDGED_S:
            self._reported_s += reported_s / timed_share
            self._timed_s += at_work_s
        if self._timed_s >= _JUDGED_AFTER_S and self._reported_s * _FAR_BELOW < self._timed_s:
            return (
                f"its operations took {self._timed_s:.3g} s by sectax's clock, it reported {self._reported_s:.3g} s: "
                "is its clock in nanoseconds?"
            )
        return None


class CpuWatch:
    """Notices CPU times that cannot be: above what the processors have to give, or next to nothing for real work."""

    def __init__(self, granularity_s: float, processors: int) -> None:
        """Args: the step of the CPU clock, and how many processors the probe may use."""
        self._slack_s = granularity_s + _CPU_TOLERANCE_S
        self._processors = processors
        self._reported_s = 0.0
        self._process_s = 0.0
        self._cpu_s = 0.0
        self._most_s = 0.0

    def complaint(
        self, cpu_s: float, elapsed_s: float, timed_share: float = 1.0, process_s: float | None = None
    ) -> str | None:
        """Take in one batch; what is wrong with the CPU time that was reported, None where nothing is.

        Args:
            cpu_s, elapsed_s: what the probe says of its timed operations.
            timed_share: timed operations among all that were run (the rest settled).
            process_s: the CPU time of the whole exchange as the kernel counts it; None where it cannot be read.
        """
        most_s = elapsed_s * _TOLERANCE * self._processors + self._slack_s
        self._cpu_s += cpu_s
        self._most_s += most_s
        far_above = cpu_s > most_s * _FAR_ABOVE
        if far_above or (self._cpu_s >= _JUDGED_AFTER_S and self._cpu_s > self._most_s):
            reported_s, possible_s = (cpu_s, most_s) if far_above else (self._cpu_s, self._most_s)
            return f"it reported {reported_s:.4g} s of CPU time where at most {possible_s:.4g} s are possible"
        if process_s is not None:
            self._reported_s += cpu_s / timed_share
            self._process_s += process_s
        if self._process_s >= _JUDGED_AFTER_S and self._reported_s * _FAR_BELOW < self._process_s:
            return (
                f"the kernel counted {self._process_s:.3g} s of CPU time, it reported {self._reported_s:.3g} s: "
                "is its CPU clock in nanoseconds, and that of its own process?"
            )
        return None
