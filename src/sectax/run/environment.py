"""The environment of a session: hosts, software, and other load."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.metadata import version

from sectax import __version__
from sectax.experiments.interface import Bench
from sectax.hosts.process.errors import ChildError
from sectax.hosts.process.host import host_circumstances, host_identity
from sectax.hosts.registry import host
from sectax.model.environment import COMMAND_LINE, LOCAL_HOST, Environment
from sectax.model.errors import NothingMeasured, WrongUse
from sectax.run.git import revision_facts

# A load above this share of the processors competes with what is measured.
_BUSY = 0.5
# A smaller slowdown is within noise.
SLOWED = 1.15
# Our own libraries that influence figures.
_OWN_LIBRARIES = ("numpy", "scipy", "msgspec", "cryptography", "pycryptodome")


def take_environment(bench: Bench, command_line: str = "", commit: str | None = None) -> Environment:
    """Read this machine, the other hosts of the plan and the software of the subjects.

    Args:
        commit: the commit under test, if it is a checkout; None for that of the current folder.
    """
    own, machine = of_this_process(command_line, commit), host()
    by_host = of_hosts(bench.plan.hosts)
    circumstances = bench.circumstances()
    return Environment(
        machine.identity() | own.identity | bench.identity(),
        machine.circumstances() | own.circumstances | circumstances.get(LOCAL_HOST, {}),
        {
            name: replace(environment, circumstances=environment.circumstances | circumstances.get(name, {}))
            for name, environment in by_host.items()
        },
    )


def of_this_process(command_line: str = "", commit: str | None = None) -> Environment:
    """The software of sectax itself, and its command line."""
    own = {"sectax": __version__} | {f"sectax.{name}": version(name) for name in _OWN_LIBRARIES}
    called = {COMMAND_LINE: command_line} if command_line else {}
    return Environment(own, called | revision_facts(checkout=commit))


def of_hosts(names: Iterable[str]) -> dict[str, Environment]:
    """Read hosts other than this machine, by name.

    Raises:
        NothingMeasured: one of them cannot be reached.
    """
    try:
        return {name: Environment(host(name).identity(), host(name).circumstances()) for name in names}
    except ChildError as error:
        raise NothingMeasured(
            f"a host of this run cannot be reached: {error}", "make it reachable, then try again"
        ) from error


def refuse_change(
    before: Environment, now: Environment, what: str = "the environment has changed since the run began:"
) -> None:
    """Raise `WrongUse` (with *what*) if both sessions do not fit in one run."""
    old, new = before.whole_identity(), now.whole_identity()
    changed = [
        f"{name}: {old.get(name, 'missing')} then, {new.get(name, 'missing')} now"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    if changed:
        raise WrongUse(
            f"{what} {'; '.join(changed)}",
            "what was measured stays readable (sectax show); start a new run for the new environment",
        )


@dataclass(frozen=True)
class MachineLoad:
    """The load average of the last minute, and the processors available to sectax."""

    load: float
    cpus: int

    @property
    def busy(self) -> bool:
        return self.load > _BUSY * self.cpus

    def __str__(self) -> str:
        return f"{self.load:.2f} on {self.cpus} processors"


def slowdown(at_most_s: float = 0.2) -> float:
    """Ratio of wall to CPU time of a busy loop: 1 on an idle machine."""
    began, worked = time.monotonic(), time.thread_time()
    while (passed := time.monotonic() - began) < at_most_s:
        pass
    return max(1.0, passed / max(time.thread_time() - worked, 1e-3))


def machine_load() -> MachineLoad:
    return MachineLoad(float(host_circumstances()["host.load"].split()[0]), int(host_identity()["host.cpus"]))
