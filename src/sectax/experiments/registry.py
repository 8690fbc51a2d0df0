"""Finds experiments by name: those of the entry point group `sectax.experiments`, ours and others' alike."""

from __future__ import annotations

from importlib.metadata import entry_points

from sectax.experiments.interface import Experiment
from sectax.model.errors import WrongUse
from sectax.text.near import did_you_mean

GROUP = "sectax.experiments"


def names() -> tuple[str, ...]:
    """The names of all experiments that are installed."""
    return tuple(sorted(entry_points(group=GROUP).names))


def load(name: str) -> Experiment:
    """The experiment of this name. Raises `WrongUse` where there is none."""
    points = entry_points(group=GROUP, name=name)
    if not points:
        raise WrongUse(f"there is no experiment {name!r}", did_you_mean(name, names()))
    experiment: Experiment = next(iter(points)).load()
    return experiment
