"""`Event` invocations: taken at once, worked on later, and repeated as Lambda repeats them."""

from __future__ import annotations

import asyncio
import itertools
import sys

from lambda_local.api.catalogue import Catalogue
from lambda_local.api.concurrency import Invoker
from lambda_local.api.errors import ApiError, too_many
from lambda_local.entry import EventSettings
from lambda_local.function import LATEST
from lambda_local.instances.invocation import Event
from lambda_local.tasks import Tasks
from sectax.model.errors import SectaxError

EVENT_BYTES = 1024 * 1024  # AWS Lambda quotas, since October 2025

_DEFAULTS = EventSettings(2, 21_600, 0.0)  # AWS Lambda Developer Guide, "How Lambda handles errors and retries"
# Between attempts to start an event that is refused because all instances are busy. Lambda's own begin at 1 s and grow
# to 5 minutes, for queues of another size.
_BUSY_S = (0.1, 5.0)
_MOST_BYTES = 256 * 1024 * 1024
_OWN_BYTES = 8 * 1024  # what an event takes beside its payload


class EventQueue:
    """The events that wait or are worked on. They are forgotten when the server ends."""

    def __init__(self, catalogue: Catalogue, invoker: Invoker, retry_s: float) -> None:
        """Args: *retry_s* lies before the first repetition, twice as much before the second."""
        self._catalogue = catalogue
        self._invoker = invoker
        self._retry_s = retry_s
        self._tasks = Tasks()
        self._bytes = 0

    def put(self, name: str, qualifier: str | None, event: Event) -> None:
        """Take an event. Raises `ApiError` where too much waits already."""
        if self._bytes + len(event.payload) + _OWN_BYTES > _MOST_BYTES:
            raise too_many()
        self._bytes += len(event.payload) + _OWN_BYTES
        self._tasks.start(self._work(name, qualifier, event))

    async def close(self) -> None:
        """Forget what waits."""
        await self._tasks.cancel()

    async def _work(self, name: str, qualifier: str | None, event: Event) -> None:
        try:
            await self._repeated(name, qualifier, event)
        finally:
            self._bytes -= len(event.payload) + _OWN_BYTES

    async def _repeated(self, name: str, qualifier: str | None, event: Event) -> None:
        loop = asyncio.get_running_loop()
        came = loop.time()
        for attempt in itertools.count():
            settings = self._settings(name, qualifier)
            if not await self._started(name, qualifier, event, came + (settings.age_s or 0)):
                return
            if attempt >= (settings.attempts or 0):
                return
            await asyncio.sleep(self._retry_s * 2**attempt)
            if loop.time() - came > (settings.age_s or 0):
                return

    async def _started(self, name: str, qualifier: str | None, event: Event, deadline: float) -> bool:
        """Run it once, as soon as an instance is free; whether it is to be repeated."""
        pause_s, longest_s = _BUSY_S
        while True:
            try:
                _, outcome = await self._invoker.invoke(name, qualifier, event)
            except ApiError as error:
                if error.status != 429 or asyncio.get_running_loop().time() + pause_s > deadline:
                    return False  # the function is gone, or the event too old
            except SectaxError as error:
                print(f"an event for {name} failed: {error.message} ({error.hint})", file=sys.stderr)  # noqa: T201
                return True
            else:
                return outcome.function_error is not None
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, longest_s)

    def _settings(self, name: str, qualifier: str | None) -> EventSettings:
        entry = self._catalogue.registry.find(name)
        own = None if entry is None else entry.events.get(qualifier or LATEST)
        if own is None:
            return _DEFAULTS
        attempts = _DEFAULTS.attempts if own.attempts is None else own.attempts
        return EventSettings(attempts, own.age_s or _DEFAULTS.age_s, own.modified)
