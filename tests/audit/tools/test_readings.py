"""Every sample of a tool's output, as it is read and as it is judged: one golden file for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from sectax.audit.form import Series
from tests.audit.tools.said import SAMPLES, build_evidence, said, sample
from tests.golden import as_agreed

_READ = (".txt", ".json", ".csv", ".tsv")
GOLDEN = Path(__file__).parent / "golden"


def shown(value: Any) -> str:
    """Digits beyond the tenth are the processor's."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {shown(of)}" for name, of in value.items()) + "}"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def known(record: Any) -> str:
    """What differs from 'unknown'."""
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    return ", ".join(f"{name}={shown(value)}" for name, value in values.items() if value is not None and value != {})


def series_lines(one: Series) -> Iterator[str]:
    yield f"{one.id} ({one.quantity}, {one.metric}{f', run {one.run}' if one.run else ''})"
    yield f"  levels: {shown(one.levels)}"
    for claim in one.claims:
        yield f"  {claim.statistic}: {shown(claim.value)}, in steps of {shown(claim.step)}"
    if len(one.values):
        first, last, total = (shown(float(value)) for value in (one.values[0], one.values[-1], sum(one.values)))
        yield f"  {len(one.values)} values, {first} to {last}, sum {total}"
    yield f"  count: {one.count}; work: {known(one.work)}; setting: {known(one.setting)}"


def reading(text: str) -> Iterator[str]:
    evidence = build_evidence(text)
    for one in evidence.series:
        yield from series_lines(one)
    for trouble in evidence.troubles:
        yield f"{trouble.kind}, line {trouble.line}: {trouble.text}"
    for fault in evidence.broken:
        yield f"broken: {fault.promise}: {shown(fault.left)} and {shown(fault.right)}"
    yield f"marked: {', '.join(f'{severity} {check}' for severity, check in sorted(said(text))) or 'nothing'}"


@pytest.mark.parametrize(
    "name", sorted(path.name for path in SAMPLES.iterdir() if path.suffix in _READ and path.name != "table.csv")
)
def test_a_sample_is_read_and_judged_as_agreed(name: str) -> None:
    as_agreed(GOLDEN / f"{name}.read", "".join(f"{line}\n" for line in reading(sample(name))))
