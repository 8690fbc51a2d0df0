"""A bench ends what it started, in reverse order, whatever happened to it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sectax.experiments.interface import Bench
from tests.design.plans import small_plan


class _TwoServices(Bench):
    """Starts two things; the second one can fail."""

    def __init__(self, second_fails: bool) -> None:
        super().__init__(small_plan())
        self.ended: list[str] = []
        self._second_fails = second_fails

    def start(self, inputs: Mapping[str, str]) -> None:
        self.callback(self.ended.append, "first")
        if self._second_fails:
            raise RuntimeError("it does not start")
        self.callback(self.ended.append, "second")


def test_what_was_started_last_ends_first_and_once() -> None:
    with _TwoServices(second_fails=False) as bench:
        bench.start({})
        assert bench.ended == []
        bench.close()

    assert bench.ended == ["second", "first"]


def test_what_was_started_before_a_failure_ends_too() -> None:
    bench = _TwoServices(second_fails=True)
    with pytest.raises(RuntimeError), bench:
        bench.start({})

    assert bench.ended == ["first"]
