"""Whether a recorded plan is one: its names refer to each other, and its numbers make sense."""

from __future__ import annotations

import math

from sectax.model.plan import Calibrated, Plan
from sectax.model.treatment import Role

_LONGEST_S = 1e9  # thirty years
_MOST = 10**9  # blocks, rounds or operations


def check_plan(plan: Plan) -> None:
    """Raise `LookupError` for a name that is not in the plan, and `ValueError` for a senseless number."""
    cells, treatments = {cell.id: cell for cell in plan.cells}, {member.id: member for member in plan.treatments}
    metrics = {metric.name for metric in plan.metrics}
    named = (len(cells), len(treatments), len(metrics), len({comparison.id for comparison in plan.comparisons}))
    every = (plan.cells, plan.treatments, plan.metrics, plan.comparisons)
    if not (cells and metrics) or named != tuple(map(len, every)):
        raise ValueError("a plan without cells or metrics, or with two of a name")
    if plan.control not in {factor.name for factor in plan.factors}:
        raise LookupError(plan.control)
    for cell in plan.cells:
        if treatments[cell.baseline].role is not Role.BASELINE or treatments[cell.baseline].cell != cell.id:
            raise ValueError(f"{cell.baseline} is not the baseline of {cell.id}")
        _check_range(f"a batch of {cell.id}", cell.batch_s or 0, 0, _LONGEST_S)
    for member in plan.treatments:
        _ = cells[member.cell]
        _check_range(f"the extra work of {member.id}", member.extra, 0, 100)
    for comparison in plan.comparisons:
        pair = treatments[comparison.treatment], treatments[comparison.baseline]
        if comparison.metric not in metrics or any(member.cell != comparison.cell for member in pair):
            raise ValueError(f"{comparison.id} compares what is not there")
        _ = [member.levels[plan.control] for member in pair]
        _check_range(f"the error level of {comparison.id}", comparison.alpha, 1e-300, 1)
    _check_numbers(plan)


def _check_numbers(plan: Plan) -> None:
    stopping, (fewest, most) = plan.stopping, plan.rounds_range
    for metric in plan.metrics:
        _check_range(f"the resolution of {metric.name}", metric.resolution, 0, math.inf)
    for name, value, least, largest in (
        ("an error level", stopping.alpha, 1e-300, 1),
        ("a number of blocks", stopping.max_blocks, 1, _MOST),
        ("a number of blocks", stopping.fixed_blocks, 1, _MOST),
        ("a batch", plan.batch_s, -_LONGEST_S, _LONGEST_S),
        ("a gap", plan.gap_s, 0, _LONGEST_S),
        ("a number of rounds", fewest, 0, most),
        ("a number of rounds", most, 1, _MOST),
        ("treatments at once", plan.together, 0, _MOST),
    ):
        _check_range(name, value, least, largest)


def check_calibrated(plan: Plan, calibrated: Calibrated) -> None:
    """As `check_plan`, for the result of the pilot."""
    treatments, cells = {member.id for member in plan.treatments}, {cell.id for cell in plan.cells}
    if not (calibrated.calibrations.keys() <= treatments and calibrated.rounds.keys() <= cells):
        raise ValueError("the pilot has what the plan has not")
    for name, calibration in calibrated.calibrations.items():
        _check_range(f"the batch of {name}", calibration.batch_s, 0, _LONGEST_S)
        _check_range(f"operations of {name}", calibration.count, 1, _MOST)
        for value in vars(calibration).values():
            if isinstance(value, int | float):
                _check_range(f"a value of {name}", value, -_LONGEST_S, 1e15)
    for name, rounds in calibrated.rounds.items():
        _check_range(f"rounds of {name}", rounds, 1, _MOST)
    _check_range("a last look", calibrated.last_look, 0, _MOST)
    _check_range("a pace", calibrated.pace, 1e-9, _LONGEST_S)


def _check_range(name: str, value: float | None, least: float, most: float) -> None:
    if value is not None and not least <= value <= most:
        raise ValueError(f"{name} of {value}")
