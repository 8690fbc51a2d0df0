"""Defects of every kind, planted into the samples: each is named, and the sample itself is not accused.

A newcomer's tests take every eighth kind, the others all of them.
`python -m benchmarks.planted_prints` asks the same of many more healthy outputs.
"""

from __future__ import annotations

from functools import cache

import pytest

from benchmarks.planted_prints.frame import Format, Kind, Said, formats, is_accused, originals, plant, said

EVERY = 8
KINDS = [
    pytest.param(of, kind, id=f"{of.name}: {kind.name}", marks=() if at % EVERY == 0 else pytest.mark.more)
    for at, (of, kind) in enumerate((of, kind) for of in formats() for kind in of.kinds)
]


@cache
def healthy(name: str) -> tuple[list[tuple[str, str]], dict[str, set[Said]]]:
    """The outputs of a format that defects are planted into, and what is said of each before."""
    of = next(each for each in formats() if each.name == name)
    every = list(originals(of, files=None, prints=1))
    return every, {title: said(text, of.columns) for title, text in every}


@pytest.mark.parametrize(("of", "kind"), KINDS)
def test_a_planted_defect_is_named(of: Format, kind: Kind) -> None:
    tally = plant(of, kind, *healthy(of.name))

    assert tally.planted > 0
    if kind.by_chance:
        assert tally.found > 0
    else:
        assert tally.missed == []


@pytest.mark.parametrize("of", formats(), ids=lambda of: of.name)
def test_what_it_is_planted_into_is_not_accused(of: Format) -> None:
    for name, text in originals(of, files=None, prints=1):
        assert not is_accused(of, said(text, of.columns)), name
