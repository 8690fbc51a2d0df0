"""Two treatments never give the same numbers throughout."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sectax.audit.checks.interface import Check, Remark, fatal
from sectax.audit.own.evidence import RunEvidence
from sectax.model.plan import FIRST_LOOK

# So many batch times in a row are equal by chance in none of a hundred million pairs of processes, where at most a
# quarter of the times of a process repeat: a clock that shows a dozen different values at least.
FEWEST_BATCHES = 8


MOST_DUPLICATES = 0.25


def _in_runs(evidence: RunEvidence) -> Iterator[Remark]:
    """F for every treatment that shares the times of a process, or all its blocks' values, with another."""
    told: set[str] = set()
    for arms, saw in (*_processes(evidence), *_columns(evidence)):
        for arm in arms:
            if arm not in told:
                told.add(arm)
                yield fatal(
                    arm,
                    saw,
                    "they were not measured in all of them",
                    "find out which of them were measured, and run again",
                )


def _processes(evidence: RunEvidence) -> Iterator[tuple[list[str], str]]:
    """Whole processes whose batch times are equal."""
    seen: dict[bytes, list[tuple[str, int]]] = {}
    for arm in evidence.arms.values():
        if arm.batches is None or arm.batches.duplicate_share > MOST_DUPLICATES:
            continue
        for block, shape in arm.shapes.items():
            if shape.batches >= FEWEST_BATCHES:
                seen.setdefault(shape.fingerprint, []).append((arm.id, block))
    for places in seen.values():
        if len(places) > 1:
            named = " and ".join(f"{arm} in block {block}" for arm, block in places[:2])
            yield list(dict.fromkeys(arm for arm, _ in places)), f"the same batch times throughout: {named}"


def _columns(evidence: RunEvidence) -> Iterator[tuple[list[str], str]]:
    """Treatments whose values are equal in every block that they share, whatever the metric is made of."""
    for metric in evidence.metrics:
        columns: dict[tuple[tuple[int, float], ...], list[str]] = {}
        for arm in evidence.arms.values():
            values = arm.values.get(metric, {})
            if len(set(values.values())) >= FIRST_LOOK:
                # Treatments leave a run in different blocks; what was copied was copied from the start.
                columns.setdefault(tuple(values.items())[:FIRST_LOOK], []).append(arm.id)
        for arms in columns.values():
            if len(arms) > 1 and all(_equal(evidence, metric, *two) for two in combinations(arms, 2)):
                yield arms, f"the same {metric} in every block: {arms[0]} and {arms[1]}"


def _equal(evidence: RunEvidence, metric: str, one: str, other: str) -> bool:
    values, others = evidence.arms[one].values[metric], evidence.arms[other].values[metric]
    both = values.keys() & others.keys()
    return len({values[block] for block in both}) >= FIRST_LOOK and all(values[b] == others[b] for b in both)


COPIED_DATA: Check[RunEvidence] = Check(
    id="copied-data",
    rule="F: two treatments share the times of a process, or the values of all blocks",
    examine=_in_runs,
    applies=lambda evidence: bool(evidence.arms),
)
