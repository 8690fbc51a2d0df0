"""A sandbox that limits and separates nothing: plain processes, for tests of everything that is not the sandbox.

It speaks the interface of `lambda_local.sandbox.Instance`. Paths inside (/var/task …) are put back to where the
files really are, and the address of the Runtime API to a free port.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lambda_local.sandbox import PERIOD_US, Counters, InForce, InstanceFailed, Limits, Mount


class PlainProcess:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid
        self._pidfd = os.pidfd_open(process.pid)

    def fileno(self) -> int:
        return self._pidfd

    def poll(self) -> int | None:
        return self._process.poll()

    def kill(self, signum: int = 9) -> None:
        if self._process.poll() is None:
            os.kill(self.pid, signum)

    def end(self) -> None:
        if self._process.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._pidfd)


class PlainBox:
    """`alive` is how many boxes of this class are not destroyed; `counted` makes a class for one test."""

    alive = 0

    def __init__(self, limits: Limits, mounts: Sequence[Mount]) -> None:
        self._limits = limits
        self.quotas: list[float] = []
        self._mounts = sorted(mounts, key=lambda mount: -len(mount.target))
        self._processes: list[PlainProcess] = []
        self._address = ""
        self._destroyed = False
        self._cpu_ns = 0
        type(self).alive += 1

    @classmethod
    def counted(cls) -> type[PlainBox]:
        return type("CountedBox", (cls,), {"alive": 0})

    @classmethod
    def create(cls, name: str, limits: Limits, mounts: Sequence[Mount], tmp_mb: int = 512) -> PlainBox:
        return cls(limits, mounts)

    def listen(self, host: str, port: int) -> socket.socket:
        listener = socket.create_server((host, 0))
        self._address = f"{host}:{listener.getsockname()[1]}"
        return listener

    def start(self, argv: Sequence[str], env: Mapping[str, str], cwd: str, stdout: int, stderr: int) -> PlainProcess:
        words = [self._outside(word) for word in argv]
        environment = {name: self._outside(value) for name, value in env.items()}
        environment["AWS_LAMBDA_RUNTIME_API"] = self._address
        try:
            process = self._popen(words, environment, self._outside(cwd), stdout, stderr)
        except OSError as error:
            raise InstanceFailed(f"{argv[0]}: {error.strerror}") from error
        self._processes.append(PlainProcess(process))
        return self._processes[-1]

    def _popen(
        self, words: list[str], environment: dict[str, str], cwd: str, stdout: int, stderr: int
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            words,
            env=environment,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )

    @property
    def groups(self) -> PlainBox:
        return self

    @property
    def freezer(self) -> PlainBox:
        return self

    def in_force(self) -> InForce:
        return InForce(self._limits.cpu, PERIOD_US, self._limits.memory_mb * 2**20, "none")

    def counters(self, *, times: bool = False) -> Counters:
        self._cpu_ns += 1_000_000
        return Counters(self._cpu_ns, 0, 0, 5, 0)

    def grown(self, resident: int) -> bool:
        return False

    def measure_memory(self) -> tuple[int | None, bool]:
        return 43 * 2**20 - 5, False

    def set_quota(self, cpu: float) -> None:
        self._limits = replace(self._limits, cpu=cpu)
        self.quotas.append(cpu)

    def freeze(self) -> None:
        pass

    def thaw(self) -> None:
        pass

    def destroy(self) -> None:
        if self._destroyed:
            return
        self._destroyed = True
        for process in self._processes:
            process.end()
        type(self).alive -= 1

    def _outside(self, path: str) -> str:
        for mount in self._mounts:
            if path == mount.target or path.startswith(f"{mount.target}/"):
                return str(Path(str(mount.source) + path.removeprefix(mount.target)))
        return path
