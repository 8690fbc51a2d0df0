"""Defects of single values, for every format that tells them: a module says how it reads and writes a series."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.audit_corpus.planted_prints.frame import Kind, Plant, Rng

Values = list[float]
Change = Callable[[Values, Rng], Values | None]

# Any of the checks that look at how values lie.
LIES = "W first-trial|drift|modes"


@dataclass(frozen=True)
class Series:
    """How the single values of a format are read and written.

    Attributes:
        read: every series of a text, in the order in which they were taken.
        write: the text with other values in the place of one series, and with summaries that fit them.
        slower: 1 where more is slower, as times are; -1 of rates.
    """

    read: Callable[[str], list[Values]]
    write: Callable[[str, int, Values], str]
    slower: Callable[[str], int] = lambda _: 1


def planted(series: Series, change: Change, fewest: int = 6, most: float = math.inf) -> Plant:
    """A plant that changes the first series with *fewest* to *most* values in which a few per cent can be seen."""

    def put(text: str, rng: Rng) -> str | None:
        for at, values in enumerate(series.read(text)):
            if not fewest <= len(values) <= most or min(values) <= 0 or not _quiet(values):
                continue
            turned = series.slower(text)
            changed = change([value**turned for value in values], rng)
            return (
                None
                if changed is None
                else series.write(text, at, [value**turned if value else 0.0 for value in changed])
            )
        return None

    return put


def _quiet(values: Values) -> bool:
    """Whether a defect of a few per cent can be seen in it at all: the middle 80 % lie within a tenth."""
    low, middle, high = np.quantile(values, (0.1, 0.5, 0.9))
    return bool(high - low < 0.1 * middle) and max(values) < 1.5 * middle and min(values) > 0.7 * middle


def _first(count: int, factor: float) -> Change:
    return lambda values, _: [value * factor for value in values[:count]] + values[count:]


def _falling(values: Values, _: Rng) -> Values:
    return [value * (1 + 0.5 * 0.6**at) for at, value in enumerate(values)]


def _drift(by: float) -> Change:
    return lambda values, _: [value * (1 + by * at / (len(values) - 1)) for at, value in enumerate(values)]


def _shift(by: float) -> Change:
    return lambda values, _: [value * (1 + by * (2 * at >= len(values))) for at, value in enumerate(values)]


def _some(share: float, factor: float, fewest: int = 1) -> Change:
    """Some values in the middle, anywhere but at the beginning."""

    def change(values: Values, rng: Rng) -> Values:
        count = max(fewest, round(share * len(values)))
        chosen = set(rng.choice(np.arange(2, len(values)), count, replace=False).tolist())
        return [value * factor if at in chosen else value for at, value in enumerate(values)]

    return change


def _three_modes(values: Values, rng: Rng) -> Values:
    return [value * float(rng.choice([1.0, 1.5, 2.5], p=[0.6, 0.25, 0.15])) for value in values]


def _clipped(values: Values, _: Rng) -> Values | None:
    limit = float(np.quantile(values, 0.6))
    return [min(value, limit) for value in values] if len(set(values)) > len(values) // 2 else None


def _rounded(values: Values, rng: Rng) -> Values | None:
    """To a step of two fifths of the typical value."""
    step = float(np.median(values)) / 2.5
    return [max(1, round(value * float(np.exp(rng.normal(0, 0.1))) / step)) * step for value in values]


def _zeros(share: float) -> Change:
    def change(values: Values, rng: Rng) -> Values:
        chosen = set(rng.choice(len(values), max(1, round(share * len(values))), replace=False).tolist())
        return [0.0 if at in chosen else value for at, value in enumerate(values)]

    return change


def _repeated(values: Values, _: Rng) -> Values:
    """The first half once more in the place of the second."""
    half = len(values) // 2
    return values[:half] + values[:half] + values[2 * half :]


def _copied(series: Series, change: Change, fewest: int = 6) -> Plant:
    """A plant that writes one series, changed, into the place of the next of its length."""

    def put(text: str, rng: Rng) -> str | None:
        every = series.read(text)
        for at, values in enumerate(every):
            if len(values) < fewest or min(values) <= 0 or len(set(values)) < fewest:
                continue
            for other in range(at + 1, len(every)):
                if len(every[other]) == len(values):
                    made = change(values, rng)
                    return None if made is None else series.write(text, other, made)
        return None

    return put


def _times(factor: float) -> Change:
    return lambda values, _: [value * factor for value in values]


def _more(share: float) -> Change:
    return lambda values, _: [value + share * float(np.mean(values)) for value in values]


def of_values(series: Series, *, zeros: bool = True) -> tuple[Kind, ...]:
    """Every kind of defect that single values show."""

    def kind(name: str, finds: str, change: Change, fewest: int = 6, most: float = math.inf) -> Kind:
        return Kind(name, finds, planted(series, change, fewest, most), by_chance=True)

    return (
        kind("first value + 15 %", LIES, _first(1, 1.15)),
        kind("first value doubled", LIES, _first(1, 2.0)),
        kind("first two of ten or more + 12 %", LIES, _first(2, 1.12), 10),
        kind("first three + 30 %", LIES, _first(3, 1.3), 10),
        kind("falls at the beginning", LIES, _falling),
        kind("drifts by 15 %", LIES, _drift(0.15), 10),
        kind("drifts by 40 %", LIES, _drift(0.4)),
        kind("shifts half-way by 12 %", LIES, _shift(0.12), 10),
        kind("shifts half-way by 40 %", LIES, _shift(0.4)),
        kind("one value of at most 100 is 3 times", LIES, _some(0, 3.0), 6, 100),
        kind("one value of at most 500 is 10 times", LIES, _some(0, 10.0), 6, 500),
        kind("one value of at most 5000 is 100 times", LIES, _some(0, 100.0), 6, 5000),
        kind("three values 5 times", LIES, _some(0, 5.0, 3), 12),
        kind("one value a fifth", LIES, _some(0, 0.2)),
        kind("two modes, 40 % twice as slow", LIES, _some(0.4, 2.0), 12),
        kind("two modes, 30 % slower by half", LIES, _some(0.3, 1.5), 12),
        kind("three modes", LIES, _three_modes, 20),
        kind("sorted", "W drift", lambda values, _: sorted(values), 8),
        kind("sorted, falling", "W drift", lambda values, _: sorted(values, reverse=True), 8),
        kind("clipped at a limit", "W timer|modes", _clipped, 12),
        kind("rounded to a third", "W timer", _rounded, 20),
        *((kind("one zero", "W timer", _zeros(0)), kind("a third is zero", "F timer", _zeros(0.34))) if zeros else ()),
        kind("second half is a copy of the first", "F timer|copied-data", _repeated, 12),
        Kind("a series copied", "F copied-data", _copied(series, lambda values, _: list(values)), by_chance=True),
        Kind("a series copied times 1.1", "F copied-data", _copied(series, _times(1.1), 8), by_chance=True),
        Kind("a series copied times 0.93", "F copied-data", _copied(series, _times(0.93), 8), by_chance=True),
        Kind("a series copied plus a constant", "F copied-data", _copied(series, _more(0.2), 8), by_chance=True),
    )


def quiet(centre: float, count: int, seed: int) -> Values:
    """Healthy values with a noise of 2 %, always the same ones."""
    return (centre * np.exp(np.random.default_rng(seed).normal(0, 0.02, count))).tolist()


def in_json(change: Callable[[Any, Rng], object]) -> Plant:
    """A plant that changes a JSON document; `False` as its answer means that there is no place for it."""

    def put(text: str, rng: Rng) -> str | None:
        try:
            document = json.loads(text)
        except json.JSONDecodeError:
            return None
        if change(document, rng) is False:
            return None
        return json.dumps(document, indent=1)

    return put


def summaries(values: Sequence[float]) -> dict[str, float]:
    """Mean, median, least, most and standard deviation of values."""
    data = np.asarray(values)
    return {
        "mean": float(data.mean()),
        "median": float(np.median(data)),
        "min": float(data.min()),
        "max": float(data.max()),
        "stddev": float(data.std(ddof=1)) if data.size > 1 else 0.0,
    }
