"""What goes wrong in single values that are told in their order: they go somewhere, or lie in modes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Quantity
from sectax.model.finding import Severity
from tests.audit.figures.scenarios import CONTRAST, SIDES, Rng, figure, source
from tests.audit.fixtures import Scenario, register

# Of one mode each, as raw latencies are: most of them skewed.
_SHAPES: tuple[Callable[[Rng, int], np.ndarray], ...] = (
    lambda rng, count: np.exp(rng.normal(0, rng.uniform(0.005, 1.0), count)),
    lambda rng, count: rng.gamma(rng.uniform(1, 20), 1, count),
    lambda rng, count: 1 + rng.gamma(rng.uniform(1, 4), rng.uniform(0.01, 0.5), count),
    lambda rng, count: 1 + rng.uniform(0.01, 0.5) * np.exp(rng.normal(0, rng.uniform(0.2, 1.0), count)),
    lambda rng, count: 1 + rng.uniform(0, rng.uniform(0.02, 1.0), count),
)


def one_mode(rng: Rng, count: int) -> np.ndarray:
    return _SHAPES[int(rng.integers(len(_SHAPES)))](rng, count)


def _source(rng: Rng, sides: list[np.ndarray]) -> Evidence:
    """The sides as times or as rates, around any size."""
    centre = 10 ** rng.uniform(-5, 0)
    rates = bool(rng.random() < 0.3)
    return source(
        [
            figure(
                f"t: {side}",
                float(np.median(centre * values)) ** (-1 if rates else 1),
                quantity=Quantity.RATE if rates else Quantity.TIME,
                levels={"control": side},
                statistic="median",
                trials=len(values),
                values=(1 / (centre * values) if rates else centre * values).tolist(),
            )
            for side, values in zip(SIDES, sides, strict=True)
        ],
        CONTRAST,
    )


def drifting(rng: Rng, broken: bool) -> Evidence:
    """It changes by a quarter to three times from the first to the last."""
    count = int(rng.integers(60, 500))
    made = [np.exp(rng.normal(0, rng.uniform(0.01, 0.15), count)) if broken else one_mode(rng, count) for _ in SIDES]
    if broken:
        made[1] *= np.linspace(1, rng.uniform(1.25, 3.0), count) ** rng.choice([-1.0, 1.0])
    return _source(rng, made)


def wandering(rng: Rng, broken: bool) -> Evidence:
    """Every value leans on the one before."""
    count = int(rng.integers(100, 500))
    if not broken:
        return _source(rng, [one_mode(rng, count) for _ in SIDES])
    made, lean = [], rng.uniform(0.6, 0.8)
    for _ in SIDES:
        walk = rng.normal(size=count)
        for at in range(1, count):
            walk[at] += lean * walk[at - 1]
        made.append(np.exp(0.02 * walk))
    return _source(rng, made)


def _modes(rng: Rng, count: int, share: float, slower: float) -> np.ndarray:
    slow = rng.permutation(count) < round(share * count)
    return np.exp(rng.normal(0, slower / rng.uniform(8, 20), count) + slower * slow)


def two_modes(rng: Rng, broken: bool) -> Evidence:
    count, slower = int(rng.integers(100, 500)), rng.uniform(0.1, 1.5)
    if not broken:
        return _source(rng, [one_mode(rng, count) for _ in SIDES])
    share = rng.uniform(0.2, 0.8)
    return _source(rng, [_modes(rng, count, share, slower) for _ in SIDES])


def unequal_modes(rng: Rng, broken: bool) -> Evidence:
    count, slower = int(rng.integers(100, 500)), rng.uniform(0.1, 1.5)
    if not broken:
        return _source(rng, [one_mode(rng, count) for _ in SIDES])
    return _source(
        rng, [_modes(rng, count, share, slower) for share in (rng.uniform(0.15, 0.3), rng.uniform(0.6, 0.8))]
    )


def rare_and_very_slow(rng: Rng, broken: bool) -> Evidence:
    """One call in a hundred takes a hundred times as long."""
    count = int(rng.integers(300, 1000))
    made = [one_mode(rng, count) for _ in SIDES]
    if broken:
        slowest = rng.permutation(count) < max(3, round(0.01 * count))
        made[1] = np.exp(rng.normal(0, 0.05, count)) * np.where(slowest, rng.uniform(70, 200), 1.0)
    return _source(rng, made)


register(
    Scenario("drift", "values go somewhere", drifting, Severity.WARNING),
    Scenario("drift", "neighbouring values alike", wandering, Severity.WARNING),
    Scenario("modes", "values in two modes", two_modes, Severity.WARNING),
    Scenario("modes", "medians of unequal modes", unequal_modes),
    Scenario("modes", "few values hold the time", rare_and_very_slow, Severity.WARNING),
)
