"""The service as a whole: from the first socket to the last instance."""

from __future__ import annotations

import functools
import socket

from lambda_local.api.functions import Functions
from lambda_local.api.router import LIMITS, Router, admit
from lambda_local.function import Function
from lambda_local.http import HttpServer
from lambda_local.http.server import LOOPBACK
from lambda_local.instances.life import MakeBox
from lambda_local.instances.pool import Pool
from lambda_local.sandbox import Instance, leave
from lambda_local.settings import Settings
from lambda_local.tasks import Tasks
from lambda_local.work_folder import new_folder


class Service:
    """A running local Lambda, in the running event loop.

    Attributes:
        endpoint: the address for AWS's clients.
    """

    def __init__(self, settings: Settings, listener: socket.socket, make_box: MakeBox | None = None) -> None:
        """Args: *listener* from `listen_on_loopback`; it is closed by `stop`."""
        self.endpoint = f"http://{LOOPBACK}:{listener.getsockname()[1]}"
        self._listener = listener
        self._work = new_folder()
        make_box = make_box or functools.partial(Instance.create, self._work)
        self._pool = Pool(settings, make_box, self._is_current, self._instance_ended)
        self._functions = Functions(self._work.path, self._pool.functions)
        self._router = Router(self._functions, self._pool)
        self._server = HttpServer(self._router.handle, LIMITS, admit)
        self._tasks = Tasks()

    async def start(self) -> None:
        """Answer calls from now on."""
        await self._server.listen(self._listener)

    async def stop(self) -> None:
        """End and remove everything."""
        self._server.close()
        await self._router.close()
        await self._pool.close()
        await self._tasks.wait()
        leave(self._work)

    def _is_current(self, function: Function) -> bool:
        return self._functions.is_current(function)

    def _instance_ended(self, function: Function) -> None:
        """Free the disk of code that only this instance still needed."""
        if not self._functions.is_current(function):
            self._tasks.start(self._functions.collect())
