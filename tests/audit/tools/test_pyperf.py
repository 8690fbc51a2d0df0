"""pyperf's JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sectax.audit.form import Cold, Quantity
from tests.audit.tools.said import evidence_of, said, sample

ONE, SUITE = sample("pyperf.json"), sample("pyperf-suite.json")


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    """The sample with a change to the third process."""
    document = json.loads(ONE)
    change(document["benchmarks"][0]["runs"][2])
    return json.dumps(document)


def test_values_are_those_of_processes() -> None:
    (plain,) = evidence_of(ONE).series

    assert (plain.quantity, len(plain.values), plain.values[0]) == (Quantity.TIME, 20, 8.342861022858639e-07)
    assert (plain.work.batch, plain.work.replicates) == (131072, 10)
    assert (plain.work.cold, plain.setting.granularity_s) == (Cold.APART, 1e-9)
    assert said(ONE) == set()


def test_a_suite_has_a_series_for_each_benchmark() -> None:
    assert [one.levels for one in evidence_of(SUITE).series] == [{"benchmark": "plain"}, {"benchmark": "hmac"}]


def test_other_processors_are_other_series() -> None:
    text = changed(lambda run: run["metadata"].update(cpu_model_name="another"))

    assert {len(one.values) for one in evidence_of(text).series} == {18, 2}
    assert ("W", "apples-and-oranges") in said(text)
