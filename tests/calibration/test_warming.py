"""How long a process is worked until it is as fast as it gets."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from sectax.calibration.warming import Warming, run_until_warm


class Compiled:
    """A process whose operation is slower at first, by a power of the work that is still to be done.

    Measured on a JVM: an RSA signature takes 13 ms at 0.2 s of work, 1.4 at 0.5 and 1.0 from 1.5 s on.
    """

    def __init__(
        self, power: float, warm_s: float, compiled_s: float, noise: Callable[[], float] = lambda: 1.0
    ) -> None:
        self.power, self.warm_s, self.compiled_s, self.noise, self.worked_s = power, warm_s, compiled_s, noise, 0.0

    def cost_s(self) -> float:
        return self.warm_s * max(1.0, self.compiled_s / max(self.worked_s, 0.005)) ** self.power

    def __call__(self, count: int) -> float:
        seconds = 0.0
        for _ in range(min(count, 50)):
            part = self.cost_s() * max(1.0, count / 50)
            self.worked_s += part
            seconds += part
        return seconds * self.noise()


@pytest.mark.parametrize("operation_s", [4e-7, 3e-5, 1e-3, 0.05])
def test_what_was_compiled_beforehand_has_no_warm_up(operation_s: float) -> None:
    process = Compiled(0.0, operation_s, 0.0)

    assert run_until_warm(process, 5.0) == Warming(0, 0.0)
    assert process.worked_s < 0.3


@pytest.mark.parametrize(
    ("power", "operation_s", "compiled_s"), [(1.2, 5e-7, 1.0), (0.8, 4e-5, 1.0), (0.25, 5e-4, 2.0)]
)
def test_a_compilers_seconds_are_seen_to_their_end(power: float, operation_s: float, compiled_s: float) -> None:
    process = Compiled(power, operation_s, compiled_s)

    found = run_until_warm(process, 8.0)

    assert found.ended
    assert compiled_s * 0.4 < found.seconds < compiled_s * 3
    # What a block then runs before it counts is enough.
    again = Compiled(power, operation_s, compiled_s)
    left = found.operations
    while left > 0:
        again(min(left, 1 + found.operations // 16))
        left -= 1 + found.operations // 16
    assert again.cost_s() < 1.1 * operation_s


def test_readings_that_something_interrupted_do_not_end_it_early() -> None:
    random = Random(4)
    process = Compiled(0.8, 4e-5, 1.0, lambda: 5.0 if random.random() < 0.15 else 1.0)

    assert run_until_warm(process, 8.0).seconds > 0.5


def test_one_that_has_no_end_is_called_so() -> None:
    found = run_until_warm(Compiled(0.5, 1e-4, 50.0), 2.0)

    assert not found.ended
    assert 2.0 <= found.seconds < 8.0


def test_where_it_is_not_looked_for_nothing_is_run() -> None:
    process = Compiled(0.5, 1e-4, 50.0)

    assert run_until_warm(process, 0.0) == Warming()
    assert process.worked_s == 0.0


class Stalled:
    """Equally slow until a large method is compiled, as P-256 in a JVM is."""

    def __init__(self) -> None:
        self.worked_s = 0.0

    def __call__(self, count: int) -> float:
        seconds = count * (3e-3 if self.worked_s < 0.9 else 1e-3)
        self.worked_s += seconds
        return seconds


def test_a_compiler_that_takes_long_is_not_taken_for_none() -> None:
    assert run_until_warm(Stalled(), 5.0) == Warming(0, 0.0)

    patient = Stalled()
    found = run_until_warm(patient, 5.0, least_s=1.2)

    assert found.ended
    assert found.is_long
    assert found.seconds == pytest.approx(1.2, abs=0.1)
    assert patient.worked_s < 1.7
