"""Times that cannot be are noticed, and a hiccup of the machine is not taken for a lie."""

from __future__ import annotations

from sectax.subjects.probe.plausibility import ClockWatch


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
