"""An operation that moves its body must take longer for a larger one: over the blocks of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sectax.audit.checks.groups import rows
from sectax.audit.checks.growth import link_of
from sectax.audit.checks.interface import Check, Remark, cannot_be_checked, fatal
from sectax.audit.checks.words import bandwidth, first_of, number
from sectax.audit.form import Moves
from sectax.audit.own.blocks import interval, parts_of, typical_speeds
from sectax.audit.own.evidence import BlockSeries, RunEvidence

# Shared by all of a run of ours: that a time which grows just as much as it must is called flat.
CHANCE = 0.005


def _by_size(evidence: RunEvidence) -> list[list[BlockSeries]]:
    """Those that carry a body, each group at two sizes or more, rising."""
    bodies = [one for one in typical_speeds(evidence) if one.work.moves is Moves.BODY]
    return list(rows(bodies, lambda one: one.work.size_bytes))  # type: ignore[arg-type]


def _needed(group: Sequence[BlockSeries]) -> float:
    return (_size(group[-1]) - _size(group[0])) / link_of(group[-1])


def _in_runs(evidence: RunEvidence) -> Iterator[Remark]:
    groups = _by_size(evidence)
    unclear = []
    for group in groups:
        parts = _parts(group, evidence)
        low, high = _growth(group, parts, CHANCE / len(groups))
        if high < _needed(group):
            yield from _flat(group, parts, low, high)
        elif low < _needed(group):
            unclear.append(group[-1])
    if unclear:
        yield cannot_be_checked(
            unclear[0].treatment if len(unclear) == 1 else "run",
            f"the blocks do not show whether time grows with the size as it must "
            f"({first_of(one.id for one in unclear)})",
            "more blocks, or a larger size",
        )


def _parts(group: list[BlockSeries], evidence: RunEvidence) -> list[BlockSeries]:
    """What is to be taken off the smallest and the largest: what they do before they work on the body.

    Nothing where that was not measured at both sizes, or where it is not known that they do more with the body.
    """
    if group[-1].work.link_bytes_s is None:
        return []
    small, large = (
        {part.work.operation: part for part in parts_of(figure, evidence)} for figure in (group[0], group[-1])
    )
    return next(([small[each], large[each]] for each in small if each in large), [])


def _growth(group: list[BlockSeries], parts: list[BlockSeries], alpha: float) -> tuple[float, float]:
    """The interval of how many seconds more the largest takes than the smallest, beyond their parts if any."""
    last, first = group[-1].seconds(), group[0].seconds()
    less = [first, *([parts[1].seconds()] if parts else [])]
    more = [last, *([parts[0].seconds()] if parts else [])]
    shared = [block for block in last if all(block in column for column in (*less, *more))]
    differences = [sum(each[block] for each in more) - sum(each[block] for each in less) for block in shared]
    return interval(differences, alpha, sum(last[block] for block in shared) / max(len(shared), 1))


def _flat(group: list[BlockSeries], parts: list[BlockSeries], low: float, high: float) -> Iterator[Remark]:
    first, last = group[0], group[-1]
    beyond = f" beyond {parts[1].work.operation}" if parts else ""
    for figure in group:
        yield fatal(
            figure.treatment,
            f"{number(_size(last) / _size(first))} times the bytes take {1e3 * low:+.2g} to {1e3 * high:+.2g} ms more"
            f"{beyond} ({first.id}; {last.id}); at no more than {bandwidth(link_of(last))} they need "
            f"{1e3 * _needed(group):.2g} ms more",
            "the body was not worked on: the figures are of something else than the treatment",
            "check that the whole body arrives, and that its last byte changes the result",
        )


def _size(figure: BlockSeries) -> float:
    return figure.work.size_bytes or 0.0


FLAT_WITH_SIZE: Check[RunEvidence] = Check(
    id="flat-with-size",
    rule="F: time grows less over the sizes than the bandwidth demands, where the interval leaves no doubt",
    examine=_in_runs,
    applies=lambda evidence: bool(_by_size(evidence)),
)
