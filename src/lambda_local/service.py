"""The service as a whole: from the first socket to the last instance."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import tempfile
from pathlib import Path

from lambda_local import work_folder
from lambda_local.api.admission import LIMITS
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.router import Router, admit
from lambda_local.function import Function
from lambda_local.http import HttpServer
from lambda_local.instances.life import MakeBox
from lambda_local.instances.pool import Pool
from lambda_local.sandbox import Instance
from lambda_local.settings import NAME, Settings
from lambda_local.tasks import Tasks


class Service:
    """A running local Lambda, in the running event loop.

    Attributes:
        endpoint: the address for AWS's clients.
    """

    def __init__(self, settings: Settings, listener: socket.socket, make_box: MakeBox = Instance.create) -> None:
        """Args: *listener* from `listen_on_loopback`; it is closed by `stop`."""
        host, port = listener.getsockname()[:2]
        self.endpoint = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        self._listener = listener
        self._work = new_work_folder()
        self._pool = Pool(settings, make_box, self._is_current, self._instance_ended)
        self._catalogue = Catalogue(settings.region, self._work.path, self._pool.functions)
        self._router = Router(self._catalogue, self._pool)
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
        _remove(self._work.path)
        os.close(self._work.lock)

    def _is_current(self, function: Function) -> bool:
        return self._catalogue.is_current(function)

    def _instance_ended(self, function: Function) -> None:
        """Free the disk of code that only this instance still needed."""
        if not self._catalogue.is_current(function):
            self._tasks.start(self._catalogue.collect())


def new_work_folder() -> work_folder.WorkFolder:
    """Where what is uploaded is unpacked."""
    return work_folder.new_folder(Path(tempfile.gettempdir()), f"{NAME}-{secrets.token_hex(6)}")


def sweep_work_folders() -> None:
    """Remove those of servers that were killed; never raises."""
    work_folder.sweep(Path(tempfile.gettempdir()), f"{NAME}-*", _remove)


def _remove(folder: Path) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    return True
