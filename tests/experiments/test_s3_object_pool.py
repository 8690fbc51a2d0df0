"""Large objects reused by the clients of later blocks."""

from __future__ import annotations

from dataclasses import replace

from sectax.experiments.s3.object_pool import SERVES, ObjectPool

KEY, OTHER = ("go", "get", "none", 10**8), ("go", "get", "sse-s3", 10**8)


def test_an_object_serves_a_few_clients_and_is_then_stored_again() -> None:
    pool = ObjectPool()
    seeds = []
    for _ in range(2 * SERVES):
        taken = pool.take(KEY)
        seeds.append(taken.seed)
        pool.put(KEY, replace(taken, found=("bucket", taken.seed)))

    assert seeds == [seeds[0]] * SERVES + [seeds[-1]] * SERVES
    assert seeds[0] != seeds[-1]


def test_its_last_client_removes_it() -> None:
    pool = ObjectPool()
    stays = []
    for _ in range(SERVES):
        taken = pool.take(KEY)
        stays.append(taken.stays)
        pool.put(KEY, taken)

    assert stays == [True] * (SERVES - 1) + [False]


def test_two_clients_at_once_and_different_treatments_never_share_one() -> None:
    pool = ObjectPool()
    first, second = pool.take(KEY), pool.take(KEY)
    pool.put(KEY, replace(first, found=("bucket", "key")))

    assert first.seed != second.seed
    assert pool.take(OTHER).found == ()
    assert pool.take(KEY).found == ("bucket", "key")
