"""The service as a whole: from the first socket to the last instance."""

from __future__ import annotations

import socket

from sectax.sandboxes.instance import Instance
from sectax.stack.lambda_service.api.admission import LIMITS, admit
from sectax.stack.lambda_service.api.functions import Functions
from sectax.stack.lambda_service.api.router import Router
from sectax.stack.lambda_service.http import HttpServer
from sectax.stack.lambda_service.instances.box import MakeBox
from sectax.stack.lambda_service.instances.pool import Pool
from sectax.stack.lambda_service.settings import Settings
from sectax.stack.lambda_service.work_folder import WorkFolder


class Service:
    """A running local Lambda, in the running event loop.

    Attributes:
        endpoint: the address for AWS's clients.
    """

    def __init__(self, settings: Settings, listener: socket.socket, make_box: MakeBox = Instance.create) -> None:
        """Args: *listener* from `loopback.listen`; it is closed by `stop`."""
        host, port = listener.getsockname()[:2]
        self.endpoint = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        self._listener = listener
        self._work = WorkFolder()
        self._functions = Functions(settings.region, self._work.path)
        self._pool = Pool(settings, make_box, self._functions.registry.is_current)
        self._router = Router(self._functions, self._pool)
        self._server = HttpServer(self._router.handle, LIMITS, admit)

    async def start(self) -> None:
        """Answer calls from now on."""
        await self._server.listen(self._listener)

    async def stop(self) -> None:
        """End everything and remove everything."""
        self._server.close()
        await self._router.close()
        await self._pool.close()
        self._work.remove()
