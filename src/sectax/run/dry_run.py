"""Describe what a run would do and cost, without doing it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sectax.experiments import registry
from sectax.experiments.interface import Billable, RunRequest
from sectax.model.bill import Bill
from sectax.prices import load
from sectax.record.appender import check_new
from sectax.reports.words import names, plans
from sectax.run.machine import machine_snapshot
from sectax.run.plan import planned_bench


@dataclass(frozen=True)
class DryRun:
    """A plan in words, with its bill, if any.

    Attributes:
        assumes: the assumptions of the bill. service: what stands in for the paid service.
    """

    plan: tuple[str, ...]
    bill: Bill | None = None
    assumes: str = ""
    service: str = ""

    @property
    def document(self) -> bytes:
        from sectax.reports.json import parts, report

        return parts.encoded(report.DryRun.of(self))

    @property
    def lines(self) -> tuple[str, ...]:
        billed = () if self.bill is None else (*plans.bill(self.bill, self.service), self.assumes)
        return *self.plan, *billed


def dry_run(name: str, request: RunRequest, path: Path, prices: Path | None) -> DryRun:
    """Plan an experiment, and estimate its bill if it uses a paid service.

    Args:
        path: the run file that would be written.
        prices: the user's own price list; None for the built-in one.
    Raises:
        WrongUse: the request, or the price list, cannot be used.
        RecordNotWritable, NothingMeasured: as a run.
    """
    check_new(path)
    experiment = registry.load(name)
    price_list = load(prices)
    machine = machine_snapshot(experiment, request)
    plan = planned_bench(experiment, request, machine).plan
    first, *rest = plans.plan(plan)
    lines = (first, *plans.varied(plan), *rest, plans.expected_duration(plan))
    if not isinstance(experiment, Billable):
        return DryRun(lines)
    return DryRun(lines, price_list.bill(experiment.usage(plan)), experiment.assumes, names.service(plan))
