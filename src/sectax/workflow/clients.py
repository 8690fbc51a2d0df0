"""A run whose blocks are measured from this machine, with the clients of every treatment on the hosts of a cluster."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace

from sectax.engines.dask.cluster import Cluster, WorkerLost
from sectax.engines.dask.far import FarPlace
from sectax.engines.engine import Engine, Lost, News
from sectax.experiments.interface import Bench, Experiment, Machine, Request
from sectax.hosts.process.host import host_circumstances
from sectax.model.environment import BOOT, Environment
from sectax.model.errors import NothingMeasured, SessionOver, WrongUse
from sectax.model.measured import Measured
from sectax.model.plan import Calibrated
from sectax.model.trial import PlannedBlock
from sectax.workflow.alike import abilities, software
from sectax.workflow.at_host import Heard
from sectax.workflow.cluster import ClusterSite
from sectax.workflow.environment import refuse_change, take_environment
from sectax.workflow.machine import machine_for
from sectax.workflow.progress_line import Progress
from sectax.workflow.site import Here, On, WorkHere

# A block that is lost so many times in a row would be lost again.
_PATIENCE = 5


class ClientsSite(ClusterSite):
    """Implements `Site` on this machine, with clients elsewhere."""

    def __init__(self, on: On, progress: Progress, clients: int) -> None:
        super().__init__(on, progress)
        self._clients = clients

    def machine(self, experiment: Experiment, request: Request, say: Callable[[str], None]) -> Machine:
        here, there = machine_for(experiment, request, say), super().machine(experiment, request, say)
        if abilities(here) != abilities(there):
            raise WrongUse(
                "the hosts of the clients lack what this machine has, or have more",
                f"run sectax setup {experiment.name} on all of them",
            )
        return here

    def environment(self, bench: Bench, command_line: str = "", commit: str | None = None) -> Environment:
        hosts = super().environment(bench, command_line, commit).hosts
        here = take_environment(bench, command_line, commit)
        for host, of in hosts.items():
            refuse_change(
                Environment(software(here)), Environment(software(of)), f"{host} has other software than this machine:"
            )
        own = dict(itertools.islice(hosts.items(), self._clients))
        return replace(here, hosts=here.hosts | own)

    def refuse_other(self, before: Measured, now: Environment) -> None:
        Here().refuse_other(before, now)

    def begin(self, bench: Bench, inputs: Mapping[str, str], heard: Heard) -> WorkWithClients:  # type: ignore[override]
        own = host_circumstances()[BOOT]
        places = [
            FarPlace(self._cluster, host, self._kind == "local" or self._cluster.hosts[host].facts.get(BOOT) == own)
            for host in itertools.islice(itertools.cycle(self._hosts()), self._clients)
        ]
        bench.places = places
        return WorkWithClients(bench, inputs, heard, self._cluster, places)


class WorkWithClients(WorkHere):
    def __init__(
        self, bench: Bench, inputs: Mapping[str, str], heard: Heard, cluster: Cluster, places: Sequence[FarPlace]
    ) -> None:
        super().__init__(bench, inputs, heard)
        self._cluster, self._places = cluster, places
        self._lost = 0

    def engine(self, calibrated: Calibrated) -> Engine:  # type: ignore[override]
        return _Engine(super().engine(calibrated), self._again)

    def _again(self, lost: bool) -> None:
        """Where a worker was lost: have every client run where there is one. Raises `SessionOver`."""
        self._lost = self._lost + 1 if lost else 0
        if not lost:
            return
        if self._lost >= _PATIENCE:
            raise SessionOver(f"{_PATIENCE} blocks in a row were lost with a worker", "resume when the workers stay")
        self._cluster.look_again()
        if not self._cluster.present():
            try:
                with self._heard.waiting("waiting for workers"):
                    self._cluster.find_hosts()
            except NothingMeasured as error:
                raise SessionOver(error.message, "resume when there is one") from error
        there = itertools.cycle(self._cluster.present())
        for place in self._places:
            if place.name not in self._cluster.present():
                place.name = next(there)


class _Engine:
    """Implements `Engine` with another one, whose block is lost where a worker is."""

    def __init__(self, engine: Engine, ended: Callable[[bool], None]) -> None:
        """Args: *ended*, is called after every block, with whether it was lost."""
        self._engine, self._ended = engine, ended

    def run(self, blocks: Sequence[PlannedBlock]) -> Generator[News, None, None]:
        for block in blocks:
            try:
                with contextlib.closing(self._engine.run([block])) as news:
                    yield from news
            except WorkerLost as error:
                yield Lost(block.number, error.message)
                self._ended(True)
            else:
                self._ended(False)
