"""Secondary comparisons: which of them are shown, and what is said of those that are and those that are not."""

from __future__ import annotations

from sectax.model.analysed import Analysed
from sectax.model.treatment import Standing
from sectax.reports import units
from sectax.reports.words import names

SECONDARY_MARK = "†"
# What stands beside the answer is shown with it while both fit on a page.
_BESIDE_UP_TO = 4


def visible(analysed: Analysed, *, show_all: bool) -> frozenset[str]:
    """The ids of the comparisons that are shown.

    Where some answer the question, those alone, and, where they are few, what the plan wants to see beside them.
    """
    every = [each.comparison for each in analysed.findings]
    primary = {each.treatment for each in every if each.standing is Standing.PRIMARY}
    if show_all or not primary:
        return frozenset(each.id for each in every)
    beside = analysed.measured.plan.beside if len(primary) <= _BESIDE_UP_TO else ()
    return frozenset(
        each.id
        for each in every
        if each.standing is Standing.PRIMARY or (each.metric in beside and each.treatment in primary)
    )


def hidden(analysed: Analysed, shown: frozenset[str]) -> int:
    """How many secondary comparisons are not shown."""
    compared = (each.comparison for each in analysed.findings)
    return sum(each.standing is Standing.SECONDARY and each.id not in shown for each in compared)


def footnotes(analysed: Analysed, shown: frozenset[str]) -> tuple[str, ...]:
    """What the mark of a secondary comparison means; nothing where none is shown."""
    there = [
        each.comparison
        for each in analysed.findings
        if each.comparison.standing is Standing.SECONDARY and each.comparison.id in shown
    ]
    if not there:
        return ()
    # An error level of its own for each; with --simultaneous it is smaller.
    chance = units.margin(float(f"{max(each.alpha for each in there):.2g}"))
    verb = "a side result: it" if len(there) == 1 else "side results: each"
    return (f"{SECONDARY_MARK} {verb} may be wrong with a chance of {chance} of its own",)


def not_shown(analysed: Analysed, shown: frozenset[str]) -> str:
    """How many side results are not shown, and of what; empty where all are."""
    unseen = [
        each.comparison.metric
        for each in analysed.findings
        if each.comparison.standing is Standing.SECONDARY and each.comparison.id not in shown
    ]
    metrics = ", ".join(names.metric(analysed.measured.plan, each) for each in dict.fromkeys(unseen))
    return f"{len(unseen)} side result{'' if len(unseen) == 1 else 's'} ({metrics})" if unseen else ""
