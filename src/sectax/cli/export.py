"""Export a run of commands in the JSON of hyperfine 2."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sectax import __version__
from sectax.experiments import registry
from sectax.experiments.interface import HasCommandLines
from sectax.model.errors import WrongUse
from sectax.model.measured import Measured
from sectax.model.subject import Visit
from sectax.record.reader import RunReader
from sectax.reports import hyperfine
from sectax.reports.hyperfine import Origin, TimedCommand

WALL, CPU, PEAK_MEMORY, SYSTEM_S = "wall", "cpu", "peak_memory", "system_s"


def exported(run_file: Path) -> str:
    """All counted executions. Raises `WrongUse` if the run is not of commands."""
    with RunReader.open(run_file) as reader:
        measured = reader.measured()
        visits = reader.visits((WALL, CPU, PEAK_MEMORY), (SYSTEM_S,))
    plan = measured.plan
    experiment = registry.load(plan.experiment)
    if not isinstance(experiment, HasCommandLines):
        raise WrongUse(f"{run_file} is a run of {plan.experiment}: only runs of commands have hyperfine's JSON")
    commands = [
        TimedCommand(
            command=line.text,
            name=line.name,
            measurements=tuple(values for visit in visits[treatment] for values in _measurements(visit)),
            exit_code=_exit_code(measured, treatment),
            parameters=line.values,
            environment=line.env,
        )
        for treatment, line in experiment.command_lines(plan).items()
        if treatment in visits
    ]
    return hyperfine.to_json(commands, _origin(measured))


def _measurements(visit: Visit) -> Iterator[dict[str, float]]:
    """One measurement per batch; memory and kernel time are of the whole visit."""
    batches = {name: [seen for seen in visit.observations if seen.metric == name] for name in (WALL, CPU, PEAK_MEMORY)}
    executions = sum(wall.count for wall in batches[WALL])
    in_kernel_s = visit.telemetry.get(SYSTEM_S)
    for number, wall in enumerate(batches[WALL]):
        values = {hyperfine.WALL: wall.value / wall.count}
        if number < len(batches[CPU]):
            cpu_s = batches[CPU][number].value / batches[CPU][number].count
            values[hyperfine.CPU] = cpu_s
            if in_kernel_s is not None:
                values[hyperfine.SYSTEM] = in_kernel_s / executions
                values[hyperfine.USER] = max(0.0, cpu_s - values[hyperfine.SYSTEM])
        if batches[PEAK_MEMORY]:
            values[hyperfine.MEMORY] = max(seen.value for seen in batches[PEAK_MEMORY])
        yield values


def _exit_code(measured: Measured, treatment: str) -> int | None:
    """The exit status of all executions; None if they differ."""
    statuses = measured.witnesses.get(treatment, {}).get("exit_statuses")
    if statuses is None:
        return 0  # any other would have ended the treatment
    return int(str(statuses[0])) if len(statuses) == 1 and str(statuses[0]).isdigit() else None


def _origin(measured: Measured) -> Origin:
    started = datetime.fromisoformat(measured.started).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    identity = measured.sessions[0].identity if measured.sessions else {}
    return Origin(__version__, started, identity.get("host.machine", ""))
