"""What a machine may do to batch times: `log y = treatment + process + time + noise`, and a clock.

Every scenario gives raw batch times of three arms: the baseline, a treatment, and the negative control. The process
part is drawn once for each block and arm, the time part is shared by neighbours, and the arms take turns in random
order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]
BASELINE, TREATMENT, NEGATIVE = range(3)
ARMS = 3
BATCH_S = 0.02

Processes = Callable[[Generator, tuple[int, int, int]], Array]  # (runs, blocks, arms) -> log
Times = Callable[[Generator, tuple[int, int]], Array]  # (runs, visits) -> log, along the run
Noise = Callable[[Generator, tuple[int, int, int, int]], Array]  # (runs, blocks, rounds, arms) -> log


@dataclass(frozen=True)
class Scenario:
    """One kind of machine and subject.

    Attributes:
        symmetric: whether d_j is symmetric around the true effect, so that the promise of the sequence holds.
        clock_s: step of the clock, 0 where it is fine.
    """

    name: str
    processes: Processes
    noise: Noise
    times: Times | None = None
    symmetric: bool = True
    clock_s: float = 0.0


def batch_times(scenario: Scenario, rng: Generator, *, runs: int, blocks: int, rounds: int, effect: float) -> Array:
    """Seconds of every batch, shape (runs, blocks, rounds, arms); the treatment costs `effect` more, in logs."""
    shape = (runs, blocks, rounds, ARMS)
    logs = scenario.noise(rng, shape)
    logs += scenario.processes(rng, (runs, blocks, ARMS))[:, :, None, :]
    if scenario.times is not None:
        along = scenario.times(rng, (runs, blocks * rounds * ARMS)).reshape(shape)
        turn = np.argsort(rng.random(shape), axis=3)  # the place of each arm in its round
        logs += np.take_along_axis(along, turn, axis=3)
    logs[..., TREATMENT] += effect
    seconds = BATCH_S * np.exp(logs)
    if scenario.clock_s > 0:
        # A batch begins anywhere between two ticks.
        seconds = scenario.clock_s * np.floor(seconds / scenario.clock_s + rng.random(shape))
        seconds = np.maximum(seconds, scenario.clock_s)
    return seconds


def normal(deviation: float) -> Processes:
    return lambda rng, shape: rng.normal(0.0, deviation, shape)


def noise(deviation: float) -> Noise:
    return lambda rng, shape: rng.normal(0.0, deviation, shape)


def modes(share: float, step: float, arms: tuple[int, ...] = (0, 1, 2)) -> Processes:
    """A `share` of the processes of these arms is slower by `step`; the mean in logs stays zero."""

    def draw(rng: Generator, shape: tuple[int, int, int]) -> Array:
        logs = rng.normal(0.0, 0.001, shape)
        for arm in arms:
            logs[..., arm] += step * ((rng.random(shape[:2]) < share) - share)
        return logs

    return draw


def pareto_processes(shape_parameter: float, scale: float) -> Processes:
    return lambda rng, shape: np.log1p(scale * rng.pareto(shape_parameter, shape))


def unequal(deviations: tuple[float, float, float]) -> Processes:
    return lambda rng, shape: rng.normal(0.0, 1.0, shape) * np.array(deviations)


def skewed_treatment(draw: Callable[[Generator, tuple[int, int]], Array], mean: float) -> Processes:
    """Only the treatment's processes differ, and all to one side; the mean in logs stays zero."""

    def processes(rng: Generator, shape: tuple[int, int, int]) -> Array:
        logs = rng.normal(0.0, 0.001, shape)
        logs[..., TREATMENT] += draw(rng, shape[:2]) - mean
        return logs

    return processes


def autoregressive(phi: float, deviation: float) -> Times:
    def draw(rng: Generator, shape: tuple[int, int]) -> Array:
        steps = rng.normal(0.0, deviation * np.sqrt(1 - phi**2), (shape[1], shape[0]))
        along = np.empty_like(steps)
        now = rng.normal(0.0, deviation, shape[0])
        for visit in range(shape[1]):
            now = phi * now + steps[visit]
            along[visit] = now
        return along.T

    return draw


def drift(per_visit: float) -> Times:
    return lambda rng, shape: np.broadcast_to(np.arange(shape[1]) * per_visit, shape)


def spikes(share: float, size: float) -> Noise:
    def draw(rng: Generator, shape: tuple[int, int, int, int]) -> Array:
        hit = rng.random(shape) < share
        return rng.normal(0.0, 0.01, shape) + hit * np.log1p(rng.exponential(size, shape))

    return draw


def pareto_noise(shape_parameter: float, scale: float) -> Noise:
    return lambda rng, shape: np.log1p(scale * rng.pareto(shape_parameter, shape))


SCENARIOS: tuple[Scenario, ...] = (
    Scenario("lognormal", normal(0.01), noise(0.01)),
    Scenario("quiet lognormal", normal(0.003), noise(0.003)),
    Scenario("two modes 80/20", modes(0.2, 0.05), noise(0.003)),
    Scenario("two modes 50/50", modes(0.5, 0.05), noise(0.003)),
    Scenario("AR(1) 0.9", normal(0.005), noise(0.005), autoregressive(0.9, 0.05)),
    Scenario("AR(1) 0.95", normal(0.005), noise(0.005), autoregressive(0.95, 0.05)),
    Scenario("AR(1) 0.99", normal(0.005), noise(0.005), autoregressive(0.99, 0.05)),
    Scenario("drift", normal(0.005), noise(0.005), drift(0.0003)),
    Scenario("spikes", normal(0.005), spikes(0.02, 2.0)),
    Scenario("Pareto batches", normal(0.005), pareto_noise(1.5, 0.01)),
    Scenario("Pareto processes", pareto_processes(1.5, 0.01), noise(0.005)),
    Scenario("unequal variances", unequal((0.003, 0.02, 0.003)), noise(0.003)),
    Scenario("1 ms clock", normal(0.005), noise(0.005), clock_s=1e-3),
)

# Where the treatment itself makes d_j skewed nothing is promised; what happens is measured and printed.
SKEWED: tuple[Scenario, ...] = (
    Scenario(
        "exponential treatment",
        skewed_treatment(lambda rng, shape: rng.exponential(0.02, shape), 0.02),
        noise(0.003),
        symmetric=False,
    ),
    Scenario(
        "lognormal treatment",
        skewed_treatment(lambda rng, shape: 0.01 * rng.lognormal(0.0, 1.0, shape), 0.01 * float(np.exp(0.5))),
        noise(0.003),
        symmetric=False,
    ),
    Scenario(
        "Pareto treatment",
        skewed_treatment(lambda rng, shape: 0.01 * rng.pareto(2.5, shape), 0.01 / 1.5),
        noise(0.003),
        symmetric=False,
    ),
    Scenario("treatment 80/20", modes(0.2, 0.05, (TREATMENT,)), noise(0.003), symmetric=False),
    Scenario("baseline 80/20", modes(0.2, 0.05, (BASELINE, NEGATIVE)), noise(0.003), symmetric=False),
)
