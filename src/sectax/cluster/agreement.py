"""Which hosts differ: blocks are pooled only from hosts with the same software."""

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

# Facts with this prefix describe the machine, and may differ between hosts.
_MACHINE_PREFIX = "host."

Facts = Mapping[str, str]


def different_hosts(facts: Mapping[str, Facts]) -> dict[str, str]:
    """The hosts that differ from the majority, by name, each with the difference.

    Raises:
        NothingMeasured: there is no majority.
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
            f"the hosts differ, and there is no majority: {host} has {how}",
            "install the same on all (the same sectax, then sectax setup on each), or choose some with --where",
        )
    return different


def _difference(right: Facts, own: Facts) -> str:
    names = sorted(name for name in right.keys() | own.keys() if right.get(name) != own.get(name))
    shown = [f"{name} {own.get(name, 'missing')} (the others: {right.get(name, 'missing')})" for name in names[:2]]
    return ", ".join([*shown, *([f"{len(names) - 2} more"] if len(names) > 2 else [])])


def software(environment: Environment) -> dict[str, str]:
    """The part of an identity that must be equal on all hosts."""
    return {name: value for name, value in environment.identity.items() if not name.startswith(_MACHINE_PREFIX)}


def abilities(machine: Machine) -> dict[str, str]:
    """The part of a snapshot that decides about the plan."""
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
    """Witnesses that must be equal on all hosts, by treatment and name."""
    declared = {treatment.id: {*treatment.declares, *plan.equal_witnesses} for treatment in plan.treatments}
    return {
        (event.treatment, name): value
        for event in events
        if isinstance(event, Opened | Closed)
        for name, value in event.witnesses.items()
        if name in declared.get(event.treatment, ())
    }


def pooled(plan: Plan, by_host: Sequence[Calibrated]) -> Calibrated:
    """Pool calibrations: all hosts do as many operations as the fastest needs.

    So all hosts do the same work in every block, and no batch is too short for its clock.
    """
    first, *rest = by_host
    calibrations = {}
    for name, first_calibration in first.calibrations.items():
        by_host_calibrations = [first_calibration, *(calibrated.calibrations[name] for calibrated in rest)]
        calibrations[name] = replace(
            max(by_host_calibrations, key=lambda calibration: calibration.count),
            warmup=max(calibration.warmup for calibration in by_host_calibrations),
            open_s=max(calibration.open_s for calibration in by_host_calibrations),
            warmup_s=max(
                (calibration.warmup_s for calibration in by_host_calibrations if calibration.warmup_s is not None),
                default=None,
            ),
            waits_s=max(calibration.waits_s for calibration in by_host_calibrations),
            settled=all(calibration.settled for calibration in by_host_calibrations),
        )
    rounds = {cell: max(calibrated.rounds[cell] for calibrated in by_host) for cell in first.rounds}
    return replace(first, calibrations=calibrations, rounds=rounds)


def slower(pooled_: Calibrated, own: Calibrated) -> float:
    """How many times longer the pooled work takes on one host, its pace included.

    The run waits for all hosts, so its pace is that of the slowest.
    """
    batches_s = sum(
        calibration.count * own.calibrations[name].operation_s for name, calibration in pooled_.calibrations.items()
    )
    return own.pace * batches_s / sum(calibration.batch_s for calibration in pooled_.calibrations.values())
