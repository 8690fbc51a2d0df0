"""Build evidence from records."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields
from typing import Any

from sectax.audit.form import (
    VALUES,
    BrokenPromise,
    Claim,
    Contrast,
    Evidence,
    Quantity,
    Series,
    Setting,
    TrialWork,
    Trouble,
    TroubleKind,
)
from sectax.audit.reading.grammar import Grammar, Record, broken
from sectax.audit.reading.printed import Number
from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable

# Checks compare pairs of figures, so more would take too long.
MOST_FIGURES = 5000
_MOST_FACTORS = 50

_WORK = {field.name for field in fields(TrialWork)}
_SETTING = {field.name for field in fields(Setting)}
# Conversions of values that are neither number nor text.
_AS: dict[str, Any] = {"contains": lambda text: tuple(text.split(",")), "by_schedule": bool, "replicates": int}
# Claims of the whole trial: field -> metric, quantity, statistic.
_OF_TRIAL = {
    "rate": ("rate", Quantity.RATE, "rate"),
    "bandwidth": ("bandwidth", Quantity.BANDWIDTH, "rate"),
    "total_time": ("total time", Quantity.TOTAL_TIME, "total"),
}
_BY_UNIT = {"s": Quantity.TIME, "bytes": Quantity.MEMORY, "bytes/s": Quantity.BANDWIDTH, "op/s": Quantity.RATE}


def build_evidence(grammar: Grammar, records: Iterable[Record], troubles: Iterable[Trouble] = ()) -> Evidence:
    """Build evidence from records; raise `BadInput` for none or too many."""
    every = grammar.shape(list(records)) if grammar.shape is not None else list(records)
    for record in every:
        if grammar.complete is not None:
            grammar.complete(record)
        for name, value in grammar.fixed.items():
            record.fields.setdefault(name, [value])
        for name, option in grammar.options.items():
            if (number := record.number(name)) is not None:
                record.fields[f"option.{option}"] = [number]
    problems = list(troubles)
    breaks: list[BrokenPromise] = []
    groups: dict[Hashable, list[Series]] = {}
    labels = _labels(grammar, every)
    for record, label in zip(every, labels, strict=True):
        results = _series(grammar, record, label)
        problems += record.troubles
        if not results:
            problems.append(Trouble(TroubleKind.UNREAD, record.line, f"{label} has no figures"))
        ids = tuple(claim.id for series in results for claim in series.figures)
        for promise in grammar.promises:
            fault = broken(promise, record, label)
            if fault is not None:
                breaks.append(dataclasses.replace(fault, figures=ids))
        for series in results:
            # Results from other machines or with other options are separate series.
            machine = series.setting.processor, series.setting.runtime, series.setting.library
            setting = machine, frozenset(series.setting.options.items())
            groups.setdefault((series.id, frozenset(series.levels.items()), setting), []).append(series)
        if len(groups) > MOST_FIGURES:
            raise _too_many()
    joined = [_joined(group) for group in groups.values()]
    return evidence(grammar.title, joined, problems, breaks, grammar.compares)


def evidence(
    title: str,
    results: Iterable[Series],
    troubles: Iterable[Trouble] = (),
    breaks: Iterable[BrokenPromise] = (),
    compares: str = "",
) -> Evidence:
    """Build evidence of series under unique ids; raise `BadInput` for none."""
    unique: list[Series] = []
    ids: Counter[str] = Counter()
    figures = 0
    for series in results:
        if len(series.levels) > _MOST_FACTORS:
            raise BadInput(
                f"{printable(series.id, 60)} has {len(series.levels)} levels", f"at most {_MOST_FACTORS} are read"
            )
        ids[series.id] += 1
        unique.append(series if ids[series.id] == 1 else _renamed(series, f"{series.id} ({ids[series.id]})"))
        figures += len(series.figures)
        if figures > MOST_FIGURES:
            raise _too_many()
    every = tuple(dict.fromkeys(troubles))
    if not unique:
        worst = next((trouble for trouble in every if trouble.kind is TroubleKind.FAILED), next(iter(every), None))
        why = f"; line {worst.line}: {printable(worst.text, 80)}" if worst else ""
        hint = "give the whole output of a finished run; a form that is not known can be copied into a table"
        raise BadInput(f"no result was read from {title}{why}", hint)
    levels = {series.levels.get(compares) for series in unique}
    contrast = Contrast(compares, None, reported=False) if compares and len(levels) > 1 else None
    return Evidence(tuple(unique), contrast, every, tuple(breaks), imported=True)


def _too_many() -> BadInput:
    return BadInput(f"more than {MOST_FIGURES} figures: too many to audit together", "split the file")


def _labels(grammar: Grammar, records: list[Record]) -> list[str]:
    """Name each record; runs with equal names are numbered."""
    names = [
        record.text("name")
        or ", ".join(str(values[-1]) for name, values in record.fields.items() if name.startswith("level."))
        or (f"run at line {record.line}" if not record.begun else grammar.name)
        for record in records
    ]
    if grammar.repeats:
        return names
    of_all, so_far = Counter(names), Counter[str]()
    labels = []
    for name in names:
        so_far[name] += 1
        labels.append(f"{name} {so_far[name]}" if of_all[name] > 1 else name)
    return labels


def _series(grammar: Grammar, record: Record, label: str) -> list[Series]:
    work, setting, levels = _work(record, label), _setting(record), _levels(grammar, record, label)
    metrics: dict[str, list[tuple[str, Number]]] = {}
    for name, values in record.fields.items():
        metric, dot, statistic = name.partition(".")
        if name in _OF_TRIAL:
            metric, _, statistic = _OF_TRIAL[name]
        elif not dot or metric in ("failed", "option", "level", "_"):
            continue
        numbers = [value for value in values if isinstance(value, Number)]
        metrics.setdefault(metric, []).extend((statistic, number) for number in numbers)
    every = []
    for metric, figures in metrics.items():
        if not figures:
            continue
        id = label if len(metrics) == 1 else f"{label}: {metric}"
        singly = [number for statistic, number in figures if statistic == VALUES]
        summary = {statistic: number for statistic, number in figures if statistic != VALUES}
        alone = len(summary) == 1
        claims = tuple(
            Claim(id if alone else f"{id} {statistic}", statistic, number.value, number.step)
            for statistic, number in summary.items()
        )
        series = Series(
            id=id,
            table=metric,
            levels=levels,
            metric=metric,
            quantity=_quantity(grammar, metric, figures[0][1]),
            claims=claims,
            values=tuple(number.value for number in singly),
            step=max((number.step for number in singly), default=0.0),
            count=_count(record, metric),
            work=work,
            setting=setting,
            run=label,
        )
        every += [series] if series.figures else []
    return every


def _quantity(grammar: Grammar, metric: str, number: Number) -> Quantity:
    if metric in grammar.quantities:
        return grammar.quantities[metric]
    fixed = next((quantity for name, quantity, _ in _OF_TRIAL.values() if name == metric), None)
    return fixed or _BY_UNIT.get(number.unit, Quantity.OTHER)


def _count(record: Record, metric: str) -> int | None:
    """Return the number of values behind the summaries of a metric."""
    if metric in {name for name, _, _ in _OF_TRIAL.values()}:
        return 1
    number = record.number("count") or record.number("operations")
    # A single result is one run, regardless of the operations timed in it.
    return (1 if f"{metric}.one" in record.fields else None) if number is None else int(number.value)


def _levels(grammar: Grammar, record: Record, label: str) -> Mapping[str, str]:
    levels = {name[6:]: str(values[-1]) for name, values in record.fields.items() if name.startswith("level.")}
    return levels or {grammar.compares or "run": label}


def _attributes(record: Record, names: set[str]) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    for name in names & record.fields.keys():
        value = record.fields[name][-1]
        attributes[name] = value.value if isinstance(value, Number) else value
    return attributes


def _work(record: Record, label: str) -> TrialWork:
    attributes = {"operation": label} | _attributes(record, _WORK)
    attributes |= {name: read(attributes[name]) for name, read in _AS.items() if name in attributes}
    failed = {
        name[7:]: sum(number.value for number in record.numbers(name))
        for name in record.fields
        if name.startswith("failed.")
    }
    if failed:
        attributes["failures"] = sum(failed.values())
    return TrialWork(failed=failed, **attributes)


def _setting(record: Record) -> Setting:
    options = {name[7:]: _in_words(values[-1]) for name, values in record.fields.items() if name.startswith("option.")}
    attributes = _attributes(record, _SETTING - {"options"})
    return Setting(**attributes, options=options)


def _in_words(value: Number | str) -> str:
    return f"{value.value:g}" if isinstance(value, Number) else value


def _joined(group: list[Series]) -> Series:
    """Join results of equal name and levels into one series of values."""
    first = group[0]
    if len(group) == 1:
        return first
    every: list[float] = []
    step = 0.0
    for series in group:
        every += series.values or [claim.value for claim in series.claims[:1]]
        step = max(step, series.step, *(claim.step for claim in series.claims[:1]))
    return dataclasses.replace(first, values=tuple(every), step=step, claims=(), count=None)


def _renamed(series: Series, id: str) -> Series:
    claims = tuple(dataclasses.replace(claim, id=claim.id.replace(series.id, id, 1)) for claim in series.claims)
    return dataclasses.replace(series, id=id, claims=claims)
