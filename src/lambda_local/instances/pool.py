"""The pool of instances: chooses an idle one for an event, starts new ones, stops unused ones."""

from __future__ import annotations

import asyncio
import itertools
from collections import defaultdict
from collections.abc import Callable

from lambda_local.function import Function
from lambda_local.instances.instance import FunctionInstance
from lambda_local.instances.invocation import Invocation, InvocationOutcome
from lambda_local.instances.lifecycle import Lifecycle, MakeBox
from lambda_local.instances.programs import Runtime
from lambda_local.settings import Settings
from lambda_local.tasks import Tasks

_REAP_EVERY_S = 1.0
_WATCH_EVERY_S = 0.05


class TooManyInstances(Exception):
    """All allowed instances are busy."""


class Pool:
    """The instances of all functions. The most recently used idle instance is chosen first."""

    def __init__(
        self,
        settings: Settings,
        make_box: MakeBox,
        is_current: Callable[[Function], bool],
        ended: Callable[[Function], None],
    ) -> None:
        """Args:
        is_current: returns whether a configuration can still be invoked.
        ended: called after an instance is removed.
        """
        self._settings = settings
        self._make_box = make_box
        self._is_current = is_current
        self._loop = asyncio.get_running_loop()
        self._free: defaultdict[Function, list[FunctionInstance]] = defaultdict(list)
        self._all: set[FunctionInstance] = set()
        self._present: set[FunctionInstance] = set()  # including those that are stopping
        self._ended = ended
        self._ending = Tasks()
        self._removed: asyncio.Future[None] | None = None  # done when the next instance is removed
        self._numbers = itertools.count(1)
        self._background = [self._loop.create_task(self._reap()), self._loop.create_task(self._watch())]

    async def invoke(self, function: Function, runtime: Runtime, invocation: Invocation) -> InvocationOutcome:
        """Run an event in an idle instance or a new one.

        Raises:
            TooManyInstances: all are busy.
            LambdaLocalError: a sandbox could not be created.
        """
        instance = self._take(function) or await self._new(function, runtime)
        try:
            outcome = await instance.invoke(invocation)
        except BaseException:
            self._end(instance, "FAILURE")  # it did not start, or was interrupted
            raise
        self._give_back(instance)
        return outcome

    def functions(self) -> set[Function]:
        """Return the configurations of all instances, including those that are stopping."""
        return {instance.function for instance in self._present}

    def retire(self) -> None:
        """Stop idle instances of outdated configurations; busy ones stop after their event."""
        for function in [function for function in self._free if not self._is_current(function)]:
            for instance in self._free.pop(function):
                self._end(instance, "SPINDOWN")

    async def close(self) -> None:
        """Stop all instances; unfinished invocations fail."""
        for task in self._background:
            task.cancel()
        self._free.clear()
        for instance in list(self._all):
            self._end(instance, "SPINDOWN")
        await self._ending.wait()

    def _take(self, function: Function) -> FunctionInstance | None:
        free = self._free.get(function, [])
        while free:
            instance = free.pop()
            if instance.alive:
                return instance
            self._end(instance, instance.end_reason)
        return None

    async def _new(self, function: Function, runtime: Runtime) -> FunctionInstance:
        """Create an instance, after waiting for room if necessary; or return one that became idle meanwhile."""
        while len(self._present) >= self._settings.instances:
            if len(self._present) == len(self._all):
                self._make_room()
            self._removed = self._removed or self._loop.create_future()
            await asyncio.shield(self._removed)
            if (free := self._take(function)) is not None:
                return free
        name = f"{function.name.lstrip('_-') or 'function'}-{next(self._numbers)}"  # also a host name
        life = Lifecycle(name, function, runtime, self._make_box, self._settings)
        instance = FunctionInstance(function, life)
        self._all.add(instance)
        self._present.add(instance)
        return instance

    def _make_room(self) -> None:
        """Stop the instance that has been idle for the longest time."""
        free = [instance for instances in self._free.values() for instance in instances]
        if not free:
            raise TooManyInstances
        longest = min(free, key=lambda instance: instance.idle_since)
        self._free[longest.function].remove(longest)
        self._end(longest, "SPINDOWN")

    def _give_back(self, instance: FunctionInstance) -> None:
        if instance.alive and self._is_current(instance.function):
            instance.idle_since = self._loop.time()
            self._free[instance.function].append(instance)
        else:
            self._end(instance, instance.end_reason)

    def _end(self, instance: FunctionInstance, reason: str) -> None:
        """Stop an instance in the background."""
        self._all.discard(instance)
        self._ending.start(self._start_ending(instance, reason))

    async def _start_ending(self, instance: FunctionInstance, reason: str) -> None:
        await instance.life.end(reason)
        self._present.discard(instance)
        if self._removed is not None:
            self._removed.set_result(None)
            self._removed = None
        self._ended(instance.function)

    async def _watch(self) -> None:
        """Drain the logs of busy instances and check their memory."""
        while True:
            await asyncio.sleep(_WATCH_EVERY_S)
            free = {instance for instances in self._free.values() for instance in instances}
            for instance in self._all - free:
                instance.life.log.drain()
                instance.life.watch()

    async def _reap(self) -> None:
        while True:
            await asyncio.sleep(min(_REAP_EVERY_S, self._settings.idle_s / 2))
            too_old = self._loop.time() - self._settings.idle_s
            for function, free in list(self._free.items()):
                for instance in [instance for instance in free if instance.idle_since < too_old or not instance.alive]:
                    free.remove(instance)
                    self._end(instance, instance.end_reason)
                if not free:
                    del self._free[function]
