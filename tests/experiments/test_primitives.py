"""What the experiment `primitives` plans: families apart, each against its own baseline."""

from __future__ import annotations

from collections import Counter

from sectax.experiments.primitives.algorithms import ALGORITHMS, FAMILIES, SETTINGS, SIZES
from sectax.experiments.primitives.experiment import declares
from sectax.model.treatment import Role
from tests.experiments.plans import planner

plan = planner("primitives")


def test_every_algorithm_meets_the_baseline_of_its_own_family_size_and_language():
    made = plan(family="aead-seal,aead-open,mac,hash", algorithm="all", language="go,rust")

    assert made.comparisons
    for comparison in made.comparisons:
        one, base = made.treatment(comparison.treatment).levels, made.treatment(comparison.baseline).levels
        assert base["algorithm"] == FAMILIES[one["family"]].baseline
        assert one["algorithm"] in FAMILIES[one["family"]].algorithms
        assert {name for name in one if one[name] != base[name]} <= {"algorithm"}


def test_a_password_hash_is_a_batch_of_one_and_says_its_memory():
    made = plan(family="password", algorithm="all", language="python")

    assert Counter(treatment.role for treatment in made.treatments)[Role.POSITIVE] == 0
    assert not made.settles
    assert made.equal_counts
    assert [metric.name for metric in made.metrics] == ["logins", "throughput", "memory_bytes", "peak_bytes"]


def test_a_message_of_every_size_is_declared_with_its_key():
    sealed = declares({"family": "aead-seal", "algorithm": "aes-128-gcm", "size": "1KiB"})
    hashed = declares({"family": "hash", "algorithm": "sha-512", "size": "64B"})

    assert (sealed, hashed) == ({"key_bits": 128, "data_bytes": 1024}, {"data_bytes": 64})


def test_every_algorithm_is_in_a_family_and_every_password_hash_has_its_settings():
    assert set(ALGORITHMS) == {name for family in FAMILIES.values() for name in family.algorithms}
    assert set(SETTINGS) == set(FAMILIES["password"].algorithms)
    assert all(set(family.common) <= set(family.algorithms) for family in FAMILIES.values())
    assert list(SIZES.values()) == sorted(SIZES.values())
