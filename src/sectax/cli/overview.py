"""The installed experiments, probes and published studies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from sectax.experiments import registry
from sectax.model.treatment import Factor
from sectax.parts import probes


@dataclass(frozen=True)
class ExperimentLine:
    """An experiment."""

    name: str
    title: str
    factors: tuple[Factor, ...]
    presets: tuple[str, ...]


class ProbeLine(msgspec.Struct, frozen=True):
    """A probe; `lack` is empty if it can run."""

    name: str
    title: str
    lack: str
    hint: str


@dataclass(frozen=True)
class Overview:
    """The document of `sectax list`."""

    experiments: tuple[ExperimentLine, ...]
    probes: tuple[ProbeLine, ...]
    studies: tuple[str, ...]
    schema: Literal["sectax/list/2"] = "sectax/list/2"


def experiments() -> tuple[ExperimentLine, ...]:
    """The installed experiments; importing all of them takes a quarter of a second."""
    loaded = [registry.load(name) for name in registry.names()]
    return tuple(
        ExperimentLine(experiment.name, experiment.title, experiment.factors, experiment.presets)
        for experiment in loaded
    )


def probe_lines() -> tuple[ProbeLine, ...]:
    """The installed probes, and whether each can run here; this starts their programs."""
    lines = []
    for name in probes.names():
        probe = probes.load(name)
        lack = probes.missing(probe)
        why = (lack.reason, lack.hint) if lack else ("", "")
        lines.append(ProbeLine(name, probe.manifest.title, *why))
    return tuple(lines)
