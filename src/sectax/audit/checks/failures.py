"""Operations that failed are not the work whose cost is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import each_table, gather, ids, sides, unknown
from sectax.audit.checks.interface import Check, Remark
from sectax.audit.checks.words import number
from sectax.audit.form import EndsBy, Evidence, Quantity, Series
from sectax.model.finding import Severity
from sectax.stats.binomial import clopper_pearson

MOST_FAILURES = 0.001
# Answers to one address differ in their headers, and by no more than this.
MOST_UNEQUAL_BYTES, HEADERS_BYTES = 1.5, 1000.0
DIFFERENT_WORK = "the sides did different work"


def _examine(evidence: Evidence) -> Iterator[Remark]:
    seen = evidence.speeds
    failing = [one for one in seen if (failure_share(one) or 0.0) > MOST_FAILURES]
    for group in gather(failing, lambda one: (one.run, one.work.failures, operations_of(one))):
        one = group[0]
        kinds = ", ".join(f"{number(count)} {kind}" for kind, count in one.work.failed.items() if count)
        saw = f"{number(one.work.failures or 0.0)} of {number(operations_of(one) or 0.0)} operations failed"
        yield Remark(
            Severity.FATAL,
            one.run or one.table,
            f"{saw}{f' ({kinds})' if kinds else ''}",
            "operations failed, and a failed operation is often a fast one",
            "fix what fails, then measure",
            ids(group),
        )
    few = [one for one in seen if one.work.failures and one not in failing]
    yield from each_table(
        Severity.WARNING,
        [group[0] for group in gather(few, lambda one: one.run)],
        lambda table: (
            f"{number(table[0].work.failures or 0.0)} of {number(operations_of(table[0]) or 0.0)} operations failed"
        ),
        "they are few, and may still be the slow ones",
        "see what failed",
    )
    yield from unknown(
        [one for one in seen if failure_share(one) is None], "how many operations failed is not reported"
    )
    compared = [[group[0] for group in gather(side, lambda one: tuple(one.levels.items()))] for side in sides(evidence)]
    uneven = [
        group for group in compared if _differ_by_more_than_chance(group) and not set(ids(group)) & set(ids(failing))
    ]
    yield from _not_the_same(uneven, "the shares of failed operations differ by more than chance")
    yield from _not_the_same(
        [group for group in compared if _differing_counts(group)], "the numbers of operations differ"
    )
    yield from _bytes(evidence)


def _not_the_same(groups: list[list[Series]], what: str) -> Iterator[Remark]:
    every = [one for group in groups for one in group]
    yield from each_table(Severity.FATAL, every, lambda _: what, DIFFERENT_WORK, "make all sides do the same work")


def operations_of(one: Series) -> float | None:
    """How many operations were counted."""
    return one.work.operations if one.work.operations is not None else one.trials


def failure_share(one: Series) -> float | None:
    """The share of operations that failed; None where that is unknown."""
    failures, operations = one.work.failures, operations_of(one)
    if failures is None or (failures > 0 and operations is None):
        return None
    return failures / max(operations or 0.0, failures) if failures else 0.0


def _differ_by_more_than_chance(group: list[Series]) -> bool:
    if not any(one.work.failures for one in group):
        return False
    intervals = [
        clopper_pearson(round(one.work.failures), round(operations), 0.99)
        for one in group
        if one.work.failures is not None and (operations := operations_of(one) or 0.0) >= max(one.work.failures, 1)
    ]
    return max((low for low, _ in intervals), default=0.0) > min((high for _, high in intervals), default=1.0)


def _differing_counts(group: list[Series]) -> bool:
    """Whether total times that a number of operations ended are of different numbers."""
    totals = [one for one in group if one.quantity is Quantity.TOTAL_TIME and one.work.ends_by is EndsBy.EVENTS]
    return len({one.work.operations for one in totals} - {None}) > 1


def _bytes(evidence: Evidence) -> Iterator[Remark]:
    """One address asked several times, with far fewer bytes in some answers: a redirect, or an error page."""
    rates = [one for one in evidence.series if one.quantity is Quantity.RATE and one.work.bytes and one.work.operations]
    for group in gather(rates, lambda one: one.work.operation):
        by_bytes = sorted(group, key=_bytes_each)
        few, many = _bytes_each(by_bytes[0]), _bytes_each(by_bytes[-1])
        if len(group) > 1 and many > MOST_UNEQUAL_BYTES * few:
            by_headers = many - few < HEADERS_BYTES
            yield Remark(
                Severity.WARNING if by_headers else Severity.FATAL,
                by_bytes[0].table,
                f"an answer has {number(few)} bytes in {by_bytes[0].id}, and {number(many)} in {by_bytes[-1].id}",
                "headers may explain so few bytes" if by_headers else f"{DIFFERENT_WORK}: a redirect, or an error page",
                "look at one answer of each",
                ids(group),
            )


def _bytes_each(one: Series) -> float:
    return (one.work.bytes or 0.0) / (one.work.operations or 1.0)


UNEQUAL_WORK = Check(
    id="unequal-work",
    rule="F: more than 0.1 % of the operations failed, or the shares, the numbers of operations or the bytes of an "
    "answer "
    "differ between sides; W: a difference in bytes that headers may explain",
    examine=_examine,
    sees=lambda evidence: ids(evidence.speeds),
)
