"""What hangs once is asked again; what hangs twice is left alone for ten times as long as it was waited for."""

from __future__ import annotations

from sectax.experiments.confidential.circuit_breaker import CircuitBreaker


def test_what_hung_twice_is_left_alone_and_asked_again_later():
    now = [100.0]
    patience = CircuitBreaker(lambda: now[0])

    patience.hung("vm-1", 80.0)
    patience.hung("vm-1", 80.0)

    assert patience.back_off_s("vm-1") == 800.0
    assert patience.back_off_s("vm-2") == 0.0
    assert patience.back_off_s("vm-2", "vm-1") == 800.0
    now[0] += 801.0
    assert patience.back_off_s("vm-1") == 0.0


def test_a_host_that_always_hangs_costs_two_waits_and_then_a_tenth_of_a_run():
    now = [0.0]
    patience = CircuitBreaker(lambda: now[0])
    waited = 0.0

    while now[0] < 10_000:
        if patience.back_off_s("vm-1"):
            now[0] += 5.0  # the others go on
        else:
            now[0] += 80.0
            waited += 80.0
            patience.hung("vm-1", 80.0)

    assert waited <= 0.1 * now[0] + 2 * 80.0
