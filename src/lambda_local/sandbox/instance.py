"""An instance from outside: creation, programs, sockets, destruction; and a check whether instances can run here."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lambda_local.inside import wire
from lambda_local.sandbox.groups import Groups, remove_groups
from lambda_local.sandbox.launch import GID, UID, USER, InstanceProcess, expect_answer, map_user, start_launcher
from lambda_local.sandbox.leftovers import leave
from lambda_local.sandbox.limits import InstanceFailed, Limits, vcpus
from lambda_local.sandbox.scratch import scratch
from lambda_local.work_folder import WorkFolder, new_folder

# An exec under a small quota takes a few periods.
_ANSWER_S = 30.0
_END_S = 5.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_HOST_NAME_LENGTH = 64


@dataclass(frozen=True)
class Mount:
    """A folder of the machine, read-only at *target* inside the instance.

    The host's /usr (with /usr/local), /bin, /lib and a few files of /etc are always there. An interpreter elsewhere
    needs mounts at its own path: for a venv `sys.prefix`, and `sys.base_prefix` if outside /usr. The files must be
    readable for all users; the folders above *source* need not be.
    """

    source: Path
    target: str


class Instance:
    """One instance, created by `create` and destroyed at the end of a `with` block. Thread-safe.

    Attributes:
        groups: its limits, counters and freezer; counters are missing after `destroy`.
    """

    def __init__(self, owner: WorkFolder, name: str) -> None:
        self.name = name
        self._staging = owner.staging
        self.groups = Groups(f"{owner.path.name}.{name}.{secrets.token_hex(4)}")
        self._made = self.groups.made
        self._launcher: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._requesting = threading.Lock()  # one request at a time
        self._ending = threading.Lock()
        self._ended = False

    @classmethod
    def create(
        cls, owner: WorkFolder, name: str, limits: Limits, mounts: Sequence[Mount], tmp_mb: int = 512
    ) -> Instance:
        """Create control groups, namespaces and root file system, without starting a program.

        Args:
            owner: the folder of this process; its name identifies leftovers.
            name: letters, digits, '-', '_' and '.'; also the host name inside. Need not be unique.
            mounts: folders in addition to the system's.
            tmp_mb: size of /tmp in MiB: a disk if root can create one (see `scratch`), else memory of the instance.
        Raises:
            SandboxMissing: quotas, memory limits or namespaces are not available.
            InstanceFailed: a mount's source is missing, the kernel refused a limit …
        """
        if not _NAME.fullmatch(name):
            raise InstanceFailed(f"{name!r} is not a name for an instance", "use letters, digits, '-', '_' and '.'")
        for mount in mounts:
            if not mount.source.exists():
                raise InstanceFailed(f"{mount.source} cannot be mounted: it does not exist")
        instance = cls(owner, name)
        try:
            instance._make(limits, mounts, tmp_mb)
        except OSError as error:
            instance.destroy()
            reason = error.strerror or "the launcher does not respond"
            raise InstanceFailed(f"an instance cannot be created: {reason}") from error
        except BaseException:
            instance.destroy()
            raise
        return instance

    def _make(self, limits: Limits, mounts: Sequence[Mount], tmp_mb: int) -> None:
        self._launcher, self._channel = start_launcher(self.name, self._staging)
        self._channel.settimeout(_ANSWER_S)
        # Groups and disk are created while the launcher's interpreter starts.
        with ThreadPoolExecutor(1) as threads:
            disk = threads.submit(scratch, tmp_mb)
            try:
                self.groups.make(limits)
                expect_answer(self._channel, self._launcher)
                map_user(self._launcher.pid)
                self._send_settings(self._channel, limits, mounts, tmp_mb, disk.result())
            finally:
                if (tmp := disk.result()) is not None:
                    os.close(tmp)
        expect_answer(self._channel, self._launcher)

    def _send_settings(
        self, channel: socket.socket, limits: Limits, mounts: Sequence[Mount], tmp_mb: int, tmp: int | None
    ) -> None:
        settings: dict[str, Any] = {
            "hostname": self.name[:_HOST_NAME_LENGTH],
            "staging": str(self._staging),
            "mounts": [(str(mount.source.resolve()), mount.target) for mount in mounts],
            "tmp_mb": tmp_mb,
            "memory_mb": limits.memory_mb,
            "scratch": tmp is not None,
            "user": (USER, UID, GID),
        }
        descriptors = self.groups.procs()
        if (freezer := self.groups.freezer.handle()) is not None:
            descriptors.append(freezer)
            settings["thaw"] = self.groups.freezer.thawing.decode()
        try:
            wire.send(channel, settings, (*descriptors, *(() if tmp is None else (tmp,))))
        finally:
            for fd in descriptors:
                os.close(fd)

    def listen(self, host: str, port: int) -> socket.socket:
        """Return a listening TCP socket in the instance's network; the caller closes it.

        Only programs in the instance reach it, at *host* (a numeric loopback address) and the port; 0 chooses a free
        one. Set TCP_NODELAY on accepted connections.

        Raises:
            InstanceFailed: the port is in use, the address is not loopback, or the instance is gone.
        """
        (fd,) = self._request({"listen": [host, port]}, f"cannot listen on {host} port {port}")
        return socket.socket(fileno=fd)

    def start(self, argv: Sequence[str], env: Mapping[str, str], cwd: str, stdout: int, stderr: int) -> InstanceProcess:
        """Start a program in the instance, as an unprivileged user without capabilities.

        Args:
            argv: program and arguments; a name without a slash is searched on env's PATH. Paths inside the instance.
            env: the whole environment.
            cwd: working directory inside the instance.
            stdout, stderr: descriptors, which the caller may close afterwards. stdin is /dev/null.
        Raises:
            InstanceFailed: the program does not exist or is not executable, or the instance is gone.
        """
        request = {"start": list(argv), "env": dict(env), "cwd": cwd}
        what = f"cannot start {argv[0]}" if argv else "cannot start an empty command"
        pidfd, status = self._request(request, what, (stdout, stderr))
        return InstanceProcess(pidfd, status)

    def __enter__(self) -> Instance:
        return self

    def __exit__(self, *error: object) -> None:
        self.destroy()

    def destroy(self) -> None:
        """Kill all processes and remove everything; idempotent, never raises."""
        with self._ending:
            if self._ended:
                return
            self._ended = True
            self.groups.lift_quota()
            self.groups.freezer.thaw()
            self._end_processes()
            self.groups.close()
            remove_groups(self._made)  # `sweep` retries if it fails

    def _end_processes(self) -> None:
        if self._channel is not None:
            # Wakes up init and any waiting thread; the kernel kills the rest.
            with contextlib.suppress(OSError):
                self._channel.shutdown(socket.SHUT_RDWR)
            with self._requesting:
                self._channel.close()
        if self._launcher is not None:
            try:
                self._launcher.wait(_END_S)
            except subprocess.TimeoutExpired:
                self._launcher.kill()  # init dies with it
                self._launcher.wait()
            if self._launcher.stderr is not None:
                self._launcher.stderr.close()

    def _request(self, request: dict[str, Any], what: str, descriptors: tuple[int, ...] = ()) -> list[int]:
        with self._requesting:
            if self._ended or self._channel is None:
                raise InstanceFailed(f"{what}: the instance {self.name} is gone")
            try:
                wire.send(self._channel, request, descriptors)
            except OSError as error:  # too long, or closed
                raise InstanceFailed(f"{what}: {error.strerror or 'the instance does not respond'}") from error
            try:
                received = wire.receive(self._channel)
            except OSError as error:  # timeout: close, since a late answer would be mistaken for the next
                self._channel.shutdown(socket.SHUT_RDWR)
                raise InstanceFailed(f"{what}: {error.strerror or 'the instance does not respond'}") from error
        if received is None:
            raise InstanceFailed(f"{what}: the instance {self.name} is gone")
        message, answer = received
        if "error" in message:
            raise InstanceFailed(f"{what}: {message['error']}")
        return answer


# The smallest function, whose quota is the most likely to be refused.
_MEMORY_MB = 128


def available() -> str:
    """Return the version of control groups ("v1", "v2") of a trial instance, which takes about 50 ms.

    Raises:
        LambdaLocalError: instances cannot run here.
    """
    owner = new_folder()
    try:
        limits = Limits(_MEMORY_MB, vcpus(_MEMORY_MB))
        with Instance.create(owner, "trial", limits, [], tmp_mb=1) as instance:
            return instance.groups.in_force().cgroup
    finally:
        leave(owner)
