"""What there is: experiments, probes, published studies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sectax import published
from sectax.experiments import registry
from sectax.model.treatment import Factor
from sectax.toolchain import probes


@dataclass(frozen=True)
class ExperimentLine:
    """An experiment that can be run."""

    name: str
    title: str
    factors: tuple[Factor, ...]
    presets: tuple[str, ...]


@dataclass(frozen=True)
class ProbeLine:
    """A probe; `lack` is empty where it can run."""

    name: str
    title: str
    lack: str
    mend: str


@dataclass(frozen=True)
class Overview:
    """Everything that is installed; as JSON it is the document of `sectax list`."""

    experiments: tuple[ExperimentLine, ...]
    probes: tuple[ProbeLine, ...]
    studies: tuple[str, ...]
    schema: Literal["sectax/list/1"] = "sectax/list/1"


def overview() -> Overview:
    """Everything that is installed, and whether it can run here."""
    loaded = [registry.load(name) for name in registry.names()]
    return Overview(
        tuple(ExperimentLine(one.name, one.title, one.factors, one.presets) for one in loaded),
        tuple(probe_line(name) for name in probes.names()),
        tuple(published.ids()),
    )


def probe_line(name: str) -> ProbeLine:
    probe = probes.load(name)
    lack = probes.missing(probe)
    return ProbeLine(
        name, probe.manifest.title, lack.reason if lack is not None else "", lack.hint if lack is not None else ""
    )
