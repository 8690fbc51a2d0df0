"""Secondary comparisons: which of them are shown, and what is said of those that are and those that are not."""

from __future__ import annotations

from sectax.model.analysed import Analysed
from sectax.model.treatment import Standing
from sectax.reports import units

SECONDARY_MARK = "†"


def visible(analysed: Analysed, *, show_all: bool) -> frozenset[str]:
    """The ids of the comparisons that are shown.

    Where some answer the question, those alone, and what the plan wants to see beside them.
    """
    every = [each.comparison for each in analysed.findings]
    primary = {each.treatment for each in every if each.standing is Standing.PRIMARY}
    if show_all or not primary:
        return frozenset(each.id for each in every)
    beside = analysed.measured.plan.beside
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
    """How the secondary comparisons stand, and how many wrong claims to expect among them."""
    secondary = [each.comparison for each in analysed.findings if each.comparison.standing is Standing.SECONDARY]
    if not secondary:
        return ()
    unseen = hidden(analysed, shown)
    mark = "" if unseen == len(secondary) else f"{SECONDARY_MARK} "
    # An error level of its own for each; with --simultaneous it is smaller.
    level = f"{100 * (1 - max(each.alpha for each in secondary)):.4g} %"
    if len(secondary) == 1:
        text = f"1 secondary comparison{' is not shown here' if unseen else ''}; it stands at {level} by itself"
        return (mark + text,)
    if not unseen:
        which = ""
    elif unseen == len(secondary):
        which = " are not shown here"
    else:
        which = f", {unseen} of which {'is' if unseen == 1 else 'are'} not shown here"
    return (
        f"{mark}{len(secondary)} secondary comparisons{which}; each stands at {level} "
        f"by itself, so expect about {units.number(analysed.wrong_expected)} wrong claims among them",
    )
