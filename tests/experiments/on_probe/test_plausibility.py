"""Times that cannot be are noticed, and a hiccup of the machine is not taken for a lie."""

from __future__ import annotations

from sectax.experiments.on_probe.plausibility import ClockWatch, CpuWatch


def test_more_than_sectax_saw_cannot_be() -> None:
    assert "reported 2 s" in (ClockWatch().complaint(2.0, 1.0) or "")


def test_rounding_is_no_lie() -> None:
    assert ClockWatch().complaint(1.000001, 1.0) is None
    assert ClockWatch().complaint(1e-6, 0.5e-6) is None


def test_microseconds_for_nanoseconds_show_after_a_few_batches() -> None:
    watch = ClockWatch()
    complaints = [watch.complaint(20e-6, 0.020) for _ in range(20)]

    assert complaints[0] is None
    assert "is its clock in nanoseconds?" in (complaints[-1] or "")


def test_one_long_pause_of_the_machine_is_no_lie() -> None:
    watch = ClockWatch()
    for _ in range(20):
        assert watch.complaint(0.019, 0.020) is None

    assert watch.complaint(20e-6, 0.900) is None


def test_what_settles_is_part_of_what_sectax_saw() -> None:
    watch = ClockWatch()

    assert all(watch.complaint(0.001, 0.1, timed_share=0.01) is None for _ in range(10))


def test_thousands_of_tiny_visits_prove_nothing() -> None:
    watch = ClockWatch()

    assert all(watch.complaint(1e-7, 1e-4) is None for _ in range(10_000))


def test_a_process_that_was_held_back_is_no_liar() -> None:
    watch = ClockWatch()

    # What a load of 20 on two cores does: 0.3 s pass in an exchange whose batch takes 4.5 ms.
    assert all(watch.complaint(0.004_5, 0.3, 2 / 3, process_s=0.007) is None for _ in range(100))


def test_microseconds_show_on_a_busy_machine_too() -> None:
    watch = ClockWatch()
    complaints = [watch.complaint(20e-6, 0.300, process_s=0.020) for _ in range(20)]

    assert "is its clock in nanoseconds?" in (complaints[-1] or "")


def test_more_cpu_time_than_the_processors_have_cannot_be() -> None:
    watch = CpuWatch(1e-6, 1)
    complaints = [watch.complaint(0.003, 0.002) for _ in range(100)]

    assert "of CPU time where at most" in (complaints[-1] or "")
    assert CpuWatch(1e-6, 1).complaint(0.3, 0.002) is not None
    two = CpuWatch(1e-6, 2)
    assert all(two.complaint(0.003, 0.002) is None for _ in range(100))


def test_time_that_a_hypervisor_took_between_two_clocks_is_not_a_wrong_clock() -> None:
    watch = CpuWatch(1e-6, 1)
    complaints = [watch.complaint(0.018 if number == 30 else 0.016, 0.016) for number in range(100)]

    assert complaints == [None] * 100


def test_the_step_of_the_cpu_clock_is_no_lie() -> None:
    assert CpuWatch(1e-3, 1).complaint(0.003, 0.002) is None
    assert CpuWatch(1e-9, 1).complaint(0.002_05, 0.002) is None  # the first reading, cold


def test_no_cpu_time_for_real_work_shows_after_a_few_batches() -> None:
    watch = CpuWatch(1e-6, 1)
    complaints = [watch.complaint(0.0, 0.020, process_s=0.020) for _ in range(20)]

    assert complaints[0] is None
    assert "the kernel counted" in (complaints[-1] or "")


def test_a_probe_that_waits_uses_little_cpu_time() -> None:
    watch = CpuWatch(1e-6, 1)

    assert all(watch.complaint(0.000_05, 0.020, process_s=0.000_2) is None for _ in range(1000))


def test_settling_uses_cpu_time_that_is_not_reported() -> None:
    watch = CpuWatch(1e-6, 1)

    assert all(watch.complaint(0.001, 0.001, timed_share=0.01, process_s=0.1) is None for _ in range(10))
