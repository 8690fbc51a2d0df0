"""Reserved concurrency: how many events of a function may be in work at once, and how many are left for the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from lambda_local.api import requests
from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.errors import invalid, too_many
from lambda_local.entry import Entry
from lambda_local.function import Function
from lambda_local.instances.invocation import Event, Outcome, Stream
from lambda_local.instances.pool import Pool, TooManyInstances


class Concurrency:
    """Counts the events in work, and refuses those past a limit."""

    def __init__(self, catalogue: Catalogue, instances: int) -> None:
        """Args: *instances* is the account's limit: the most that the server keeps alive."""
        self._catalogue = catalogue
        self._instances = instances
        self._working: Counter[str] = Counter()

    def begin(self, entry: Entry) -> None:
        """An event is in work until `end`. Raises `ApiError` (429)."""
        if entry.reserved is not None:
            if self._working[entry.name] >= entry.reserved:
                raise too_many("ReservedFunctionConcurrentInvocationLimitExceeded")
        else:
            reserved = self._catalogue.registry.reserved
            others = sum(count for name, count in self._working.items() if name not in reserved)
            if others >= self._instances - sum(reserved.values()):
                raise too_many()
        self._working[entry.name] += 1

    def end(self, name: str) -> None:
        """An event of this function is in work no more."""
        self._working[name] -= 1
        if not self._working[name]:
            del self._working[name]  # the function may be deleted by now, and never be called again

    async def put(self, catalogue: Catalogue, call: Call) -> dict[str, Any]:
        """PutFunctionConcurrency."""
        wanted = call.read(requests.Concurrency).reserved_concurrent_executions
        requests.between(wanted, 0, self._instances, "reservedConcurrentExecutions")
        async with catalogue.changing():
            entry = catalogue.entry(call.name())
            others = sum(amount for name, amount in catalogue.registry.reserved.items() if name != entry.name)
            if others + wanted > self._instances:
                raise invalid(
                    "Specified ReservedConcurrentExecutions for function decreases account's "
                    f"UnreservedConcurrentExecution below its minimum value of [0]: {self._instances} instances may "
                    f"live at once here, and {others} are reserved for other functions."
                )
            await catalogue.keep(replace(entry, reserved=wanted))
        return {"ReservedConcurrentExecutions": wanted}

    async def get(self, catalogue: Catalogue, call: Call) -> dict[str, Any]:
        """GetFunctionConcurrency."""
        reserved = catalogue.entry(call.name()).reserved
        return {} if reserved is None else {"ReservedConcurrentExecutions": reserved}

    async def delete(self, catalogue: Catalogue, call: Call) -> None:
        """DeleteFunctionConcurrency."""
        async with catalogue.changing():
            await catalogue.keep(replace(catalogue.entry(call.name()), reserved=None))

    async def account(self, catalogue: Catalogue, call: Call) -> dict[str, Any]:
        """GetAccountSettings."""
        entries = catalogue.registry.entries()
        return {
            "AccountLimit": {
                "TotalCodeSize": 80_530_636_800,
                "CodeSizeUnzipped": 262_144_000,
                "CodeSizeZipped": 52_428_800,
                "ConcurrentExecutions": self._instances,
                "UnreservedConcurrentExecutions": self._instances - sum(catalogue.registry.reserved.values()),
            },
            "AccountUsage": {
                "TotalCodeSize": sum(function.code.size for entry in entries for function in entry.functions()),
                "FunctionCount": len(entries),
            },
        }


class Invoker:
    """Everything that an invocation goes through, whatever its type."""

    def __init__(self, catalogue: Catalogue, pool: Pool, concurrency: Concurrency) -> None:
        self._catalogue = catalogue
        self._pool = pool
        self._concurrency = concurrency

    async def invoke(
        self, name: str, qualifier: str | None, event: Event, stream: Callable[[Function], Stream] | None = None
    ) -> tuple[Function, Outcome]:
        """Run it.

        Args:
            stream: given the configuration that will run, what takes its answer part by part.
        Returns:
            The configuration that ran (an alias chooses for each event), and what came of it.
        Raises:
            ApiError: there is no such function, or it is busy.
            SectaxError: a sandbox could not be made.
        """
        function = self._catalogue.called(name, qualifier)
        while (runtime := self._catalogue.runtimes.get(function.runtime)) is None:
            await self._catalogue.find_runtime(function.runtime)
            function = self._catalogue.called(name, qualifier)  # it may be another by now
        if stream is not None:
            event = msgspec.structs.replace(event, stream=stream(function))
        self._concurrency.begin(self._catalogue.entry(name))
        try:
            return function, await self._pool.invoke(function, runtime, event)
        except TooManyInstances as error:
            raise too_many() from error
        finally:
            self._concurrency.end(name)
