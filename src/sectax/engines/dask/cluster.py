"""A Dask cluster as hosts with one or more workers, each doing one job at a time."""

from __future__ import annotations

import contextlib
import ipaddress
import itertools
import logging
import os
import signal
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from typing import Any, Self

from distributed import Client, LocalCluster, Security, as_completed

from sectax.engines.dask.worker import JobAbandoned, JobFailure, Sealed, run_job, worker_facts
from sectax.model.errors import NothingMeasured, SessionOver, WrongUse

PORT = 8786
# Incompletely typed.
_SECURITY: Any = Security
_CLIENT: Any = Client
_LOCAL_CLUSTER: Any = LocalCluster
_AS_COMPLETED: Any = as_completed
# Time limits to connect to a scheduler, to wait for workers, and to reconnect.
CONNECT_S = 10.0
COME_S = 60.0
GONE_S = 60.0
# Intervals to check workers and to poll for answers, and the time limit of a check.
_LOOK_S, _POLL_S = 1.0, 0.02
_ASK_S = 5.0
# A worker checks its own limits; a job that is later than this hangs with its worker.
_GRACE_S = 10.0
_LATE = "it joined after the start of the run"


class WorkerLost(SessionOver):
    """The worker of a host with clients was lost."""

    def __init__(self, host: str, why: str = "its worker is gone") -> None:
        super().__init__(f"clients on {host}: {why}", "sectax resume continues once it or another host is back")


@dataclass
class ClusterHost:
    """A host of the cluster.

    Attributes:
        workers: addresses of its workers.
        left_out: why it is excluded; empty if it is not.
        lost: consecutive lost jobs.
    """

    name: str
    facts: Mapping[str, str]
    workers: list[str] = field(default_factory=list)
    left_out: str = ""
    lost: int = 0


_LISTENING = "0A"  # TCP_LISTEN in /proc/net/tcp


class Cluster:
    def __init__(self, address: str, security: Any) -> None:
        self._address = address
        self._security = security
        self._by_worker = False
        self._resources = contextlib.ExitStack()
        self._client: Any = None
        self._late: list[str] = []
        self._strangers: set[str] = set()  # workers without sectax
        self._numbers = itertools.count()
        self._held: dict[str, tuple[str, Any, Any]] = {}  # by host: worker, future of the actor, actor
        self._begun = False
        self.hosts: dict[str, ClusterHost] = {}

    @classmethod
    def connect(
        cls, address: str, *, ca: str | None, cert: str | None, key: str | None, insecure: bool = False
    ) -> Self:
        """Connect to the scheduler at HOST:PORT.

        Args:
            ca, cert, key: files for TLS; None for those of Dask's configuration.
        Raises:
            WrongUse: no TLS over a network, or an unusable file.
            NothingMeasured: no answer.
        """
        files = {"tls_ca_file": ca, "tls_client_cert": cert, "tls_client_key": key}
        security = _SECURITY(**{name: value for name, value in files.items() if value is not None})
        encrypted = security.tls_ca_file is not None
        if not encrypted and not insecure and _is_loopback(address) and not _is_own_listener(address):
            raise WrongUse(
                f"the scheduler at {address} belongs to another user, who could run programs as you",
                "give --tls-ca, --tls-cert and --tls-key, or --insecure if you trust that user",
            )
        if not encrypted and not insecure and not _is_loopback(address):
            raise WrongUse(
                f"{address} needs TLS: otherwise, others on the network could read the run's keys, and run programs "
                "on the workers",
                "give --tls-ca, --tls-cert and --tls-key, or --insecure on a trusted network",
            )
        if encrypted:
            security.require_encryption = True
            _check_files(security, files)
        cluster = cls(f"{'tls' if encrypted else 'tcp'}://{address}", security)
        cluster._open()
        return cluster

    @classmethod
    def local(cls, workers: int) -> Self:
        """Start a scheduler and workers on this machine, with TLS; each worker is a host."""
        import dask

        _silence_loggers()
        security = _SECURITY.temporary()
        dask.config.set({"distributed.scheduler.allowed-failures": 0})
        # Workers, also restarted ones, must ignore Ctrl-C. The tracker of multiprocessing unblocks the signal as it
        # starts, so it starts first.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            local_cluster = _LOCAL_CLUSTER(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
                worker_dashboard_address=None,
                security=security,
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            raise NothingMeasured(f"{workers} workers could not be started here: {error}", "start fewer") from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        cluster = cls(local_cluster.scheduler_address, security)
        cluster._by_worker = True
        cluster._resources.callback(local_cluster.close)
        cluster._open()
        return cluster

    def close(self) -> None:
        """Disconnect and cancel running jobs; never raises."""
        with contextlib.suppress(Exception):
            if self._client is not None:
                self._client.close(timeout=_ASK_S)
        with contextlib.suppress(Exception):
            self._resources.close()

    def find_hosts(self, at_least: int = 1, wait_s: float = COME_S) -> None:
        """Wait until at least this many hosts have a worker. Raises `NothingMeasured`."""
        deadline = time.monotonic() + wait_s
        while self._update_hosts() and len(self.present()) < at_least:
            if time.monotonic() >= deadline:
                count = len(self.present())
                raise NothingMeasured(
                    f"only {count} of {at_least} hosts joined the cluster within {wait_s:.0f} s",
                    f"start workers with sectax: dask worker {self._address}",
                )
            time.sleep(0.2)

    def present(self) -> tuple[str, ...]:
        """Names of the hosts that can do a job now."""
        return tuple(sorted(name for name, host in self.hosts.items() if host.workers and not host.left_out))

    def refresh(self) -> None:
        """Update the workers, without later hosts. Raises `SessionOver`."""
        self._begun = True
        if not self._is_up():
            self._reconnect()
        self._update_hosts()

    def late(self) -> tuple[str, ...]:
        """Names of the hosts that joined since the last call."""
        late, self._late = tuple(self._late), []
        return late

    def do(
        self, jobs: Mapping[str, bytes], module: str, limit_s: float
    ) -> Generator[dict[str, bytes | JobFailure], None, None]:
        """Run one job per host in parallel; yields answers by host as they arrive.

        Closing the iterator cancels running jobs. Raises `SessionOver` if the scheduler is lost.
        """
        limit_s = float(limit_s)
        waiting: dict[str, tuple[str, Any]] = {}

        def given_up(hosts: Iterable[str], reason: str) -> dict[str, bytes | JobFailure]:
            for name in hosts:
                waiting.pop(name)[1].cancel()
            return dict.fromkeys(hosts, JobFailure(reason))

        began = looked = time.monotonic()
        try:
            for name, job in jobs.items():
                address = self._next_worker(name)
                if address is None:
                    yield {name: JobFailure("its worker is gone")}
                    continue
                waiting[name] = address, self._submit(address, run_job, Sealed(job), module, _lock(name), limit_s)
            names = {future.key: name for name, (_, future) in waiting.items()}
            # Polling every future would be too slow with hundreds of hosts.
            futures = [future for _, future in waiting.values()]
            ended: Any = _AS_COMPLETED(futures, loop=self._connected().loop, with_results=True, raise_errors=False)
            while waiting:
                time.sleep(_POLL_S)
                done = [(names[future.key], future, result) for future, result in ended.next_batch(block=False)]
                answers = {name: _answer(future, result) for name, future, result in done if name in waiting}
                for name in answers:
                    del waiting[name]
                if answers:
                    yield answers
                if not self._is_up():
                    lost = tuple(waiting)
                    waiting.clear()
                    yield dict.fromkeys(lost, JobFailure("the connection to the scheduler was lost"))
                    self._reconnect()
                    return
                now = time.monotonic()
                if now - looked >= _LOOK_S:
                    looked = now
                    gone = self._lost_workers({address for address, _ in waiting.values()})
                    if without := [name for name, (at, _) in waiting.items() if at in gone]:
                        yield given_up(without, "its worker is gone")
                if now - began > limit_s + _GRACE_S:
                    for name in tuple(waiting):
                        yield given_up([name], self.leave_out_silent(name, now - began))
        finally:
            with contextlib.suppress(Exception):
                for _, future in waiting.values():
                    future.cancel()

    @contextlib.contextmanager
    def hold(self, names: Iterable[str], kind: type, limit_s: float) -> Iterator[None]:
        """Reserve hosts for this run, in the order of names to avoid deadlocks.

        Args:
            limit_s: time to wait for another run on a host.
        Raises:
            WorkerLost: a host has no worker, or is not free in time.
        """
        try:
            for name in sorted(set(names)):
                address, began = self._next_worker(name), time.monotonic()
                if address is None:
                    raise WorkerLost(name)
                future = self._submit(address, kind, _lock(name), limit_s, actor=True)
                self._held[name] = address, future, None
                try:
                    actor = self.answer(name, future, began + limit_s + _GRACE_S)
                except TimeoutError:
                    raise WorkerLost(name, self.leave_out_silent(name, time.monotonic() - began)) from None
                self._held[name] = address, future, actor
            yield
        finally:
            with contextlib.suppress(Exception):
                for _, future, _ in self._held.values():
                    future.cancel()
            self._held.clear()

    def ask(self, name: str, what: str, *words: object) -> Any:
        """Call the actor on a held host; returns a future. Raises `WorkerLost`."""
        try:
            return getattr(self._held[name][2], what)(*words)
        except (KeyError, RuntimeError) as error:  # the actor is gone
            raise WorkerLost(name) from error

    def answer(self, name: str, future: Any, deadline: float) -> Any:
        """Wait for the answer of a held host.

        Raises:
            WorkerLost: the worker is gone, or gave up.
            TimeoutError: no answer, although the worker exists.
        """
        while True:
            now = time.monotonic()
            try:
                return future.result(timeout=max(0.01, min(_LOOK_S, deadline - now)))
            except TimeoutError:
                if not self._is_up() or self._lost_workers({self._held[name][0]}):
                    raise WorkerLost(name) from None
                if now >= deadline:
                    raise
            except JobAbandoned as error:
                raise WorkerLost(name, str(error)) from error
            except Exception as error:  # any network error
                raise WorkerLost(name) from error

    def leave_out_silent(self, name: str, for_s: float) -> str:
        """Exclude a host whose worker does not answer; returns the reason."""
        self.hosts[name].left_out = f"it did not answer for {for_s:.0f} s"
        return self.hosts[name].left_out

    def _submit(self, address: str, function: Callable[..., object], *words: object, actor: bool = False) -> Any:
        return self._connected().submit(
            function,
            *words,
            key=f"sectax-{id(self):x}-{next(self._numbers)}",
            workers=[address],
            allow_other_workers=False,
            pure=False,
            retries=0,
            actor=actor,
        )

    def _open(self) -> None:
        _silence_loggers()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about different versions, which are compared elsewhere
                self._client = _CLIENT(self._address, security=self._security, timeout=CONNECT_S, name="sectax")
        except (OSError, TimeoutError, ValueError) as error:
            self._client = None
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise NothingMeasured(
                f"the scheduler at {self._address} cannot be reached: {why}",
                "check that `dask scheduler` is running there, and uses TLS as here",
            ) from error

    def _connected(self) -> Any:
        if self._client is None:
            raise SessionOver(f"there is no connection to the scheduler at {self._address}")
        return self._client

    def _is_up(self) -> bool:
        return self._client is not None and self._client.status == "running"

    def _reconnect(self) -> None:
        """Reconnect to the scheduler or its replacement. Raises `SessionOver`."""
        deadline = time.monotonic() + GONE_S
        while True:
            with contextlib.suppress(Exception):
                if self._client is not None:
                    self._client.close(timeout=1)
            self._client = None
            try:
                self._open()
            except NothingMeasured as error:
                if time.monotonic() >= deadline:
                    reason = f"the scheduler at {self._address} is gone"
                    raise SessionOver(reason, "resume the run once it is back") from error
                time.sleep(1)
            else:
                return

    def _addresses(self) -> frozenset[str] | None:
        """Addresses of the scheduler's workers; None if it does not answer in time."""
        try:
            client = self._connected()
            cores: Mapping[str, int] = client.sync(client.scheduler.ncores, callback_timeout=_ASK_S)
        except Exception:  # any network error
            return None
        return frozenset(cores)

    def _lost_workers(self, addresses: set[str]) -> frozenset[str]:
        addresses_now = self._addresses()
        return frozenset() if addresses_now is None else frozenset(addresses - addresses_now)

    def _update_hosts(self) -> bool:
        """Update the hosts' workers; always true, for a loop's condition."""
        addresses = self._addresses()
        if addresses is None:
            return True
        for host in self.hosts.values():
            host.workers = [address for address in host.workers if address in addresses]
        known = {address for host in self.hosts.values() for address in host.workers} | self._strangers
        for address, facts in self._ask_who(sorted(addresses - known)).items():
            self._host_name(facts).workers.append(address)
        return True

    def _ask_who(self, addresses: list[str]) -> dict[str, dict[str, str]]:
        if not addresses:
            return {}
        client = self._connected()
        names: dict[str, Any] = {}
        if self._by_worker:
            info = client.scheduler_info(n_workers=-1)["workers"]
            names = {address: info[address]["name"] for address in addresses if address in info}
        facts: dict[str, dict[str, str]] = {}
        for address, answer in client.run(worker_facts, workers=addresses, on_error="return").items():
            if isinstance(answer, dict):
                name = {"host.name": f"worker-{int(names[address]) + 1}"} if address in names else {}
                facts[address] = answer | name
            else:
                self._strangers.add(address)
        return facts

    def _host_name(self, facts: Mapping[str, str]) -> ClusterHost:
        """The host of a worker, identified by its kernel's boot ID."""
        boot = "host.name" if self._by_worker else "host.boot_id"
        for host in self.hosts.values():
            if host.facts.get(boot) == facts.get(boot) and host.facts.get(boot):
                return host
        name = facts.get("host.name") or "host"
        names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
        name = next(name for name in names if name not in self.hosts)
        self.hosts[name] = ClusterHost(name, dict(facts), left_out=_LATE if self._begun else "")
        if self._begun:
            self._late.append(name)
        return self.hosts[name]

    def _next_worker(self, name: str) -> str | None:
        """A host's workers in turn."""
        workers = self.hosts[name].workers
        if not workers:
            return None
        workers.append(workers.pop(0))
        return workers[-1]

    @property
    def without_sectax(self) -> tuple[str, ...]:
        """Addresses of workers without sectax."""
        return tuple(sorted(self._strangers))


def _lock(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name)


def _answer(future: Any, result: object) -> bytes | JobFailure:
    if isinstance(result, Sealed):
        return result.content
    killed = JobFailure("its worker was killed" if future.status == "error" else "the scheduler gave it up")
    return result if isinstance(result, JobFailure) else killed


def _check_files(security: Any, files: Mapping[str, str | None]) -> None:
    """Check the files for TLS. Raises `WrongUse`."""
    for path in filter(None, files.values()):
        if not os.access(path, os.R_OK):
            raise WrongUse(f"{path} cannot be read", "give the files of --tls-ca, --tls-cert and --tls-key")
    try:
        if security.get_connection_args("client").get("ssl_context") is None:
            raise WrongUse("TLS needs a client certificate too", "give --tls-cert and --tls-key")
    except OSError as error:  # includes ssl.SSLError
        raise WrongUse(f"the files for TLS cannot be used: {error.strerror or error}", "give PEM files") from error


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_own_listener(address: str) -> bool:
    """Whether a loopback listener is this user's or root's; true if there is none."""
    port = int(address.rpartition(":")[2])
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError), open(table, encoding="ascii") as sockets:
            for fields in (line.split() for line in itertools.islice(sockets, 1, None)):
                is_listener = fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port
                if is_listener and int(fields[7]) not in (0, os.geteuid()):
                    return False
    return True


def _silence_loggers() -> None:
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
