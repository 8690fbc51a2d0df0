"""Brings an event to an instance, whoever has sent it: a caller, the queue, or a function URL."""

from __future__ import annotations

from sectax.stack.lambda_service.api.catalogue import Catalogue
from sectax.stack.lambda_service.api.concurrency import Concurrency
from sectax.stack.lambda_service.api.errors import too_many
from sectax.stack.lambda_service.function import Function
from sectax.stack.lambda_service.instances.invocation import Event, Outcome
from sectax.stack.lambda_service.instances.pool import Pool, TooManyInstances


class Invoker:
    """Everything that an invocation goes through, whatever its type."""

    def __init__(self, catalogue: Catalogue, pool: Pool, concurrency: Concurrency) -> None:
        self._catalogue = catalogue
        self._pool = pool
        self._concurrency = concurrency

    async def invoke(self, name: str, qualifier: str | None, event: Event) -> tuple[Function, Outcome]:
        """Run it.

        Returns:
            The configuration that ran (an alias chooses for each event), and what came of it.
        Raises:
            ApiError: there is no such function, or it is busy.
            SectaxError: a sandbox could not be made.
        """
        runtime = await self._catalogue.runtime(self._catalogue.called(name, qualifier).runtime)
        function = self._catalogue.called(name, qualifier)
        with self._concurrency.one_more(self._catalogue.entry(name)):
            try:
                return function, await self._pool.invoke(function, runtime, event)
            except TooManyInstances as error:
                raise too_many() from error
