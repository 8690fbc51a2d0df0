"""Times so short that the step of their clock, or of their printed digits, shows in them."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import each_table, ids, sides, things, unknown, worst_of_tables
from sectax.audit.checks.interface import Check, Remark
from sectax.audit.checks.steps import Step, step_of
from sectax.audit.checks.words import duration, named, share
from sectax.audit.form import VALUES, Claim, Evidence, Quantity, Series
from sectax.model.finding import Severity

FEWEST_STEPS, ENOUGH_STEPS = 100, 1000
# Of single values: from this share of zeros on, nothing is known of the time.
MOST_ZEROS = 0.1
# A step, as a share of the value: from here on rounding may change it by 5 %; and a value that is one step long.
COARSE, ONE_TICK = 0.1, 2 / 3
FEWEST_VALUES = 12
# Of the baseline's time: a step that hides less hides no cost that matters.
LEAST_HIDDEN = 0.05
# A mean or median of fewer printed steps: rounding may change it by a quarter.
FEWEST_PRINTED = 3

LONGER = "time many operations together, or print more digits"


def _timed(evidence: Evidence) -> list[Series]:
    return [one for one in evidence.series if one.quantity in (Quantity.TIME, Quantity.TOTAL_TIME)]


def _examine(evidence: Evidence) -> Iterator[Remark]:
    timed = _timed(evidence)
    singly = [group[0] for group in things(timed) if len(group[0].values)]
    yield from _zeros(singly)
    yield from _coarse_values(singly)
    if evidence.imported:
        yield from _printed(timed)
    yield from _clock(timed)
    yield from _lost_in_a_step(evidence)
    bare = [one for one in timed if one.setting.granularity_s is None]
    yield from unknown(bare, "the step of the clock is not reported")


def _zeros(singly: list[Series]) -> Iterator[Remark]:
    shares = {one.id: _zero_share(one) for one in singly}
    for severity in (Severity.FATAL, Severity.WARNING):
        yield from worst_of_tables(
            severity,
            [
                one
                for one in singly
                if shares[one.id] and (shares[one.id] >= MOST_ZEROS) is (severity is Severity.FATAL)
            ],
            lambda one: shares[one.id],
            lambda one: f"{share(shares[one.id])} of {len(one.values)} times are 0",
            "the clock or the printed digits are too coarse for these times",
            LONGER,
        )


def _zero_share(one: Series) -> float:
    import numpy as np

    values = np.asarray(one.values, dtype=np.float64)
    return 1 - int(np.count_nonzero(values)) / values.size


def _coarse_values(singly: list[Series]) -> Iterator[Remark]:
    coarse: dict[str, Step] = {}
    for one in singly:
        step = step_of(one.values) if len(one.values) >= FEWEST_VALUES and min(one.values) > 0 else None
        if step is not None and step.hides_the_spread and step.step >= COARSE * step.typical:
            coarse[one.id] = step
    for severity in (Severity.FATAL, Severity.WARNING):

        def is_of(one: Series, severity: Severity = severity) -> bool:
            step = coarse[one.id]
            return (step.step >= ONE_TICK * step.typical) is (severity is Severity.FATAL)

        yield from worst_of_tables(
            severity,
            [one for one in singly if one.id in coarse and is_of(one)],
            lambda one: coarse[one.id].step / coarse[one.id].typical,
            lambda one: (
                f"times come in steps of {duration(coarse[one.id].step)}; a typical one is "
                f"{duration(coarse[one.id].typical)}"
            ),
            "rounding alone may change it, and more values do not average that out",
            LONGER,
        )


def _printed(timed: list[Series]) -> Iterator[Remark]:
    """Summaries that are printed as no time at all, or in one or two steps."""
    centres = [(one, claim) for one in timed if not len(one.values) for claim in one.claims if _is_centre(claim)]
    nothing = [one for one, claim in centres if claim.value == 0 and one.work.operations != 0]
    yield from each_table(
        Severity.WARNING,
        dict.fromkeys(nothing),
        lambda table: f"a time is printed as 0, in {named(one.id for one in table)}",
        "the clock or the printed digits are too coarse for it, or nothing was done",
        LONGER,
    )
    few = {one: claim for one, claim in centres if 0 < claim.value < FEWEST_PRINTED * claim.step}
    yield from each_table(
        Severity.WARNING,
        few,
        lambda table: (
            f"times are printed in steps of {duration(few[table[0]].step)}, and {few[table[0]].id} is "
            f"{duration(few[table[0]].value)}"
        ),
        f"rounding alone may change it by {100 * 0.5 / (FEWEST_PRINTED - 1):.0f} % or more",
        "use the rate, or a tool that prints more digits",
    )


def _is_centre(claim: Claim) -> bool:
    return claim.statistic in ("mean", "median", "one", "total", VALUES, None)


def _clock(timed: list[Series]) -> Iterator[Remark]:
    """Each value is a batch; where they are not reported, the summary is the only one."""
    steps = {one: steps for one in timed if (steps := _clock_steps(one)) is not None and steps < ENOUGH_STEPS}
    for severity in (Severity.FATAL, Severity.WARNING):
        yield from worst_of_tables(
            severity,
            [one for one, count in steps.items() if (count < FEWEST_STEPS) is (severity is Severity.FATAL)],
            lambda one: -steps[one],
            lambda one: (
                f"the shortest batch lasts {steps[one]:.0f} steps of its clock "
                f"({duration(one.setting.granularity_s or 0.0)} each)"
            ),
            "rounding alone may change it",
            "longer batches",
        )


def _clock_steps(one: Series) -> float | None:
    if one.setting.granularity_s is None or one.typical is None:
        return None
    together = (one.work.batch or 1.0) if one.quantity is Quantity.TIME else 1.0
    return (min(one.values) if len(one.values) else one.typical) * together / one.setting.granularity_s


def _lost_in_a_step(evidence: Evidence) -> Iterator[Remark]:
    """F: two sides come in steps that hide their spread, and they are nearer to each other than a step."""
    contrast = evidence.contrast
    if contrast is None or contrast.baseline is None:
        return
    for group in sides(evidence):
        steps = {
            one.levels[contrast.factor]: (one, step)
            for one in group
            if one.quantity is Quantity.TIME
            and len(one.values) >= FEWEST_VALUES
            and min(one.values) > 0
            and (step := step_of(one.values)) is not None
            and step.hides_the_spread
        }
        if contrast.baseline not in steps:
            continue
        baseline, base = steps.pop(contrast.baseline)
        for one, step in steps.values():
            coarse, hidden = max(step.step, base.step), max(step.hides, base.hides)
            if hidden >= LEAST_HIDDEN * base.typical and abs(step.typical - base.typical) < coarse:
                yield Remark(
                    Severity.FATAL,
                    one.table,
                    f"{one.id} and {baseline.id} differ by less than one step of their times ({duration(coarse)})",
                    f"a cost of up to {share(hidden / base.typical)} would not show",
                    LONGER,
                    ids([one, baseline]),
                )


TIMER = Check(
    id="timer",
    rule="F: times that are 0 or one step of their clock long, a batch under 100 steps, sides nearer to each other "
    "than the "
    "step that hides their spread; W: under 1000 steps, steps of over a tenth of the value, summaries printed "
    "as 0 or in "
    "one or two steps",
    examine=_examine,
    sees=lambda evidence: ids(_timed(evidence)),
)
