"""Where a run happens by default: this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Self

from sectax.experiments.interface import Bench, Experiment, Machine, RunRequest
from sectax.model.environment import LOCAL_HOST, Environment
from sectax.model.errors import WrongUse
from sectax.model.measured import Measured
from sectax.run.environment import refuse_change, take_environment
from sectax.run.execution import EventSink, LocalExecution
from sectax.run.machine import machine_snapshot
from sectax.run.session import Session


class LocalRunner:
    """This machine, as a context manager; methods in the order of a run."""

    session: ClassVar[type[Session]] = Session

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to release."""

    def machine(self, experiment: Experiment, request: RunRequest, say: Callable[[str], None]) -> Machine:
        """The snapshot for planning, taken after building what is built on first use."""
        return machine_snapshot(experiment, request, say)

    def environment(self, bench: Bench, command_line: str = "", commit: str | None = None) -> Environment:
        """The environment to record. For the arguments see `take_environment`."""
        return take_environment(bench, command_line, commit)

    def refuse_other(self, before: Measured, now: Environment) -> None:
        """Raise `WrongUse` if the run cannot be continued here."""
        elsewhere = sorted(host for host in before.hosts if host != LOCAL_HOST)
        if elsewhere:
            raise WrongUse(
                f"this run was measured on other hosts: {', '.join(elsewhere)}",
                "name their scheduler: --on dask://ADDRESS",
            )
        refuse_change(before.sessions[0], now)

    def execution(self, bench: Bench, inputs: Mapping[str, str], sink: EventSink) -> LocalExecution:
        """Prepare to measure; nothing is started yet."""
        return LocalExecution(bench, inputs, sink)


# Chooses the runner for an experiment and the values of its own options.
MakeRunner = Callable[[Experiment, Mapping[str, tuple[str, ...]]], LocalRunner]


def local_runner(experiment: Experiment, options: Mapping[str, tuple[str, ...]]) -> LocalRunner:
    """Measure on this machine, whatever the experiment."""
    return LocalRunner()
