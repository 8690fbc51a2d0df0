"""Runs the service until it is stopped."""

from __future__ import annotations

import asyncio
import functools
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable

from lambda_local import sandbox
from lambda_local.api.functions import Functions
from lambda_local.api.router import LIMITS, Router, admit
from lambda_local.errors import LambdaLocalError, WrongUse
from lambda_local.function import Function
from lambda_local.http import HttpServer
from lambda_local.http.server import LOOPBACK, listen_on_loopback
from lambda_local.instances.lifecycle import MakeBox
from lambda_local.instances.pool import Pool
from lambda_local.sandbox import Instance, SandboxMissing, leave
from lambda_local.settings import API_PORT, Settings
from lambda_local.tasks import Tasks
from lambda_local.work_folder import new_folder


class Service:
    """A local Lambda in the running event loop; `endpoint` is the address for AWS's clients."""

    def __init__(self, settings: Settings, listener: socket.socket, make_box: MakeBox | None = None) -> None:
        """Args: *listener* is from `listen_on_loopback`; `stop` closes it."""
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
        await self._server.listen(self._listener)

    async def stop(self) -> None:
        self._server.close()
        await self._router.close()
        await self._pool.close()
        await self._tasks.wait()
        leave(self._work)

    def _is_current(self, function: Function) -> bool:
        return self._functions.is_current(function)

    def _instance_ended(self, function: Function) -> None:
        """Delete code that only this instance used."""
        if not self._functions.is_current(function):
            self._tasks.start(self._functions.collect())


_OPEN_FILES = 16 * 1024
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def serve(settings: Settings, ready: Callable[[str], None], *, until_stdin_ends: bool = False) -> None:
    """Serve until a signal (INT, TERM, HUP), then stop and remove everything.

    Args:
        ready: called with the endpoint when calls are accepted.
        until_stdin_ends: whether to stop at the end of stdin too, which shows that the parent process died.
    Raises:
        SandboxMissing: this machine or user cannot run instances.
        WrongUse: the port is in use.
    """
    check(settings)
    _allow_open_files()
    sandbox.sweep()
    listener = listen_on_loopback(settings.port)
    asyncio.run(_serve(settings, listener, ready, until_stdin_ends))


def check(settings: Settings) -> None:
    """Raise `SandboxMissing` if instances cannot run here, `WrongUse` for invalid settings."""
    ports = [port for _, port in settings.allow]
    twice = {port for port in ports if ports.count(port) > 1}
    if twice or API_PORT in ports:
        what = f"two addresses have port {min(twice)}" if twice else f"port {API_PORT} is the Runtime API's"
        raise WrongUse(f"these addresses cannot be allowed: {what}", "forward one of them from another port")
    try:
        sandbox.available()
    except LambdaLocalError as error:
        raise SandboxMissing(f"the local Lambda cannot run here: {error.message}", error.hint) from error


def _allow_open_files() -> None:
    """Raise the usual limit of 1024, which is too low for all connections of clients and instances."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _serve(
    settings: Settings, listener: socket.socket, ready: Callable[[str], None], until_stdin_ends: bool
) -> None:
    service = Service(settings, listener)
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in _SIGNALS:
        loop.add_signal_handler(number, stop.set)
    if until_stdin_ends:
        loop.add_reader(sys.stdin.fileno(), _watch_stdin, stop)
    try:
        await service.start()
        ready(service.endpoint)
        await stop.wait()
    finally:
        await service.stop()


def _watch_stdin(stop: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        stop.set()
