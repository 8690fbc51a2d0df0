"""The plan in the run file, as JSON and as tables for queries."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import msgspec

from sectax.model.errors import WrongUse
from sectax.model.plan import Calibrated, Plan
from sectax.record.errors import refuse_private_keys

Statement = tuple[str, tuple[Any, ...]]


class _OldSkipped(msgspec.Struct):
    mend: str = ""


class _OldPlan(msgspec.Struct):
    skipped: list[_OldSkipped] = []


def to_json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def encode_plan(plan: Plan) -> str:
    """The plan as JSON.

    Raises:
        SecretRefused: an option or a level contains a private key.
        WrongUse: an option is not valid text.
        ValueError: the plan does not survive a round trip (an infinite number).
    """
    for name, option in plan.options.items():
        refuse_private_keys("\n".join(option), f"the option {name}")
    try:
        text = refuse_private_keys(to_json(plan), "the plan")
    except UnicodeEncodeError as error:
        excerpt = error.object[max(error.start - 20, 0) : error.end + 20].encode("utf-8", "backslashreplace").decode()
        raise WrongUse(f"an option is not valid UTF-8: {excerpt}", hint="put the command into a script") from error
    with contextlib.suppress(msgspec.ValidationError):  # infinite numbers are null in JSON
        if decode_plan(text) == plan:
            return text
    raise ValueError("the plan cannot be written as JSON without loss")


_LARGEST_MARGIN = 1.0
_LONGEST_S = 1e9  # thirty years


def decode_plan(text: str) -> Plan:
    """Read a plan; formats 1 and 2 had another name for a skipped treatment's hint."""
    plan = msgspec.json.decode(text, type=Plan)
    stopping = plan.stopping
    if not 0 < stopping.margin <= _LARGEST_MARGIN:
        raise ValueError(f"a margin of {stopping.margin}")
    if stopping.budget_s is not None and not 0 < stopping.budget_s <= _LONGEST_S:
        raise ValueError(f"a budget of {stopping.budget_s} s")
    if '"mend":' not in text:
        return plan
    old = msgspec.json.decode(text, type=_OldPlan).skipped
    skipped = [
        msgspec.structs.replace(new, hint=new.hint or old.mend) for new, old in zip(plan.skipped, old, strict=True)
    ]
    return replace(plan, skipped=tuple(skipped))


def decode_calibrated(text: str) -> Calibrated:
    return msgspec.json.decode(text, type=Calibrated)


def plan_rows(plan: Plan) -> Iterator[Statement]:
    """The statements that write a plan into its tables."""
    for i, factor in enumerate(plan.factors, start=1):
        yield _row("factor", i, factor.name)
        for j, level in enumerate(factor.levels, start=1):
            yield _row("level", factor.name, j, level)
    for i, m in enumerate(plan.metrics, start=1):
        yield _row("metric", i, m.name, m.unit, m.better.value, m.summary.value, m.observed, m.resolution)
    for i, cell in enumerate(plan.cells, start=1):
        yield _row("cell", i, cell.id, cell.family, cell.baseline, to_json(cell.levels))
    numbers = treatment_numbers(plan)
    for t in plan.treatments:
        yield _row("treatment", numbers[t.id], t.id, t.cell, t.role.value, t.extra, to_json(t.levels))
        for name, level in t.levels.items():
            yield _row("treatment_level", numbers[t.id], name, level)
    for i, c in enumerate(plan.comparisons, start=1):
        yield _row("comparison", i, c.id, c.cell, c.treatment, c.baseline, c.metric, c.standing.value, c.alpha)
    for i, s in enumerate(plan.skipped, start=1):
        yield _row("skipped", i, s.treatment, s.reason, s.hint, to_json(s.levels))


def _row(table: str, *values: object) -> Statement:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values  # noqa: S608 - a table of ours


def treatment_numbers(plan: Plan) -> dict[str, int]:
    return {treatment.id: number for number, treatment in enumerate(plan.treatments, start=1)}


def calibration_rows(plan: Plan, calibrated: Calibrated) -> Iterable[Statement]:
    yield "DELETE FROM calibration", ()
    cells = {treatment.id: treatment.cell for treatment in plan.treatments}
    for c in calibrated.calibrations.values():
        timing = (c.batch_s, c.open_s, c.granularity_s, c.clock_read_s, c.empty_s, c.settle)
        rounds = calibrated.rounds.get(cells.get(c.treatment, ""))
        yield _row("calibration", c.treatment, c.count, c.warmup, *timing, rounds)
    yield "UPDATE run SET calibrated = ?", (to_json(calibrated),)
