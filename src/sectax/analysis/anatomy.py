"""Where the time of an operation goes, by difference to treatments that do less of it, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sectax.model.advice import AdviceRules, Anatomy, Part
from sectax.model.finding import Estimate
from sectax.model.measured import Measured
from sectax.model.treatment import Role, Treatment
from sectax.stats.student import mean_interval

METHOD = "student-t-over-blocks"


def over_blocks(values: Sequence[float], level: float, unit: str) -> Estimate:
    """The mean of one value per block, with Student's t interval over them."""
    interval = mean_interval(values, level)
    return Estimate(interval.point, interval.low, interval.high, level, METHOD, interval.count, unit)


def anatomies(measured: Measured, rules: AdviceRules) -> Iterator[Anatomy]:
    """The parts of every treatment that is no stage, in every cell where a stage was measured beside it."""
    control = measured.plan.control
    stages = dict(rules.stages)
    for cell in measured.plan.cells:
        members = {
            each.levels[control]: each
            for each in measured.plan.treatments
            if each.cell == cell.id and each.role in (Role.BASELINE, Role.TREATMENT)
        }
        for level, member in members.items():
            chain = list(_chain(rules, members, member))
            if level not in stages and len(chain) > 1:
                parts = tuple(_parts(measured, rules.metric, chain))
                if parts:
                    yield Anatomy(cell.id, member.id, parts)


def _chain(rules: AdviceRules, members: dict[str, Treatment], whole: Treatment) -> Iterator[tuple[Treatment, str]]:
    """The stages that this run has, and the whole; what an absent one would have shown apart is said of the next."""
    said: list[str] = []
    for level, words in rules.stages:
        said.append(words)
        if level in members:
            yield members[level], ", ".join(said)
            said = []
    yield whole, ", ".join([*said, rules.rest])


def _parts(measured: Measured, metric: str, chain: list[tuple[Treatment, str]]) -> Iterator[Part]:
    columns = [measured.values.get(metric, {}).get(treatment.id, {}) for treatment, _ in chain]
    blocks = [block for block in measured.blocks if all(column.get(block, 0.0) > 0 for column in columns)]
    if not blocks:
        return
    level = 1 - measured.plan.stopping.alpha
    whole = columns[-1]
    for place, (_, words) in enumerate(chain):
        less = columns[place - 1] if place else dict.fromkeys(blocks, 0.0)
        seconds = [columns[place][block] - less[block] for block in blocks]
        shares = [value / whole[block] for value, block in zip(seconds, blocks, strict=True)]
        yield Part(words, over_blocks(seconds, level, "s"), over_blocks(shares, level, "share"))
