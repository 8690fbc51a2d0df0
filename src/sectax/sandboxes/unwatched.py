"""Telemetry of programs that this machine's kernel does not run, or does not show one by one."""

from __future__ import annotations

from dataclasses import replace

from sectax.sandboxes.process.telemetry import Reading, TelemetryReader

_NOTHING = Reading(None, None, None, None, None, None)


class NoTelemetry:
    """Implements `sectax.sandboxes.hosts.Telemetry` where nothing can be read cheaply: on another machine."""

    def __init__(self, processors: int) -> None:
        self._processors = processors

    def read(self, just_now: bool = False) -> Reading:
        return _NOTHING

    def processors(self) -> int:
        return self._processors

    def close(self) -> None:
        """Nothing was opened."""


class SharedTelemetry:
    """What this machine shares among all its programs (steal), for one that runs behind another program."""

    def __init__(self, inner: TelemetryReader) -> None:
        self._inner = inner

    def read(self, just_now: bool = False) -> Reading:
        return replace(self._inner.read(just_now), cpu_time_ns=None, threads=None, frequency_hz=None)

    def processors(self) -> int:
        return self._inner.processors()

    def close(self) -> None:
        self._inner.close()
