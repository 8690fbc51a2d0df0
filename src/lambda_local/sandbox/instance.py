"""An instance: made, started, read and destroyed from outside; and what of it is available here, by trying it."""

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

# An exec under a small quota takes some periods; more than this is a fault.
_ANSWER_S = 30.0
_END_S = 5.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_HOST_NAME_LENGTH = 64


@dataclass(frozen=True)
class Mount:
    """A folder of the machine, to be seen read-only at *target* inside the instance.

    The host's /usr (with /usr/local), /bin, /lib and a few files of /etc are there already. An interpreter that
    lives elsewhere is given as mounts too, at its own path: for a venv, `sys.prefix` and, where it lies outside
    /usr, `sys.base_prefix`. The files must be readable for others (the instance is nobody's user), the folders above
    *source* need not be.
    """

    source: Path
    target: str


class Instance:
    """One instance. Its methods, and those of its groups, may be called from any thread. Made by `create`,
    and destroyed at the end of a `with` block.

    Attributes:
        groups: its limits, its counters and its freezer; the counters are missing once it is destroyed.
    """

    def __init__(self, owner: WorkFolder, name: str) -> None:
        self.name = name
        self._staging = owner.staging
        self.groups = Groups(f"{owner.path.name}.{name}.{secrets.token_hex(4)}")
        self._made = self.groups.made
        self._launcher: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._asking = threading.Lock()  # one request at a time
        self._ending = threading.Lock()
        self._ended = False

    @classmethod
    def create(
        cls, owner: WorkFolder, name: str, limits: Limits, mounts: Sequence[Mount], tmp_mb: int = 512
    ) -> Instance:
        """Make control groups, namespaces and root; no program of the user runs yet.

        Args:
            owner: the folder of this process, by whose name a later one finds what is left of the instance.
            name: letters, digits, '-', '_' and '.'; also the host name inside. Need not be unique.
            mounts: what is to be seen inside besides the system's folders.
            tmp_mb: size of /tmp in MiB: a disk of its own where root can make one (see `scratch`), else its memory.
        Raises:
            SandboxMissing: no quota, no memory limit or no namespaces can be had.
            InstanceFailed: a mount's source is missing, the kernel refused a limit …
        """
        if not _NAME.fullmatch(name):
            raise InstanceFailed(f"{name!r} is no name of an instance", "letters, digits, '-', '_' and '.'")
        for mount in mounts:
            if not mount.source.exists():
                raise InstanceFailed(f"{mount.source} is to be seen in an instance and does not exist")
        instance = cls(owner, name)
        try:
            instance._make(limits, mounts, tmp_mb)
        except OSError as error:
            instance.destroy()
            raise InstanceFailed(f"no instance can be made: {error.strerror or 'the launcher is silent'}") from error
        except BaseException:
            instance.destroy()
            raise
        return instance

    def _make(self, limits: Limits, mounts: Sequence[Mount], tmp_mb: int) -> None:
        self._launcher, self._channel = start_launcher(self.name, self._staging)
        self._channel.settimeout(_ANSWER_S)
        # The groups and the disk are made while the launcher's interpreter starts.
        with ThreadPoolExecutor(1) as threads:
            disk = threads.submit(scratch, tmp_mb)
            try:
                self.groups.make(limits)
                expect_answer(self._channel, self._launcher)
                map_user(self._launcher.pid)
                self._furnish(self._channel, limits, mounts, tmp_mb, disk.result())
            finally:
                if (tmp := disk.result()) is not None:
                    os.close(tmp)
        expect_answer(self._channel, self._launcher)

    def _furnish(
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
        """A listening TCP socket inside the instance's network, held by the caller outside (who closes it).

        Programs in the instance reach it at *host* (a loopback address, as a number) and the port; nobody else does.
        Port 0 takes a free one. accept() is called outside as on any socket; set TCP_NODELAY on what it returns.

        Raises:
            InstanceFailed: the port is taken, the address is not one of the loopback's, or the instance is gone.
        """
        (fd,) = self._ask({"listen": [host, port]}, f"cannot listen on {host} port {port}")
        return socket.socket(fileno=fd)

    def start(self, argv: Sequence[str], env: Mapping[str, str], cwd: str, stdout: int, stderr: int) -> InstanceProcess:
        """Start a program in the instance: all its namespaces and groups, no capabilities, an unprivileged user.

        Args:
            argv: program and arguments; a name without a slash is looked for on env's PATH. Paths as inside.
            env: the whole environment.
            cwd: the folder it starts in, as inside.
            stdout, stderr: descriptors of the caller, which it may close afterwards. stdin is /dev/null.
        Raises:
            InstanceFailed: no such program, not executable, or the instance is gone.
        """
        request = {"start": list(argv), "env": dict(env), "cwd": cwd}
        what = f"cannot start {argv[0]}" if argv else "cannot start nothing"
        pidfd, status = self._ask(request, what, (stdout, stderr))
        return InstanceProcess(pidfd, status)

    def __enter__(self) -> Instance:
        return self

    def __exit__(self, *error: object) -> None:
        self.destroy()

    def destroy(self) -> None:
        """End every process in it and remove all that was made. May be called again and again; never raises."""
        with self._ending:
            if self._ended:
                return
            self._ended = True
            self.groups.lift_quota()
            self.groups.freezer.thaw()
            self._end_processes()
            self.groups.close()
            remove_groups(self._made)  # where something does not die, a sweep tries again

    def _end_processes(self) -> None:
        if self._channel is not None:
            # Init sees the end, and so does a thread that waits for an answer; the kernel does the rest.
            with contextlib.suppress(OSError):
                self._channel.shutdown(socket.SHUT_RDWR)
            with self._asking:
                self._channel.close()
        if self._launcher is not None:
            try:
                self._launcher.wait(_END_S)
            except subprocess.TimeoutExpired:
                self._launcher.kill()  # and init with it
                self._launcher.wait()
            if self._launcher.stderr is not None:
                self._launcher.stderr.close()

    def _ask(self, request: dict[str, Any], what: str, descriptors: tuple[int, ...] = ()) -> list[int]:
        with self._asking:
            if self._ended or self._channel is None:
                raise InstanceFailed(f"{what}: the instance {self.name} is gone")
            try:
                wire.send(self._channel, request, descriptors)
            except OSError as error:  # too long, or gone
                raise InstanceFailed(f"{what}: {error.strerror or 'the instance does not answer'}") from error
            try:
                received = wire.receive(self._channel)
            except OSError as error:  # silent for too long: a later answer would be taken for another's
                self._channel.shutdown(socket.SHUT_RDWR)
                raise InstanceFailed(f"{what}: {error.strerror or 'the instance does not answer'}") from error
        if received is None:
            raise InstanceFailed(f"{what}: the instance {self.name} is gone")
        message, answer = received
        if "error" in message:
            raise InstanceFailed(f"{what}: {message['error']}")
        return answer


# The smallest function there is: what the kernel takes for it, it takes for all.
_MEMORY_MB = 128


def available() -> str:
    """The control groups that instances have here ("v1", "v2"), found out by making one: some 50 ms, so ask once.

    Raises:
        LambdaLocalError: none can be made.
    """
    owner = new_folder()
    try:
        limits = Limits(_MEMORY_MB, vcpus(_MEMORY_MB))
        with Instance.create(owner, "trial", limits, [], tmp_mb=1) as instance:
            return instance.groups.in_force().cgroup
    finally:
        leave(owner)
