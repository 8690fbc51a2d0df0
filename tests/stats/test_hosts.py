"""Several hosts: what is claimed of those measured, of hosts like these, and which one is odd."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from sectax.stats.confidence_sequence import running_sequence
from sectax.stats.hosts import (
    LEAST_HOSTS,
    HostSummaries,
    between_host_deviation,
    drop_late_hosts,
    find_outlier,
    kinds_differ,
    own_half_widths,
    population_mean,
    stratified_sequence,
    summarize_hosts,
    two_kinds,
    unseen_share,
)
from sectax.stats.moments import Array
from sectax.stats.student import critical_value

NOTHING = np.full((1, 200), np.nan)


def blocks_of(hosts: int, each: int, spread: float = 0.0, noise: float = 0.01, seed: int = 1) -> tuple[Array, Array]:
    """Differences and the place of each one's host, the hosts by turns."""
    rng = np.random.default_rng(seed)
    host = np.tile(np.arange(hosts), each)
    effects = rng.normal(0.1, spread, hosts) if spread else np.full(hosts, 0.1)
    return (effects[host] + rng.normal(0.0, noise, host.size))[None], host


def sequence(differences: Array, host: Array, **more: object) -> tuple[float, float, float]:
    looks = {"first_look": 6, "last_look": 200, "reference": NOTHING[:, : host.size]} | more
    last = stratified_sequence(differences, host, 0.05, **looks).after_last()  # type: ignore[arg-type]
    return float(last.mean[0]), float(last.low[0]), float(last.high[0])


def test_one_host_is_judged_as_a_run_without_hosts() -> None:
    differences, _ = blocks_of(1, 20)

    plain = running_sequence(differences, 0.05, first_look=6, last_look=200).after_last()

    expected = (plain.mean[0], plain.low[0], plain.high[0])
    assert sequence(differences, np.zeros(20, dtype=np.int64)) == pytest.approx(expected)


def test_every_host_counts_once_however_many_blocks_it_made() -> None:
    rng = np.random.default_rng(3)
    host = np.array([0, 1] * 4 + [0] * 40)
    differences = (np.where(host == 0, 0.5, 0.1) + rng.normal(0, 1e-4, host.size))[None]

    mean, low, high = sequence(differences, host)

    assert mean == pytest.approx(0.3, abs=1e-3)
    assert low < 0.3 < high


def test_what_hosts_have_between_them_is_no_noise_of_the_hosts_measured() -> None:
    differences, host = blocks_of(6, 6, spread=0.3)

    _, low, high = sequence(differences, host)
    pooled = running_sequence(differences, 0.05, first_look=6, last_look=200).after_last()

    assert high - low < 0.02
    assert float(pooled.high[0] - pooled.low[0]) > 0.1


def test_the_degrees_of_freedom_are_those_of_welch_and_satterthwaite() -> None:
    """The check values of Welch's test for two samples of unequal noise: its standard error and its degrees."""
    first, second = [0.12, 0.15, 0.11, 0.14], [0.3, 0.9, 0.1, 0.7, 0.5, 0.6]
    host = np.array([0] * 4 + [1] * 6)
    a, b = np.var(first, ddof=1) / 4, np.var(second, ddof=1) / 6
    degrees = (a + b) ** 2 / (a**2 / 3 + b**2 / 5)

    mean, low, high = sequence(np.array([first + second]), host, once=True)

    assert mean == pytest.approx((np.mean(first) + np.mean(second)) / 2)
    # Between whole degrees of freedom it is a little on the wide side.
    exact = float(critical_value(degrees + 1, 0.05)) * math.sqrt((a + b) / 4)
    assert exact <= (high - low) / 2 <= 1.01 * exact


def test_no_look_counts_before_every_host_has_two_blocks() -> None:
    differences, host = blocks_of(5, 3)

    assert math.isinf(sequence(differences[:, :9], host[:9])[1])
    assert math.isfinite(sequence(differences[:, :10], host[:10])[1])


def test_a_host_that_came_late_waits_for_its_second_block() -> None:
    host = np.array([0, 1] * 6 + [2])
    differences = np.arange(13.0)[None]

    late = drop_late_hosts(differences, host)
    both = drop_late_hosts(np.arange(14.0)[None], np.append(host, 2))

    assert np.isnan(late[0]).tolist() == [False] * 12 + [True]
    assert not np.isnan(both).any()
    assert not np.isnan(drop_late_hosts(np.arange(4.0)[None], np.arange(4))).any()  # all hosts have one


def test_the_agreement_of_earlier_looks_begins_again_with_another_host() -> None:
    rng = np.random.default_rng(5)
    host = np.array([0, 1] * 10 + [2] * 10)
    differences = (np.where(host == 2, 3.0, 0.0) + rng.normal(0, 0.01, host.size))[None]

    last = stratified_sequence(differences, host, 0.05, first_look=6, last_look=40, reference=NOTHING[:, :30])

    assert last.mean[0, -1] == pytest.approx(1.0, abs=0.01)
    assert last.agreed_low[0, -1] <= 1.0 <= last.agreed_high[0, -1]


def test_missing_blocks_count_for_nothing() -> None:
    differences, host = blocks_of(4, 5)
    gaps = np.insert(differences, [3, 7, 7], np.nan, axis=1)

    assert sequence(gaps, np.insert(host, [3, 7, 7], 2)) == pytest.approx(sequence(differences, host))


def test_hosts_like_these_are_judged_by_students_t_over_hosts() -> None:
    means = np.array([0.1, 0.12, 0.09, 0.14, 0.1])

    found = population_mean(means, 0.05, unseen=0.0)

    half = 2.776445 * means.std(ddof=1) / math.sqrt(5)  # t with four degrees of freedom
    assert (found.low, found.high) == pytest.approx((means.mean() - half, means.mean() + half))


@pytest.mark.parametrize("hosts", range(1, LEAST_HOSTS))
def test_fewer_than_five_hosts_claim_nothing_of_others(hosts: int) -> None:
    assert population_mean(np.linspace(0.1, 0.2, hosts), 0.05, 0.0).low is None


@given(some.lists(some.floats(-1, 1), min_size=5, max_size=12), some.floats(0, 1))
def test_of_other_hosts_never_more_is_claimed_than_of_those_measured(means: list[float], least: float) -> None:
    found = population_mean(np.array(means), 0.05, 0.055, least)

    assert found.point - found.low >= least - 1e-12


def test_the_noise_of_blocks_is_no_difference_between_hosts() -> None:
    same = summarize_hosts(*blocks_of(10, 8, noise=0.05))
    unlike = summarize_hosts(*blocks_of(10, 8, spread=0.2, noise=0.05))

    none, some_ = (
        between_host_deviation(HostSummaries(item.count[0], item.mean[0], item.noise[0]), 0.95)
        for item in (same, unlike)
    )

    assert none.low == 0
    assert none.point < 0.02
    assert 0.05 < some_.low < some_.point < 0.4


def hosts_at(*means: float, blocks: int = 8, noise: float = 1e-6) -> HostSummaries:
    return HostSummaries(np.full(len(means), blocks), np.array(means), np.full(len(means), noise))


def test_the_odd_host_is_named_unless_it_is_only_noisy() -> None:
    hosts = hosts_at(0.1, 0.11, 0.4, 0.1, 0.09)

    assert find_outlier(hosts, 0.05) == 2
    hosts.noise[2] = 0.2**2
    assert find_outlier(hosts, 0.05) is None


@pytest.mark.parametrize("means", [(0.1, 0.2, 0.3, 0.4, 0.5), (0.1, 0.9)])
def test_of_hosts_that_differ_evenly_and_of_two_none_is_odd(means: tuple[float, ...]) -> None:
    assert find_outlier(hosts_at(*means), 0.05) is None


def test_hosts_of_two_kinds_are_seen_at_five_hosts() -> None:
    higher = two_kinds(hosts_at(0.1, 0.101, 0.3, 0.099, 0.301), 0.02)

    assert higher.tolist() == [False, False, True, False, True]


@pytest.mark.parametrize(
    "hosts",
    [
        hosts_at(0.1, 0.12, 0.14, 0.16, 0.18),  # evenly
        hosts_at(0.1, 0.1, 0.1, 0.1, 0.11),  # closer than what matters
        hosts_at(0.1, 0.1, 0.1, 0.1, 0.3, noise=0.01),  # by their noise
    ],
)
def test_hosts_that_may_be_of_one_kind_are_of_one(hosts: HostSummaries) -> None:
    assert two_kinds(hosts, 0.02) is None


@pytest.mark.parametrize("hosts", [5, 9, 40])
def test_normal_hosts_are_called_two_kinds_in_5_of_100_runs(hosts: int) -> None:
    rng = np.random.default_rng(5)
    runs = [two_kinds(hosts_at(*rng.normal(size=hosts), noise=0.0), 0.0) for _ in range(4000)]

    assert 0.04 < sum(higher is not None for higher in runs) / len(runs) < 0.06


def test_kinds_that_are_known_differ_where_hosts_of_one_kind_agree() -> None:
    kind = np.array([0, 0, 0, 1, 1])

    assert kinds_differ(hosts_at(0.1, 0.12, 0.11, 0.2, 0.21), kind, 0.05, 0.02)
    assert not kinds_differ(hosts_at(0.1, 0.3, 0.2, 0.15, 0.25), kind, 0.05, 0.02)
    assert not kinds_differ(hosts_at(0.1, 0.2, 0.3, 0.4, 0.5), np.arange(5), 0.05, 0.02)


def test_five_hosts_may_all_miss_a_kind_that_is_45_percent_of_the_fleet() -> None:
    assert unseen_share(5, 0.05) == pytest.approx(0.451, abs=1e-3)
    assert (1 - unseen_share(30, 0.05)) ** 30 == pytest.approx(0.05)


def test_a_host_without_noise_or_with_one_block_has_no_interval_of_its_own() -> None:
    hosts = HostSummaries(np.array([1, 8, 8]), np.zeros(3), np.array([np.nan, 0.0, 1e-4]))

    half = own_half_widths(hosts, 0.05, 0.0)

    assert np.isinf(half[:2]).all()
    assert half[2] == pytest.approx(2.364624 * 0.01)
