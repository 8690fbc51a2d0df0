"""A healthy run as the analysis sees it, and what may be different in it."""

from __future__ import annotations

import dataclasses

from sectax.analysis.findings import judge
from sectax.audit.own.registry import run
from sectax.model.measured import Measured
from sectax.model.plan import Calibrated, Contents, Shortcut
from sectax.model.subject import Witness
from sectax.model.treatment import Standing
from tests.analysis.runs import MEMORY, around, run_of, with_metric

NOISY = [1.0, 1.3, 0.8, 1.2, 0.7, 1.1, 1.4, 0.9, 1.0, 1.2]


def healthy(**columns: list[float | None]) -> Measured:
    values: dict[str, list[float | None]] = {
        "baseline": list(around(1.0, 10)),
        "slow": list(around(1.5, 10, shift=3)),
        "same": list(around(1.0, 10, shift=4)),
        "negative": list(around(1.0, 10, shift=2)),
        "positive": list(around(1.04, 10, shift=1)),
    }
    return run_of(values | columns)


def said(measured: Measured, check: str | None = None) -> list[tuple[str, str]]:
    """(severity, subject) of every warning of a check."""
    return [
        (warning.severity.value, warning.subject)
        for warning in run(measured, judge(measured))
        if check in (None, warning.check)
    ]


def declaring(measured: Measured, **declares: Witness) -> Measured:
    treatments = tuple(
        dataclasses.replace(one, declares=declares) if one.id == "slow" else one for one in measured.plan.treatments
    )
    return dataclasses.replace(measured, plan=dataclasses.replace(measured.plan, treatments=treatments))


def witnessing(measured: Measured, **names: dict[str, tuple[Witness, ...]]) -> Measured:
    return dataclasses.replace(measured, witnesses=names)


def batches(measured: Measured, **changes: object) -> Measured:
    changed = dataclasses.replace(measured.batches["slow"], **changes)  # type: ignore[arg-type]
    return dataclasses.replace(measured, batches=measured.batches | {"slow": changed})


def telemetry(measured: Measured, **changes: dict[str, float]) -> Measured:
    return dataclasses.replace(measured, telemetry=measured.telemetry | changes)


def equal_output(measured: Measured, slow: tuple[Witness, ...] | None, baseline: tuple[Witness, ...]) -> Measured:
    plan = dataclasses.replace(measured.plan, equal_witnesses=("bytes",))
    every = {name: {"bytes": baseline} for name in measured.values["time"]}
    if slow is None:
        del every["slow"]
    else:
        every["slow"] = {"bytes": slow}
    return dataclasses.replace(measured, plan=plan, witnesses=every)


def witnessing_equal(told: dict[str, str], *names: str) -> Measured:
    """A healthy run of a plan that expects these witnesses to be equal, told by these treatments."""
    measured = healthy()
    plan = dataclasses.replace(measured.plan, equal_witnesses=names)
    witnesses: dict[str, dict[str, tuple[Witness, ...]]] = {
        treatment: dict.fromkeys(names, (value,)) for treatment, value in told.items()
    }
    return dataclasses.replace(measured, plan=plan, witnesses=witnesses)


def calibrated(measured: Measured, rounds: int = 0, **changes: object) -> Measured:
    """The run after another pilot: what it froze of every treatment, or a function of the treatment's name."""
    frozen = measured.calibrated
    calibrations = {
        name: dataclasses.replace(
            one, **{field: value(name) if callable(value) else value for field, value in changes.items()}
        )
        for name, one in frozen.calibrations.items()
    }
    return dataclasses.replace(
        measured, calibrated=Calibrated(calibrations, {"cell": rounds} if rounds else frozen.rounds)
    )


def unsettled(*names: str) -> Measured:
    return calibrated(healthy(), settled=lambda name: name not in names)


def counting(count: int, rounds: int = 8, **columns: list[float | None]) -> Measured:
    """A healthy run whose batches have so many operations."""
    return calibrated(healthy(**columns), rounds, count=count)


def settling(measured: Measured, settle: bool) -> Measured:
    return calibrated(measured, settle=settle)


def in_memory(of_same: float) -> Measured:
    metric = dataclasses.replace(MEMORY, resolution=0.0)
    memory = {"baseline": around(1e6, 10), "same": around(of_same, 10, shift=1), "slow": around(1e6, 10, shift=2)}
    if of_same > 1e6:
        memory["slow"] = around(3e6, 10, shift=2)
    return with_metric(healthy(), metric, memory, Standing.SECONDARY)


EVERYONE = dict.fromkeys(("baseline", "slow", "same", "negative", "positive"), "c0ffee")


def without_bodies(measured: Measured) -> Measured:
    """The same times, of operations that move metadata alone."""
    plan = measured.plan
    levels = {treatment.levels[plan.control] for treatment in plan.treatments}
    contents = Contents(plan.control, dict.fromkeys(levels, 1), metadata=tuple(levels))
    return dataclasses.replace(measured, plan=dataclasses.replace(plan, contents=contents))


def leaving_out(measured: Measured, slow: str) -> Measured:
    """Of a plan that knows how some work is left out; the treatment says `whole`, as its baseline does, or not."""
    operations = tuple({treatment.levels[measured.plan.control] for treatment in measured.plan.treatments})
    plan = dataclasses.replace(measured.plan, shortcuts=(Shortcut(operations, "work", "a part is left out", ""),))
    seen: dict[str, dict[str, tuple[Witness, ...]]] = {
        arm: {"work": ("whole",)} for arm in measured.values[plan.metrics[0].name]
    }
    return dataclasses.replace(measured, plan=plan, witnesses=seen | {"slow": {"work": (slow,)}})
