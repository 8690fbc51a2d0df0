"""Measure from this machine with clients on the hosts of a cluster."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace

from sectax.calibration.pilot import Emit, Tick
from sectax.cluster.agreement import abilities, software
from sectax.cluster.options import ClusterOptions
from sectax.cluster.runner import ASKED_S, ClusterRunner, longest_block_s, refuse_changed_hosts
from sectax.engines.dask.cluster import Cluster, WorkerLost
from sectax.engines.dask.engine import PATIENCE
from sectax.engines.dask.remote_clients import ClientsActor, RemoteClientHost
from sectax.engines.engine import BlockFailed, Engine, EngineEvent
from sectax.experiments.interface import Bench, Experiment, Machine, RunRequest
from sectax.hosts.process.host import host_circumstances
from sectax.model.environment import BOOT, Environment
from sectax.model.errors import NothingMeasured, SessionOver, WrongUse
from sectax.model.measured import Measured
from sectax.model.plan import Calibrated
from sectax.model.trial import PlannedBlock
from sectax.run.environment import refuse_change, take_environment
from sectax.run.execution import EventSink, LocalExecution
from sectax.run.machine import machine_snapshot
from sectax.run.progress import Progress


class ClientsRunner(ClusterRunner):
    """This machine, with clients elsewhere."""

    def __init__(self, on: ClusterOptions, progress: Progress, clients: int) -> None:
        super().__init__(on, progress)
        self._clients = clients

    def machine(self, experiment: Experiment, request: RunRequest, say: Callable[[str], None]) -> Machine:
        here, there = machine_snapshot(experiment, request, say), super().machine(experiment, request, say)
        if abilities(here) != abilities(there):
            raise WrongUse(
                "the hosts of the clients and this machine have different parts",
                f"run sectax setup {experiment.name} on all of them",
            )
        return here

    def environment(self, bench: Bench, command_line: str = "", commit: str | None = None) -> Environment:
        hosts = super().environment(bench, command_line, commit).hosts
        here = take_environment(bench, command_line, commit)
        for host, environment in hosts.items():
            refuse_change(
                Environment(software(here)),
                Environment(software(environment)),
                f"{host} has different software from this machine:",
            )
        return replace(here, hosts=here.hosts | hosts)  # one host may replace another

    def refuse_other(self, before: Measured, now: Environment) -> None:
        if not before.sessions[0].hosts:
            raise WrongUse("the clients of this run are on this machine", "leave out --on")
        refuse_changed_hosts(before, now)

    def execution(self, bench: Bench, inputs: Mapping[str, str], sink: EventSink) -> LocalExecution:
        own = host_circumstances()[BOOT]
        places = [
            RemoteClientHost(
                self._cluster, host, self._kind == "local" or self._cluster.hosts[host].facts.get(BOOT) == own
            )
            for host in itertools.islice(itertools.cycle(self._hosts()), self._clients)
        ]
        bench.places = places
        return ClientsExecution(bench, inputs, sink, self._cluster, places)


class ClientsExecution(LocalExecution):
    """Runs blocks here (its own `Engine`) while no other run uses the clients."""

    def __init__(
        self,
        bench: Bench,
        inputs: Mapping[str, str],
        sink: EventSink,
        cluster: Cluster,
        places: Sequence[RemoteClientHost],
    ) -> None:
        super().__init__(bench, inputs, sink)
        self._cluster, self._places = cluster, places
        self._lost = 0

    def calibrate(self, emit: Emit, left_s: Callable[[], float], tick: Tick) -> Calibrated:
        with self._exclusively(ASKED_S):
            return super().calibrate(emit, left_s, tick)

    def engine(self, calibrated: Calibrated) -> Engine:
        self._serial = super().engine(calibrated)
        self._limit_s = longest_block_s(self.block_s(calibrated, pace=calibrated.pace))
        return self

    def run(self, blocks: Sequence[PlannedBlock]) -> Generator[EngineEvent, None, None]:
        for block in blocks:
            try:
                with self._exclusively(self._limit_s), contextlib.closing(self._serial.run([block])) as events:
                    yield from events
                self._lost = 0
            except WorkerLost as error:
                yield BlockFailed(block.number, error.message)
                self._replace(block.number + 1, error)

    @contextlib.contextmanager
    def _exclusively(self, limit_s: float) -> Iterator[None]:
        with contextlib.ExitStack() as held:
            with self._sink.waiting("waiting for the hosts of the clients"):
                held.enter_context(self._cluster.hold((place.name for place in self._places), ClientsActor, limit_s))
            yield

    def _replace(self, first: int, lost: WorkerLost) -> None:
        """Assign the clients to hosts again; `SessionOver` if that keeps failing."""
        self._lost += 1
        if self._lost >= PATIENCE:
            raise SessionOver(
                f"{PATIENCE} blocks in a row were lost; the last one: {lost.message}",
                "resume when the workers are stable and no other run measures on their hosts",
            )
        self._cluster.refresh()
        if not self._cluster.present():
            try:
                with self._sink.waiting("waiting for workers"):
                    self._cluster.find_hosts()
            except NothingMeasured as error:
                raise SessionOver(error.message, "resume when there is one") from error
        before = {place.name for place in self._places}
        for place, host in zip(self._places, itertools.cycle(self._cluster.present()), strict=False):
            place.name = host
        if before != (now := {place.name for place in self._places}):
            self._sink.note(f"from block {first} on the clients ran on {', '.join(sorted(now))}")
