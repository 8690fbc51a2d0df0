"""Experiments by name, from the entry point group `sectax.experiments`."""

from __future__ import annotations

from importlib.metadata import entry_points

from sectax.experiments.interface import Experiment
from sectax.model.errors import WrongUse
from sectax.text.near import did_you_mean

GROUP = "sectax.experiments"


def names() -> tuple[str, ...]:
    """Return the names of all installed experiments."""
    return tuple(sorted(entry_points(group=GROUP).names))


def load(name: str) -> Experiment:
    """Load an experiment. Raises `WrongUse` for an unknown name."""
    points = entry_points(group=GROUP, name=name)
    if not points:
        raise WrongUse(f"there is no experiment {name!r}", did_you_mean(name, names()))
    experiment: Experiment = next(iter(points)).load()
    return experiment
