"""Background tasks, referenced so that they are not garbage-collected, and awaited at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

_MIN_CLEANUP = 64


class Tasks:
    """Tasks of the running event loop."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self._cleanup_at = _MIN_CLEANUP

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        # Without a callback per task, which would wake the event loop again for each request.
        if len(self._tasks) >= self._cleanup_at:
            self._tasks = [task for task in self._tasks if not task.done()]
            self._cleanup_at = 2 * len(self._tasks) + _MIN_CLEANUP
        self._tasks.append(asyncio.get_running_loop().create_task(work))

    async def wait(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
        await self.wait()
