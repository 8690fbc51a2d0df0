"""What the logs of one arm's blocks may look like: the machines of `guard` and `skew`, all with the mean zero."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from benchmarks.simulations.scenarios import Array

# How an arm varies where nothing is said of it.
QUIET = 0.0015

Shape = tuple[int, int]
Draw = Callable[[Generator, Shape], Array]


def exponential(scale: float) -> Draw:
    return lambda rng, shape: rng.exponential(scale, shape) - scale


def lognormal(scale: float) -> Draw:
    """With sigma 1, which is long in the tail."""
    return lambda rng, shape: scale * (rng.lognormal(0.0, 1.0, shape) - float(np.exp(0.5)))


def pareto(scale: float) -> Draw:
    """Of the shape 2.5."""
    return lambda rng, shape: scale * (rng.pareto(2.5, shape) - 1 / 1.5)


def modes(share: float, step: float) -> Draw:
    """A share of the blocks is a step slower than the others."""
    return lambda rng, shape: step * ((rng.random(shape) < share) - share)


def autoregressive(phi: float, deviation: float = 0.02) -> Draw:
    def draw(rng: Generator, shape: Shape) -> Array:
        steps = rng.normal(0.0, deviation * np.sqrt(1 - phi**2), shape)
        along = np.empty(shape)
        along[:, 0] = rng.normal(0.0, deviation, shape[0])
        for block in range(1, shape[1]):
            along[:, block] = phi * along[:, block - 1] + steps[:, block]
        return along

    return draw
