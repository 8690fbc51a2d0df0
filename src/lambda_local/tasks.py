"""Work that runs beside the rest: kept from being collected, and waited for at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

_FEW = 64


class Tasks:
    """Tasks of the running event loop."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self._most = _FEW

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        # A callback for each that ends would wake the event loop once more for every request.
        if len(self._tasks) >= self._most:
            self._tasks = [task for task in self._tasks if not task.done()]
            self._most = 2 * len(self._tasks) + _FEW
        self._tasks.append(asyncio.get_running_loop().create_task(work))

    async def wait(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
        await self.wait()
