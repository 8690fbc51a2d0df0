"""Runs the service until it is asked to stop."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable

from lambda_local import sandbox
from lambda_local.errors import LambdaLocalError, WrongUse
from lambda_local.http.server import listen_on_loopback
from lambda_local.sandbox import SandboxMissing
from lambda_local.service import Service
from lambda_local.settings import API_PORT, Settings

_OPEN_FILES = 16 * 1024
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def serve(settings: Settings, ready: Callable[[str], None], *, until_stdin_ends: bool = False) -> None:
    """Serve until a signal asks to stop (INT, TERM, HUP), then end and remove everything.

    Args:
        ready: called with the endpoint as soon as calls are answered.
        until_stdin_ends: the end of stdin is such a signal too: it is how a server learns that whoever started it is
            dead.
    Raises:
        SandboxMissing: this machine, or this user, cannot make instances.
        WrongUse: the port is taken.
    """
    check(settings)
    _allow_open_files()
    sandbox.sweep()
    listener = listen_on_loopback(settings.port)
    asyncio.run(_serve(settings, listener, ready, until_stdin_ends))


def check(settings: Settings) -> None:
    """Raise `SandboxMissing` where the wanted instances are not available here, `WrongUse` for what cannot be."""
    ports = [port for _, port in settings.allow]
    twice = {port for port in ports if ports.count(port) > 1}
    if twice or API_PORT in ports:
        what = f"two addresses have port {min(twice)}" if twice else f"port {API_PORT} is the Runtime API's"
        raise WrongUse(f"functions cannot be let to these addresses: {what}", "forward one of them from another port")
    try:
        sandbox.available()
    except LambdaLocalError as error:
        raise SandboxMissing(f"the local Lambda cannot run here: {error.message}", error.hint) from error


def _allow_open_files() -> None:
    """The usual 1024 would be gone when clients and instances have as many connections as they may."""
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
