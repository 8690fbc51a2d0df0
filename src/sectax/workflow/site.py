"""Where a run takes place: on this machine, or on the hosts of a cluster. Everything else of a run is one story."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, Self

from sectax.calibration.pilot import Emit, Tick
from sectax.engines.engine import Engine
from sectax.experiments.client_server.load import CLIENTS, clients_of
from sectax.experiments.interface import Bench, Experiment, Machine, Request
from sectax.model.environment import LOCAL_HOST, Environment
from sectax.model.errors import WrongUse
from sectax.model.measured import Measured
from sectax.model.plan import Calibrated
from sectax.workflow.at_host import AtHost, Heard
from sectax.workflow.environment import refuse_change, take_environment
from sectax.workflow.machine import machine_for
from sectax.workflow.progress_line import Progress


@dataclass(frozen=True)
class On:
    """Where to run, as it was asked for.

    Attributes:
        on: `dask://HOST:PORT` of a scheduler, or `local:N` for N workers on this machine.
        hosts: run on so many of its hosts; None for all that are there.
        where: `NAME=PATTERN` of what a host says of itself; all must fit.
        tls_ca, tls_cert, tls_key: files, as Dask names them. insecure: go without TLS over a network.
    """

    on: str
    hosts: int | None = None
    where: tuple[str, ...] = ()
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    insecure: bool = False


class Work(Protocol):
    """A plan at work in its place."""

    def start(self) -> None:
        """Start what the subjects need."""

    def release(self) -> None:
        """Let go of the processors. The bench is closed by its owner."""

    def tried(self) -> int:
        """How many treatments the pilot tries."""

    def calibrate(self, emit: Emit, left_s: Callable[[], float], tick: Tick) -> Calibrated:
        """Make the pilot."""

    def block_s(self, calibrated: Calibrated, *, pace: float = 1.0) -> float:
        """Seconds of a block, or its share of them where hosts run one each at the same time."""

    def hosts(self) -> tuple[str, ...]:
        """Those that can run a block now, by name."""

    def engine(self, calibrated: Calibrated) -> Engine:
        """What runs the blocks."""


class Site:
    """Where a session takes place, as a context manager: this machine. Its methods are in the order of a run."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was taken."""

    def machine(self, experiment: Experiment, request: Request, say: Callable[[str], None]) -> Machine:
        """The snapshot that a plan is made for, once what makes itself on first use is made."""
        return machine_for(experiment, request, say)

    def environment(self, bench: Bench, command_line: str = "", commit: str | None = None) -> Environment:
        """What it is there. Arguments as of `take_environment`."""
        return take_environment(bench, command_line, commit)

    def refuse_other(self, before: Measured, now: Environment) -> None:
        """Raise `WrongUse` where a run that was begun cannot go on here."""
        elsewhere = sorted(host for host in before.hosts if host != LOCAL_HOST)
        if elsewhere:
            raise WrongUse(
                f"the blocks of this run are of other hosts: {', '.join(elsewhere)}",
                "give their scheduler, as in --on dask://ADDRESS",
            )
        refuse_change(before.sessions[0], now)

    def begin(self, bench: Bench, inputs: Mapping[str, str], heard: Heard) -> Work:
        """Make ready to measure; nothing is started yet."""
        return AtHost(bench, inputs, heard)


def site_of(on: On | None, progress: Progress, experiment: Experiment, options: Mapping[str, tuple[str, ...]]) -> Site:
    """Where a run takes place: without *on*, on this machine; with several clients only these are elsewhere.

    Raises:
        WrongUse: the address is not one, or there is no such number of clients.
    """
    if on is None:
        return Site()
    try:
        from sectax.workflow.clients import ClientsSite  # imports Dask
        from sectax.workflow.cluster import ClusterSite
    except ImportError as error:
        raise WrongUse("--on needs Dask, which is not installed", "pip install 'sectax[dask]'") from error
    clients = clients_of(options) if CLIENTS in experiment.options else 1
    return ClientsSite(on, progress, clients) if clients > 1 else ClusterSite(on, progress)
