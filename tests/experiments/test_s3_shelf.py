"""Large objects that stay for the clients of later blocks."""

from __future__ import annotations

from dataclasses import replace

from sectax.experiments.s3.object_pool import SERVES, ObjectPool

ALIKE, OTHER = ("go", "get", "none", 10**8), ("go", "get", "sse-s3", 10**8)


def test_an_object_serves_a_few_clients_and_is_then_stored_again() -> None:
    shelf = ObjectPool()
    seeds = []
    for _ in range(2 * SERVES):
        kept = shelf.take(ALIKE)
        seeds.append(kept.seed)
        shelf.put(ALIKE, replace(kept, found=("bucket", kept.seed)))

    assert seeds == [seeds[0]] * SERVES + [seeds[-1]] * SERVES
    assert seeds[0] != seeds[-1]


def test_its_last_client_removes_it() -> None:
    shelf = ObjectPool()
    stays = []
    for _ in range(SERVES):
        kept = shelf.take(ALIKE)
        stays.append(kept.stays)
        shelf.put(ALIKE, kept)

    assert stays == [True] * (SERVES - 1) + [False]


def test_two_clients_at_once_and_different_treatments_never_share_one() -> None:
    shelf = ObjectPool()
    first, second = shelf.take(ALIKE), shelf.take(ALIKE)
    shelf.put(ALIKE, replace(first, found=("bucket", "key")))

    assert first.seed != second.seed
    assert shelf.take(OTHER).found == ()
    assert shelf.take(ALIKE).found == ("bucket", "key")
