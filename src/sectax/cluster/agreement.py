"""What hosts must have in common, and which of them differ: a pool of blocks is of one software."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sectax.model.environment import Environment
from sectax.model.errors import NothingMeasured
from sectax.model.machine import Machine
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import Witness
from sectax.model.trial import BlockEvent, Closed, Opened

# What begins so is of the machine, and is what a run on several hosts wants to differ.
_OF_THE_MACHINE = "host."

Facts = Mapping[str, str]


def different_hosts(facts: Mapping[str, Facts]) -> dict[str, str]:
    """The hosts that differ from most of them, by name, each with how.

    Raises:
        NothingMeasured: no more than half of them are alike, so nobody knows which ones are right.
    """
    counted = Counter(frozenset(own.items()) for own in facts.values())
    if len(counted) < 2:
        return {}
    (most, count), *_ = counted.most_common()
    right = dict(most)
    different = {host: _difference(right, own) for host, own in facts.items() if frozenset(own.items()) != most}
    if 2 * count <= len(facts):
        host, how = next(iter(different.items()))
        raise NothingMeasured(
            f"the hosts differ, and no more than half of them are alike: {host} has {how}",
            "make them alike (the same sectax, then sectax setup on each), or choose some with --where",
        )
    return different


def _difference(right: Facts, own: Facts) -> str:
    names = sorted(name for name in right.keys() | own.keys() if right.get(name) != own.get(name))
    shown = [f"{name} {own.get(name, 'missing')} (the others: {right.get(name, 'missing')})" for name in names[:2]]
    return ", ".join([*shown, *([f"{len(names) - 2} more"] if len(names) > 2 else [])])


def software(environment: Environment) -> dict[str, str]:
    """What of an identity must be equal on all hosts."""
    return {name: value for name, value in environment.identity.items() if not name.startswith(_OF_THE_MACHINE)}


def abilities(machine: Machine) -> dict[str, str]:
    """What of a snapshot decides about the plan."""
    lacks = {f"part {name}": lack for name, lack in machine.parts.items()}
    lacks |= {f"probe {name}": probe.lack for name, probe in machine.probes.items()}
    lacks |= {f"host {name}": host.lack for name, host in machine.hosts.items()}
    lacks |= {
        f"program {program} on {name}": lack
        for name, host in machine.hosts.items()
        for program, lack in host.programs.items()
    }
    clocks = {f"CPU clock of {name}": str(probe.cpu_clock) for name, probe in machine.probes.items()}
    return {name: "there" if lack is None else lack.reason for name, lack in lacks.items()} | clocks


def promised(plan: Plan, events: Sequence[BlockEvent]) -> dict[tuple[str, str], Witness]:
    """The witnesses that must be the same wherever a treatment is measured, by treatment and name."""
    declared = {treatment.id: {*treatment.declares, *plan.equal_witnesses} for treatment in plan.treatments}
    return {
        (event.treatment, name): value
        for event in events
        if isinstance(event, Opened | Closed)
        for name, value in event.witnesses.items()
        if name in declared.get(event.treatment, ())
    }


def pooled(plan: Plan, by_host: Sequence[Calibrated]) -> Calibrated:
    """One calibration for all hosts: as many operations as the fastest host needs to be timed well.

    So every host does the same work in every block, no batch is too short for its clock, and slower hosts take longer.
    """
    first, *rest = by_host
    calibrations = {}
    for name, of_first in first.calibrations.items():
        of_hosts = [of_first, *(calibrated.calibrations[name] for calibrated in rest)]
        calibrations[name] = replace(
            max(of_hosts, key=lambda calibration: calibration.count),
            warmup=max(calibration.warmup for calibration in of_hosts),
            open_s=max(calibration.open_s for calibration in of_hosts),
            warmup_s=max(
                (calibration.warmup_s for calibration in of_hosts if calibration.warmup_s is not None), default=None
            ),
            waits_s=max(calibration.waits_s for calibration in of_hosts),
            settled=all(calibration.settled for calibration in of_hosts),
        )
    rounds = {cell: max(calibrated.rounds[cell] for calibrated in by_host) for cell in first.rounds}
    return replace(first, calibrations=calibrations, rounds=rounds)


def slower(pooled_: Calibrated, of_host: Calibrated) -> float:
    """How many times longer the work of all hosts takes on one of them than was pooled, its pace included.

    The pace of the whole is that of its slowest host, for all of them are waited for.
    """
    batches_s = sum(
        calibration.count * of_host.calibrations[name].operation_s for name, calibration in pooled_.calibrations.items()
    )
    return of_host.pace * batches_s / sum(calibration.batch_s for calibration in pooled_.calibrations.values())
