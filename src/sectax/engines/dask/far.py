"""Clients on the workers of a cluster: what a worker does for them, and how the coordinator speaks to one.

What travels is `Sealed`, and nothing here that runs on a worker raises but `GivenUp`, as in `worker`.
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
from sectax.engines.dask.worker import LINE_LIMIT, GivenUp, JobFailure, Sealed, alone, is_wanted
from sectax.hosts.places import Variables
from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildError, ChildSilent
from sectax.hosts.registry import host
from sectax.parts.cache import bundled, cache_folder

# How often a worker looks whether a client was ended.
_LOOK_S = 0.5
# How long a client may take to start, and the way there and back.
_START_S, _WAY_S = 30.0, 1.0
# A client that is silent for so long may have a worker that hangs; one that does not answers a question within so long.
# TCP gives up a network that is cut before that.
_SILENT_S, _ANSWERS_S = 45.0, 10.0
_NOBODY = -1
# Clients on one host; a thread waits for each.
_MOST = 1000
# The coordinator has a limit of its own, and ends a client that it does not wait for any longer.
_LONGEST_S = 24 * 3600.0


class Clients:
    """The clients of a block on one host: a Dask actor, which is made once no other run measures there.

    They end with it, and the host is free again. (Whole blocks are tasks, and no actor serves both: Dask takes a worker
    that has nothing but actors for idle, and closes it where a time limit is set, in `Scheduler.check_idle`.)
    """

    def __init__(self, lock: str, limit_s: float) -> None:
        """Args: as of `work`. Raises `GivenUp`."""
        self._children: dict[int, Child] = {}
        self._threads = ThreadPoolExecutor(_MOST)
        self._alone = contextlib.ExitStack()
        try:
            self._alone.enter_context(alone(lock, time.monotonic() + limit_s, is_wanted()))
        except OSError as error:
            raise GivenUp(f"its lock cannot be made: {error.strerror}") from None

    async def start(self, number: int, argv: Sequence[tuple[str, str]], without: Sequence[str], more: Sealed) -> object:
        """Start a program. Returns None, or a `JobFailure`.

        Args:
            argv: as of `packed`. without, more: as of `Variables`, in lines of `NAME=VALUE`.
        """
        extra = dict(line.split("=", 1) for line in more.content.decode().splitlines())

        def start() -> None:
            env = Variables(tuple(without), extra).of(os.environ)
            self._children[number] = host().start(unpacked(argv), env=env, line_limit=LINE_LIMIT)

        return await self._in_thread(start)

    async def exchange(self, number: int, line: Sealed, longest_s: float) -> object:
        """Send a line, and give the next one that comes back, `Sealed`; or a `JobFailure`."""

        def exchange() -> Sealed:
            child, deadline = self._children[number], time.monotonic() + longest_s
            child.send(line.content, deadline)
            while True:
                try:
                    return Sealed(child.receive_line(min(deadline, time.monotonic() + _LOOK_S)))
                except ChildSilent:
                    if number not in self._children or time.monotonic() >= deadline:
                        raise

        return await self._in_thread(exchange)

    async def wait(self, number: int, longest_s: float) -> object:
        """Wait until it has ended, and give its exit status."""
        return await self._in_thread(lambda: self._children[number].wait(time.monotonic() + longest_s))

    async def end(self, number: int) -> None:
        if number in self._children:
            self._children.pop(number).kill()

    async def _in_thread(self, work: Callable[[], object]) -> object:
        """In a thread, since others may be waited for meanwhile."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except Exception as error:  # a client that was ended meanwhile, too
            return JobFailure(str(error) or type(error).__name__)

    def __del__(self) -> None:
        for child in self._children.values():
            with contextlib.suppress(Exception):
                child.kill()
        self._alone.close()


def _roots() -> Mapping[str, str]:
    """What lies elsewhere on another host."""
    return {"python": sys.executable, "cache": str(cache_folder()), "clients": str(bundled("clients", "."))}


def packed(argv: Sequence[str]) -> list[tuple[str, str]]:
    """A command for another host: of every word its root there, or none, and the rest."""
    roots = _roots().items()
    return [
        next(((name, word[len(root) :]) for name, root in roots if f"{word}/".startswith(f"{root}/")), ("", word))
        for word in argv
    ]


def unpacked(argv: Sequence[tuple[str, str]]) -> list[str]:
    roots = _roots()
    return [roots.get(name, "") + rest for name, rest in argv]


class FarPlace:
    """Implements `Place` on a host of a cluster."""

    def __init__(self, cluster: Cluster, name: str, is_here: bool) -> None:
        """Args: whether the host is this machine."""
        self._cluster = cluster
        self.name, self.is_here = name, is_here

    @property
    def processors(self) -> int:
        return int(self._cluster.hosts[self.name].facts["host.cpus"])

    def start(self, argv: Sequence[str], variables: Variables) -> FarProcess:
        """Start it on a host that is held. Raises: WorkerLost, ChildError."""
        return FarProcess(self._cluster, self.name, argv, variables)


_numbers = itertools.count()


class FarProcess:
    """Implements `sectax.hosts.places.Process`. All methods but `kill` raise `WorkerLost` where the worker is gone."""

    def __init__(self, cluster: Cluster, host: str, argv: Sequence[str], variables: Variables) -> None:
        self._cluster, self._host = cluster, host
        self._number = next(_numbers)
        self._answer: Any = None
        more = Sealed("\n".join(f"{name}={value}" for name, value in variables.more.items()).encode())
        self._result(self._ask("start", packed(argv), variables.without, more), time.monotonic() + _START_S)

    def send(self, data: bytes, deadline: float) -> None:
        """The answer is asked for at once: one way to the worker and back is enough."""
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
                self._refuse_hanging(began)
                if until == deadline:
                    raise ChildSilent(deadline - began) from None
        if isinstance(result, JobFailure):
            raise ChildError(result.reason)
        return result

    def _refuse_hanging(self, began: float) -> None:
        """Raise `WorkerLost` where not only the client has been silent since *began*, but its worker is too."""
        future = self._cluster.ask(self._host, "end", _NOBODY)
        try:
            self._cluster.answer(self._host, future, time.monotonic() + _ANSWERS_S)
        except TimeoutError:
            reason = self._cluster.leave_out_silent(self._host, time.monotonic() - began)
            raise WorkerLost(self._host, reason) from None
