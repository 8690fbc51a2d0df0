"""What an instance needs of a sandbox. `lambda_local.sandbox` gives it; tests have a smaller one."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from typing import Protocol

from lambda_local.sandbox import Counters, InForce, Limits, Mount

# Where the programs of an instance find the Runtime API and the Extensions API: the address that Lambda uses.
API_HOST = "127.0.0.1"
API_PORT = 9001


class BoxProcess(Protocol):
    """A program in a sandbox; see `lambda_local.sandbox.InstanceProcess`."""

    def fileno(self) -> int: ...
    def poll(self) -> int | None: ...
    def kill(self, signum: int = 9) -> None: ...


class Box(Protocol):
    """A sandbox; see `lambda_local.sandbox.Instance`."""

    def listen(self, host: str, port: int) -> socket.socket: ...
    def start(self, argv: Sequence[str], env: Mapping[str, str], cwd: str, stdout: int, stderr: int) -> BoxProcess: ...
    def in_force(self) -> InForce: ...
    def counters(self) -> Counters: ...
    def set_quota(self, cpu: float) -> None: ...
    def freeze(self) -> None: ...
    def thaw(self) -> None: ...
    def destroy(self) -> None: ...


class MakeBox(Protocol):
    """Makes a sandbox; see `lambda_local.sandbox.Instance.create`."""

    def __call__(self, name: str, limits: Limits, mounts: Sequence[Mount], tmp_mb: int) -> Box: ...
