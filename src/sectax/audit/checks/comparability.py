"""Sides that differ in more than the contrast, or that lack a baseline."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import sides
from sectax.audit.checks.interface import Remark, cannot_be_checked, check, fatal, remark
from sectax.audit.checks.words import EVERYTHING
from sectax.audit.form import Evidence, Series
from sectax.model.finding import Severity


@check(
    "F: the figures should show the cost of something, but nothing was measured without it",
    applies=lambda evidence: evidence.contrast is not None and bool(evidence.series),
)
def no_baseline(evidence: Evidence) -> Iterator[Remark]:
    contrast = evidence.contrast
    if contrast is None:
        return
    levels = {series.levels.get(contrast.factor) for series in evidence.series} - {None}
    if not contrast.reported:
        yield cannot_be_checked(EVERYTHING, f"which {contrast.factor} is the baseline is not reported")
    elif contrast.baseline not in levels:
        missing = f"no figure has the baseline, {contrast.factor} {contrast.baseline}"
        yield fatal(
            EVERYTHING,
            f"nothing was measured without {contrast.factor}" if contrast.baseline is None else missing,
            "the cost cannot be separated from everything else in the figures",
            "measure the same without it, alternating between the two",
        )


@check(
    "F: timed calls of one side alone pass through a tracer, proxy or logger",
    applies=lambda evidence: any(sides(evidence)),
)
def unequal_instruments(evidence: Evidence) -> Iterator[Remark]:
    contrast = evidence.contrast
    if contrast is None:
        return
    silent = []
    # One group for each pair of tables (or one table) whose sides are compared.
    groups = {_against(group): group for group in sides(evidence)}
    for compared, group in groups.items():
        through = {series.levels[contrast.factor]: series.setting.instrument for series in group}
        if len(set(through.values()) - {None}) > 1:
            words = "; ".join(
                f"those of {level} through {'nothing' if instrument == 'none' else instrument}"
                for level, instrument in through.items()
                if instrument is not None
            )
            yield fatal(
                compared,
                f"the sides are measured through different instruments: {words}",
                "the difference includes the cost of the instrument",
                "remove the instrument, or use it on both sides",
            )
        elif None in through.values():
            silent.append(compared)
    if silent:
        where = silent[0] if len(silent) == 1 else EVERYTHING
        yield cannot_be_checked(where, "whether timed calls pass through a tracer, a proxy or a logger is not reported")


# Attributes that always matter, and those that matter only where a source reports them.
_ALWAYS = {"processor": "processor", "runtime": "runtime"}
_WHERE_REPORTED = {"library": "library", "size_bytes": "object size", "key_bits": "key bits"}
_NAMES = _ALWAYS | _WHERE_REPORTED


def _against(group: list[Series]) -> str:
    return " against ".join(dict.fromkeys(series.table for series in group))


def _value(series: Series, attribute: str) -> object:
    return getattr(series.work if attribute == "size_bytes" else series.setting, attribute)


def _applies(evidence: Evidence) -> bool:
    settings = [series.setting for series in evidence.speeds] if evidence.imported else []
    machines = any(setting.processor or setting.library or setting.runtime for setting in settings)
    return machines or any(sides(evidence))


@check(
    "F: the sides also differ in processor, runtime, library, object size or key bits; W: one output has figures of "
    "several machines",
    applies=_applies,
)
def apples_and_oranges(evidence: Evidence) -> Iterator[Remark]:
    yield from _sides(evidence)
    yield from _machines(evidence)


def _sides(evidence: Evidence) -> Iterator[Remark]:
    contrast = evidence.contrast
    if contrast is None:
        return
    by_side: dict[tuple[str, str], list[Series]] = {}
    silent = set()
    for group in sides(evidence):
        for attribute in _NAMES.keys() - contrast.entails:
            values = [_value(series, attribute) for series in group]
            reported = {value for value in values if value is not None}
            if len(reported) > 1:
                by_side.setdefault((attribute, _against(group)), []).extend(group)
            elif None in values and (attribute in _ALWAYS or reported):
                silent.add(attribute)
    for (attribute, tables), group in sorted(by_side.items(), key=lambda item: [*_NAMES].index(item[0][0])):
        by_level = {series.levels[contrast.factor]: _value(series, attribute) for series in reversed(group)}
        by_side_words = "; ".join(
            f"{level}: {value}" for level, value in reversed(by_level.items()) if value is not None
        )
        yield fatal(
            tables,
            f"the sides also differ in {_NAMES[attribute]} ({by_side_words})",
            "the difference has two causes, and the figures cannot separate them",
            "make it the same on both sides",
        )
    if silent:
        missing = " and ".join(name for attribute, name in _NAMES.items() if attribute in silent)
        yield cannot_be_checked(EVERYTHING, f"whether the sides have the same {missing} is not reported")


def _machines(evidence: Evidence) -> Iterator[Remark]:
    """Warn of one output with figures of several machines or builds."""
    if not evidence.imported or any(sides(evidence)):
        return
    for attribute, name in (("processor", "processors"), ("library", "builds of the library"), ("runtime", "runtimes")):
        values = {str(value) for series in evidence.series if (value := _value(series, attribute)) is not None}
        if len(values) > 1:
            yield remark(
                Severity.WARNING,
                EVERYTHING,
                f"the figures come from {len(values)} {name}: {'; '.join(sorted(values)[:4])}",
                "comparisons between the figures include this difference",
                "compare only figures of the same one",
            )
