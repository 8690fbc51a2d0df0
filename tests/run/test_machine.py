"""What a run makes by itself, before it is planned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sectax.model.machine import Wanted
from sectax.parts import registry
from sectax.parts.installer import SetUpFailed
from sectax.parts.programs import Missing
from sectax.parts.registry import Part
from sectax.run.machine import machine_snapshot

LACK = Missing("the client is not built yet", "sectax setup", makable=True, on_first_use=True)


class Wanting:
    name = "some"

    def wants(self, request: Any) -> Wanted:
        return Wanted(parts=("some:client",))


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Registers a part that is made on first use, or fails to be; gives back what was made of it."""

    def register(fails: str = "") -> list[str]:
        made: list[str] = []

        def make(say: Callable[[str], None]) -> None:
            if fails:
                raise SetUpFailed(fails, "try again")
            made.append("client")

        part = Part("client", "the client", lambda: None if made else LACK, make)
        monkeypatch.setattr(registry, "load", {"some:client": part}.__getitem__)
        return made

    return register


def parts(say: Callable[[str], None] | None) -> dict[str, Any]:
    wanting: Any = Wanting()
    return machine_snapshot(wanting, None, say).parts  # type: ignore[arg-type]


def test_a_plan_counts_on_it_and_makes_nothing(part):
    made = part()

    assert parts(None) == {"some:client": None}
    assert made == []


def test_what_cannot_be_made_is_missing_with_its_reason(part):
    part(fails="no proxy")
    said: list[str] = []

    assert parts(said.append) == {"some:client": LACK}
    (line,) = said
    assert line.endswith(": no proxy")
