"""A run of commands as hyperfine would have written it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sectax.experiments import registry
from sectax.experiments.interface import HasCommandLines
from sectax.model.analysed import Analysed
from sectax.model.errors import WrongUse
from sectax.model.treatment import CONTROLS
from sectax.record.reader import RunReader
from sectax.reports import hyperfine
from sectax.reports.hyperfine import TimedCommand
from sectax.text import claims
from sectax.workflow.analyse import analyse_measured

WALL, CPU = "wall", "cpu"

# The forms, by the names of their options (`--export-json`).
FORMS: Mapping[str, Callable[[Sequence[TimedCommand]], str]] = {
    "json": hyperfine.as_json,
    "csv": hyperfine.as_csv,
    "markdown": hyperfine.as_markdown,
}


def exported(run_file: Path, form: str) -> str:
    """All executions that counted. Raises `WrongUse` where the run is not of commands, or one that it names is gone."""
    return FORMS[form](timed_commands(run_file))


def timed_commands(run_file: Path) -> list[TimedCommand]:
    """The commands of a run, in the order of its plan; without those that were never measured."""
    with RunReader.open(run_file) as reader:
        plan, measured = reader.plan(), reader.measured()
        walls, cpus = reader.batches(WALL), reader.batches(CPU)
    experiment = registry.load(plan.experiment)
    if not isinstance(experiment, HasCommandLines):
        raise WrongUse(f"{run_file} is a run of {plan.experiment}, and hyperfine's form is for commands")
    analysed = analyse_measured(measured)
    timed = []
    for treatment, line in experiment.command_lines(plan).items():
        batches = walls.get(treatment, [])
        if not batches:
            continue
        executions = sum(count for _, count in batches)
        cpu, system = _per_execution(cpus.get(treatment, [])), None
        if (in_kernel_s := measured.telemetry.get(treatment, {}).get("system_s")) is not None:
            system = in_kernel_s / executions
        timed.append(
            TimedCommand(
                command=line.text,
                times=tuple(value / count for value, count in batches),
                mean=sum(value for value, _ in batches) / executions,
                user=None if cpu is None or system is None else max(0.0, cpu - system),
                system=system,
                exit_codes=(_exit_code(analysed, treatment),) * len(batches),
                parameters=line.values,
                verdict=_verdict(analysed, treatment),
            )
        )
    return timed


def _per_execution(batches: list[tuple[float, int]]) -> float | None:
    count = sum(count for _, count in batches)
    return sum(value for value, _ in batches) / count if count else None


def _exit_code(analysed: Analysed, treatment: str) -> int | None:
    """Of every execution; None where failures were accepted and there were several."""
    statuses = analysed.measured.witnesses.get(treatment, {}).get("exit_statuses")
    if statuses is None:
        return 0  # any other would have ended the treatment
    return int(str(statuses[0])) if len(statuses) == 1 and str(statuses[0]).isdigit() else None


def _verdict(analysed: Analysed, treatment: str) -> str:
    plan = analysed.measured.plan
    metric = plan.metrics[0]
    for finding in analysed.findings:
        compared = finding.comparison
        if (compared.treatment, compared.metric) == (treatment, metric.name) and compared.standing not in CONTROLS:
            return claims.verdict(finding, metric)
    return "baseline"
