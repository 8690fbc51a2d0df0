"""The options of a cluster and its runner; Dask is imported only if used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sectax.experiments.client_server.load import CLIENTS, client_count
from sectax.experiments.interface import Experiment
from sectax.model.errors import WrongUse
from sectax.run.progress import Progress

if TYPE_CHECKING:
    from sectax.cluster.runner import ClusterRunner


@dataclass(frozen=True)
class ClusterOptions:
    """The options that choose a cluster and its hosts.

    Attributes:
        on: `dask://HOST:PORT` of a scheduler, or `local:N` for N workers on this machine.
        hosts: number of hosts to use; None for all.
        where: `NAME=PATTERN` conditions on the facts of a host; all must match.
        tls_ca, tls_cert, tls_key: files, as Dask names them. insecure: allow a network without TLS.
    """

    on: str
    hosts: int | None = None
    where: tuple[str, ...] = ()
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    insecure: bool = False


def cluster_runner(
    on: ClusterOptions, progress: Progress, experiment: Experiment, options: Mapping[str, tuple[str, ...]]
) -> ClusterRunner:
    """The runner for a cluster; with several clients, only these run there.

    Raises:
        WrongUse: Dask is missing, or the address or the number of clients is invalid.
    """
    try:
        from sectax.cluster.clients import ClientsRunner
        from sectax.cluster.runner import ClusterRunner
    except ImportError as error:
        raise WrongUse("--on needs Dask, which is not installed", "pip install 'sectax[dask]'") from error
    clients = client_count(options) if CLIENTS in experiment.options else 1
    return ClientsRunner(on, progress, clients) if clients > 1 else ClusterRunner(on, progress)
