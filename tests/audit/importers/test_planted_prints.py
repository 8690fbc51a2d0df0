"""Defects of every kind, planted into the samples: each is named, and the sample itself is not accused.

`python -m benchmarks.planted_prints` asks the same of many more healthy outputs.
"""

from __future__ import annotations

import pytest

from benchmarks.planted_prints.frame import Format, Kind, formats, is_accused, originals, plant, said

KINDS = [(of, kind) for of in formats() for kind in of.kinds]


@pytest.mark.parametrize(("of", "kind"), KINDS, ids=[f"{of.name}: {kind.name}" for of, kind in KINDS])
def test_a_planted_defect_is_named(of: Format, kind: Kind) -> None:
    every = list(originals(of, files=None, prints=1))
    before = {name: said(text, of.columns) for name, text in every}

    tally = plant(of, kind, every, before)

    assert tally.planted > 0
    if kind.by_chance:
        assert tally.found > 0
    else:
        assert tally.missed == []


@pytest.mark.parametrize("of", formats(), ids=lambda of: of.name)
def test_what_it_is_planted_into_is_not_accused(of: Format) -> None:
    for name, text in originals(of, files=None, prints=1):
        assert not is_accused(of, said(text, of.columns)), name
