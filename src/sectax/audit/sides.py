"""What stands against each other: nothing at all, sides that differ in more than that, or sides observed unlike."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sectax.audit.check import Check, Remark, cannot_be_checked, fatal, warning
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import gather, sides
from sectax.audit.words import EVERYTHING

# Attributes of the circumstances, and how they are called.
_ALWAYS = {"processor": "processor", "runtime": "runtime"}
# These may have no meaning for what is measured, so that their lack is no lack.
_WHERE_TOLD = {"library": "library", "size_bytes": "object size", "key_bits": "key bits"}
_NAMES = _ALWAYS | _WHERE_TOLD

NO_INSTRUMENT = "none"
# Of a tool's set-up, what nobody compares: two runs that differ in it differ by accident.
NEVER_COMPARED = frozenset({"length of the run", "largest prime", "version", "keep-alive"})
# So many runs of one thing that differ in their set-up are a series over it.
FEWEST_OF_A_SERIES = 3


def _against(group: list[Figure]) -> str:
    return " against ".join(dict.fromkeys(figure.table for figure in group))


def _no_baseline(evidence: Evidence) -> Iterator[Remark]:
    contrast = evidence.contrast
    if contrast is None:
        return
    if not contrast.told:
        yield cannot_be_checked(EVERYTHING, f"which {contrast.factor} is the baseline is not reported")
    elif contrast.baseline is None or contrast.baseline not in {
        figure.levels.get(contrast.factor) for figure in evidence.figures
    }:
        yield fatal(
            EVERYTHING,
            f"nothing without {contrast.factor} was measured"
            if contrast.baseline is None
            else f"no figure has the baseline, {contrast.factor} {contrast.baseline}",
            "its cost cannot be told from that of everything else in the figures, which stand for the whole alone",
            "measure the same without it, in turns with it",
        )


def _differing(evidence: Evidence) -> Iterator[Remark]:
    contrast = evidence.contrast
    if contrast is None:
        return
    found: dict[tuple[str, str], list[Figure]] = {}
    silent = set()
    for group in sides(evidence):
        for attribute in _NAMES.keys() - contrast.entails:
            values = [getattr(figure.circumstances, attribute) for figure in group]
            told = {value for value in values if value is not None}
            if len(told) > 1:
                found.setdefault((attribute, _against(group)), []).extend(group)
            elif None in values and (attribute in _ALWAYS or told):
                silent.add(attribute)
    for (attribute, tables), figures in sorted(found.items(), key=lambda item: [*_NAMES].index(item[0][0])):
        of = "; ".join(
            f"{figure.levels[contrast.factor]}: {value}"
            for figure in {figure.levels[contrast.factor]: figure for figure in reversed(figures)}.values()
            if (value := getattr(figure.circumstances, attribute)) is not None
        )
        yield fatal(
            tables,
            f"the sides differ in {_NAMES[attribute]} ({of}), which is not what is compared",
            "the difference has two causes, and the figures cannot tell them apart",
            "make it the same on both sides; or compare the effects inside each of them",
        )
    if silent:
        names = [name for attribute, name in _NAMES.items() if attribute in silent]
        missing = f"{' and '.join(names)} of the sides {'are' if len(names) > 1 else 'is'} not reported"
        yield cannot_be_checked(EVERYTHING, missing)


def _set_up(evidence: Evidence) -> Iterator[Remark]:
    """W where runs that a file sets side by side were set up unlike, so that two causes cannot be told apart."""
    if evidence.contrast is not None:
        return
    runs = [group[0] for group in gather(evidence.printed, lambda figure: frozenset(figure.levels.items()))]
    for name in dict.fromkeys(name for run in runs for name in run.circumstances.set_up):
        telling = [run for run in runs if name in run.circumstances.set_up]
        of_each = {
            operation: {run.circumstances.set_up[name] for run in telling if run.circumstances.operation == operation}
            for operation in dict.fromkeys(run.circumstances.operation for run in telling)
        }
        values = dict.fromkeys(run.circumstances.set_up[name] for run in telling)
        if len(values) < 2 or not _confounded(name, list(of_each.values()), len(telling)):
            continue
        yield warning(
            EVERYTHING,
            f"the runs differ in {name}: {'; '.join(values)}",
            "set beside each other they show the difference of this as well",
            "compare runs that are set up alike",
        )


def _confounded(name: str, of_each: list[set[str]], runs: int) -> bool:
    """Whether a difference in set-up has the place of another one, or of none: a series over it is no fault."""
    if name in NEVER_COMPARED or any(one.isdisjoint(other) for one, other in combinations(of_each, 2)):
        return True
    return len(of_each) == 1 and runs < FEWEST_OF_A_SERIES


def _observed(evidence: Evidence) -> Iterator[Remark]:
    contrast = evidence.contrast
    if contrast is None:
        return
    silent = []
    # One group of figures for each pair of tables (or one table) in which sides stand against each other.
    for compared, group in {_against(group): group for group in reversed(list(sides(evidence)))}.items():
        told = {figure.levels[contrast.factor]: figure.circumstances.instrument for figure in group}
        if len({instrument for instrument in told.values() if instrument is not None}) > 1:
            through = "; ".join(
                f"those of {level} through {'nothing' if instrument == NO_INSTRUMENT else instrument}"
                for level, instrument in told.items()
                if instrument is not None
            )
            yield fatal(
                compared,
                f"the timed calls are not observed alike: {through}",
                "the difference holds what the instrument costs, on one side alone",
                "take the instrument away, or let both sides pass through it",
            )
        elif None in told.values():
            silent.append(compared)
    if silent:
        where = silent[0] if len(silent) == 1 else EVERYTHING
        yield cannot_be_checked(where, "whether timed calls pass through a tracer, a proxy or a logger is not reported")


def _has_sides(evidence: Evidence) -> bool:
    return any(True for _ in sides(evidence))


def _unlike(evidence: Evidence) -> Iterator[Remark]:
    yield from _differing(evidence)
    yield from _set_up(evidence)


def _comparable(evidence: Evidence) -> bool:
    return _has_sides(evidence) or any(figure.circumstances.set_up for figure in evidence.printed)


NO_BASELINE = Check(
    id="no-baseline",
    rule="F: the figures are to show the cost of something, and nothing was measured without it",
    examine=_no_baseline,
    applies=lambda evidence: evidence.contrast is not None and bool(evidence.figures),
)

APPLES_AND_ORANGES = Check(
    id="apples-and-oranges",
    rule="F: what is compared differs in processor, runtime, library, object size or key bits besides; W: "
    "runs of a load client that stand side by side differ in how it was set up",
    examine=_unlike,
    applies=_comparable,
)

UNEQUAL_INSTRUMENTS = Check(
    id="unequal-instruments",
    rule="F: timed calls of one side pass through a tracer, proxy or logger that those of the other do not",
    examine=_observed,
    applies=_has_sides,
)
