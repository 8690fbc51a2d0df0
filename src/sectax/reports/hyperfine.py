"""Timed commands in the JSON of hyperfine 2 (schema 2), for programs that read it.

Source: https://github.com/sharkdp/hyperfine, src/export/json.rs of version 2.0.0.
"""

from __future__ import annotations

import shlex
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

WALL, CPU, USER, SYSTEM, MEMORY = ("time_wall_clock", "time_cpu", "time_user", "time_system", "memory_peak_resident")
# In the order of hyperfine's measurements; its summary is sorted by name.
_UNITS = {WALL: "second", CPU: "second", USER: "second", SYSTEM: "second", MEMORY: "byte"}


@dataclass(frozen=True)
class TimedCommand:
    """One command with its counted measurements.

    Attributes:
        command: the command line, with the values of scans filled in.
        name: the user's name for it; may be empty. With an environment, it is then that and the command.
        measurements: one mapping of metric to seconds or bytes for each batch.
        exit_code: the exit code of all executions; None if they differ.
        parameters: the values of scans.
        environment: the variables that were set.
    """

    command: str
    name: str
    measurements: tuple[Mapping[str, float], ...]
    exit_code: int | None
    parameters: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Origin:
    """The version of sectax, start of the run (UTC) and machine; empty if unknown."""

    version: str
    started: str = ""
    architecture: str = ""


def to_json(commands: Sequence[TimedCommand], origin: Origin) -> str:
    """The document of `hyperfine --export-json`, with the version of sectax."""
    document = {
        "schema_version": 2,
        "metadata": {
            "sectax_version": origin.version,
            **({"start_time": origin.started} if origin.started else {}),
            "platform": {"os": "Linux", **({"architecture": origin.architecture} if origin.architecture else {})},
        },
        "primary_metric": WALL,
        "results": [dict(_result(timed)) for timed in commands],
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _result(timed: TimedCommand) -> Iterator[tuple[str, object]]:
    """The members of one result; like hyperfine, without an empty name, environment or parameters."""
    yield "command", timed.command
    assigned = [f"{name}={shlex.quote(value)}" for name, value in timed.environment.items()]
    if timed.name or assigned:
        yield "name", timed.name or " ".join((*assigned, timed.command))
    yield "measurements", [_measurement(values) | {"exit_code": timed.exit_code} for values in timed.measurements]
    if timed.parameters:
        yield "parameters", {name: {"value": value} for name, value in sorted(timed.parameters.items())}
    if timed.environment:
        yield "environment", dict(sorted(timed.environment.items()))
    complete = set(_UNITS).intersection(*timed.measurements) if timed.measurements else ()
    yield "summary", {metric: _summary(metric, timed) for metric in sorted(complete)}


def _measurement(values: Mapping[str, float]) -> dict[str, object]:
    return {metric: {"value": values[metric], "unit": unit} for metric, unit in _UNITS.items() if metric in values}


def _summary(metric: str, timed: TimedCommand) -> dict[str, object]:
    values = [measured[metric] for measured in timed.measurements]
    return {
        "unit": _UNITS[metric],
        "count": len(values),
        "mean": statistics.fmean(values),
        "stddev": statistics.stdev(values) if len(values) > 1 else None,
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
    }
