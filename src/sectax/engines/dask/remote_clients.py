"""Client processes on workers: the worker's side and the coordinator's.

Data is `Sealed`, and functions on a worker raise `JobAbandoned` only, as in `worker`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sectax.engines.dask.cluster import Cluster, WorkerLost
from sectax.engines.dask.worker import LINE_LIMIT, JobAbandoned, JobFailure, Sealed, host_lock, is_wanted
from sectax.hosts.places import Variables
from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildError, ChildSilent
from sectax.hosts.registry import host
from sectax.parts.cache import bundled, cache_folder

# Interval at which a worker checks whether a client was ended.
_POLL_S = 0.5
# Time for a client to start, and for a round trip.
_START_S, _WAY_S = 30.0, 1.0
# After a client is silent for the first, its worker must answer within the second. TCP notices a broken network sooner.
_SILENT_S, _ANSWERS_S = 45.0, 10.0
_NO_CLIENT = -1
# Limit of clients on one host; each has a thread.
_MOST = 1000
# The coordinator has its own time limit, and ends clients.
_LONGEST_S = 24 * 3600.0


class ClientsActor:
    """Dask actor with the clients of a block on one host, holding the host's lock.

    Blocks themselves are tasks: Dask considers a worker with actors only idle (`Scheduler.check_idle`).
    """

    def __init__(self, lock: str, limit_s: float) -> None:
        """Args: as of `work`. Raises `JobAbandoned`."""
        self._children: dict[int, Child] = {}
        self._threads = ThreadPoolExecutor(_MOST)
        self._alone = contextlib.ExitStack()
        try:
            self._alone.enter_context(host_lock(lock, time.monotonic() + limit_s, is_wanted()))
        except OSError as error:
            raise JobAbandoned(f"its lock cannot be created: {error.strerror}") from None

    async def start(self, number: int, argv: Sequence[tuple[str, str]], without: Sequence[str], more: Sealed) -> object:
        """Start a program; returns None or a `JobFailure`.

        Args:
            argv: from `packed`.
            without, more: as of `Variables`; *more* in lines of `NAME=VALUE`.
        """
        extra = dict(line.split("=", 1) for line in more.content.decode().splitlines())

        def start() -> None:
            env = Variables(tuple(without), extra).of(os.environ)
            self._children[number] = host().start(unpacked(argv), env=env, line_limit=LINE_LIMIT)

        return await self._in_thread(start)

    async def exchange(self, number: int, line: Sealed, longest_s: float) -> object:
        """Send a line; returns the answer `Sealed`, or a `JobFailure`."""

        def exchange() -> Sealed:
            child, deadline = self._children[number], time.monotonic() + longest_s
            child.send(line.content, deadline)
            while True:
                try:
                    return Sealed(child.receive_line(min(deadline, time.monotonic() + _POLL_S)))
                except ChildSilent:
                    if number not in self._children or time.monotonic() >= deadline:
                        raise

        return await self._in_thread(exchange)

    async def wait(self, number: int, longest_s: float) -> object:
        return await self._in_thread(lambda: self._children[number].wait(time.monotonic() + longest_s))

    async def end(self, number: int) -> None:
        if number in self._children:
            self._children.pop(number).kill()

    async def _in_thread(self, work: Callable[[], object]) -> object:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except Exception as error:  # also if the client was ended meanwhile
            return JobFailure(str(error) or type(error).__name__)

    def __del__(self) -> None:
        for child in self._children.values():
            with contextlib.suppress(Exception):
                child.kill()
        self._alone.close()


def _roots() -> Mapping[str, str]:
    """Folders whose paths differ between hosts."""
    return {"python": sys.executable, "cache": str(cache_folder()), "clients": str(bundled("clients", "."))}


def packed(argv: Sequence[str]) -> list[tuple[str, str]]:
    """Split words of a command into a root that differs between hosts, and the rest."""
    roots = _roots().items()
    return [
        next(((name, word[len(root) :]) for name, root in roots if f"{word}/".startswith(f"{root}/")), ("", word))
        for word in argv
    ]


def unpacked(argv: Sequence[tuple[str, str]]) -> list[str]:
    roots = _roots()
    return [roots.get(name, "") + rest for name, rest in argv]


class RemoteClientHost:
    """Implements `ClientHost` on a host of a cluster."""

    def __init__(self, cluster: Cluster, name: str, is_here: bool) -> None:
        self._cluster = cluster
        self.name, self.is_here = name, is_here

    @property
    def processors(self) -> int:
        return int(self._cluster.hosts[self.name].facts["host.cpus"])

    def start(self, argv: Sequence[str], variables: Variables) -> RemoteClient:
        """Start a client on a held host. Raises `WorkerLost` and `ChildError`."""
        return RemoteClient(self._cluster, self.name, argv, variables)


_numbers = itertools.count()


class RemoteClient:
    """Implements `sectax.hosts.places.Process`. Methods but `kill` raise `WorkerLost`."""

    def __init__(self, cluster: Cluster, host: str, argv: Sequence[str], variables: Variables) -> None:
        self._cluster, self._host = cluster, host
        self._number = next(_numbers)
        self._answer: Any = None
        more = Sealed("\n".join(f"{name}={value}" for name, value in variables.more.items()).encode())
        self._result(self._ask("start", packed(argv), variables.without, more), time.monotonic() + _START_S)

    def send(self, data: bytes, deadline: float) -> None:
        """Send a line and request its answer, in one round trip."""
        self._answer = self._ask("exchange", Sealed(data), _LONGEST_S)

    def receive_line(self, deadline: float) -> bytes:
        answer = self._result(self._answer, deadline)
        return answer.content if isinstance(answer, Sealed) else b""

    def wait(self, deadline: float) -> int:
        status = self._result(self._ask("wait", max(0.0, deadline - time.monotonic())), deadline + _WAY_S)
        return status if isinstance(status, int) else 0

    def kill(self) -> None:
        with contextlib.suppress(Exception):
            self._ask("end")

    def _ask(self, what: str, *words: object) -> Any:
        return self._cluster.ask(self._host, what, self._number, *words)

    def _result(self, future: Any, deadline: float) -> object:
        began = time.monotonic()
        while True:
            until = min(deadline, time.monotonic() + _SILENT_S)
            try:
                result = self._cluster.answer(self._host, future, until)
                break
            except TimeoutError:
                self._check_worker(began)
                if until == deadline:
                    raise ChildSilent(deadline - began) from None
        if isinstance(result, JobFailure):
            raise ChildError(result.reason)
        return result

    def _check_worker(self, began: float) -> None:
        """Raise `WorkerLost` if the worker does not answer either."""
        future = self._cluster.ask(self._host, "end", _NO_CLIENT)
        try:
            self._cluster.answer(self._host, future, time.monotonic() + _ANSWERS_S)
        except TimeoutError:
            reason = self._cluster.leave_out_silent(self._host, time.monotonic() - began)
            raise WorkerLost(self._host, reason) from None
