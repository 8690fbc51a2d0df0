"""Times that cannot be are noticed, and a hiccup of the machine is not taken for a lie."""

from __future__ import annotations

import pytest

from sectax.experiments.on_probe.plausibility import ClockWatch, CpuWatch


def test_far_more_than_sectax_saw_cannot_be() -> None:
    assert ClockWatch().complaint(2.0, 1.0)
    assert CpuWatch(1e-6, 1).complaint(0.3, 0.002)


@pytest.mark.parametrize(
    ("reported_s", "seen_s", "more", "times"),
    [
        pytest.param(1.000001, 1.0, {}, 1, id="rounding"),
        pytest.param(1e-6, 0.5e-6, {}, 1, id="rounding of little"),
        pytest.param(0.001, 0.1, {"timed_share": 0.01}, 10, id="the rest settled"),
        pytest.param(1e-7, 1e-4, {}, 10_000, id="tiny visits"),
        # What a load of 20 on two cores does: 0.3 s pass in an exchange whose batch takes 4.5 ms.
        pytest.param(0.004_5, 0.3, {"timed_share": 2 / 3, "process_s": 0.007}, 100, id="held back"),
    ],
)
def test_times_that_can_be_are_believed(reported_s: float, seen_s: float, more: dict[str, float], times: int) -> None:
    watch = ClockWatch()

    assert all(watch.complaint(reported_s, seen_s, **more) is None for _ in range(times))


@pytest.mark.parametrize(
    ("watch", "reported_s", "seen_s", "more", "times"),
    [
        pytest.param(ClockWatch(), 20e-6, 0.020, {}, 20, id="microseconds for nanoseconds"),
        pytest.param(ClockWatch(), 20e-6, 0.300, {"process_s": 0.020}, 20, id="the same on a busy machine"),
        pytest.param(CpuWatch(1e-6, 1), 0.003, 0.002, {}, 100, id="more CPU time than the processors have"),
        pytest.param(CpuWatch(1e-6, 1), 0.0, 0.020, {"process_s": 0.020}, 20, id="no CPU time for real work"),
    ],
)
def test_times_that_cannot_be_show_after_a_few_batches(watch, reported_s, seen_s, more, times) -> None:
    complaints = [watch.complaint(reported_s, seen_s, **more) for _ in range(times)]

    assert complaints[0] is None
    assert complaints[-1]


def test_one_long_pause_of_the_machine_is_no_lie() -> None:
    watch = ClockWatch()
    for _ in range(20):
        assert watch.complaint(0.019, 0.020) is None

    assert watch.complaint(20e-6, 0.900) is None


@pytest.mark.parametrize(
    ("watch", "reported_s", "wall_s", "more", "times"),
    [
        pytest.param(CpuWatch(1e-6, 2), 0.003, 0.002, {}, 100, id="two processors"),
        pytest.param(CpuWatch(1e-3, 1), 0.003, 0.002, {}, 1, id="a step of the clock"),
        pytest.param(CpuWatch(1e-9, 1), 0.002_05, 0.002, {}, 1, id="the first reading, cold"),
        pytest.param(CpuWatch(1e-6, 1), 0.000_05, 0.020, {"process_s": 0.000_2}, 1000, id="waiting"),
        pytest.param(CpuWatch(1e-6, 1), 0.001, 0.001, {"timed_share": 0.01, "process_s": 0.1}, 10, id="settling"),
    ],
)
def test_cpu_times_that_can_be_are_believed(
    watch: CpuWatch, reported_s: float, wall_s: float, more: dict[str, float], times: int
) -> None:
    assert all(watch.complaint(reported_s, wall_s, **more) is None for _ in range(times))


def test_time_that_a_hypervisor_took_between_two_clocks_is_not_a_wrong_clock() -> None:
    watch = CpuWatch(1e-6, 1)
    complaints = [watch.complaint(0.018 if number == 30 else 0.016, 0.016) for number in range(100)]

    assert complaints == [None] * 100
