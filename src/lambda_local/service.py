"""The service as a whole: from the first socket to the last instance."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

from lambda_local.api.admission import LIMITS, admit
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.concurrency import Concurrency, Invoker
from lambda_local.api.event_queue import EventQueue
from lambda_local.api.invoke import Invoke
from lambda_local.api.router import Router
from lambda_local.api.urls import Urls
from lambda_local.function import Function
from lambda_local.http import HttpServer
from lambda_local.instances.box import MakeBox
from lambda_local.instances.log import LogOutput
from lambda_local.instances.pool import Pool
from lambda_local.sandbox import Instance
from lambda_local.settings import Settings
from lambda_local.state import State
from lambda_local.tasks import Tasks
from sectax.model.errors import SectaxError
from sectax.stack.work_folder import WorkFolder

# By which folders that a killed server left are found.
WORK_FOLDERS = "lambda"


class Service:
    """A running local Lambda, in the running event loop.

    Attributes:
        endpoint: the address for AWS's clients.
    """

    def __init__(self, settings: Settings, listener: socket.socket, make_box: MakeBox = Instance.create) -> None:
        """Args: *listener* from `listen_on_loopback`; it is closed by `stop`.

        Raises:
            WrongUse: the state folder or the file for logs cannot be used.
        """
        host, port = listener.getsockname()[:2]
        self.endpoint = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        self._listener = listener
        self._state = State(Path(settings.state)) if settings.state else None
        self._output = LogOutput(settings.logs) if settings.logs else None
        self._work = WorkFolder(WORK_FOLDERS)
        self._catalogue = Catalogue(settings.region, self._work.path, self._state, self._present)
        self._pool = Pool(settings, make_box, self._catalogue.registry.is_current, self._instance_ended, self._output)
        concurrency = Concurrency(self._catalogue, settings.instances)
        invoker = Invoker(self._catalogue, self._pool, concurrency)
        self._queue = EventQueue(self._catalogue, invoker, settings.retry_s)
        self._urls = Urls(self._catalogue, invoker, host)
        invoke = Invoke(self._catalogue, invoker, self._queue)
        self._router = Router(self._catalogue, concurrency, invoke, self._urls, self._changed)
        self._server = HttpServer(self._router.handle, LIMITS, admit)
        self._tasks = Tasks()

    async def start(self) -> None:
        """Answer calls from now on. Raises `SectaxError` where the state cannot be taken in."""
        try:
            await asyncio.to_thread(self._catalogue.restore)
        except OSError as error:
            raise SectaxError(f"the state cannot be unpacked: {error.strerror}", "make room for it") from error
        await self._urls.start()
        await self._server.listen(self._listener)

    async def stop(self) -> None:
        """End everything, and remove everything but the state."""
        self._server.close()
        await self._router.close()
        await self._urls.close()
        await self._queue.close()
        await self._pool.close()
        await self._tasks.wait()
        self._work.remove()
        if self._output is not None:
            self._output.close()
        if self._state is not None:
            self._state.close()

    def _present(self) -> set[Function]:
        return self._pool.functions()

    def _changed(self) -> None:
        self._pool.retire()
        self._urls.close_unused()

    def _instance_ended(self, function: Function) -> None:
        """Free the disk of code that only this instance still needed."""
        if not self._catalogue.registry.is_current(function):
            self._tasks.start(self._catalogue.collect())
