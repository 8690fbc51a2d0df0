"""The first two processes of an instance: the launcher outside its process namespace, and init inside.

    python -c … FD NAME STAGING     the launcher: creates namespaces, forks init, waits for it
      └ init                   process 1 inside: builds the root, then serves the owner and reaps
          └ programs           in the instance's control groups, without privileges

The first two are not in the control groups, so the function is not charged for them. If the owner ends for any reason,
its socket closes, init exits, and the kernel kills the whole process namespace.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import select
import signal
import socket
import struct

from lambda_local.inside import kernel, wire
from lambda_local.inside.root import enter_root, mount_own
from lambda_local.inside.syscall_filter import call_filter

TYPE_CHECKING = False  # type checkers know this name; importing `typing` takes a tenth of the start
if TYPE_CHECKING:
    from typing import Any, NoReturn

_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1
_BACKLOG = 128
_OPEN_FILES = 1024  # as Lambda's own sandboxes allow
_NAMESPACES = kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS


def main(channel_fd: str) -> NoReturn:
    """Run the launcher, which exits after all processes of the instance."""
    channel = socket.socket(fileno=int(channel_fd))
    channel.set_inheritable(False)
    try:
        calls = call_filter(kernel.machine())
        kernel.forget_keys()
        kernel.unshare(kernel.CLONE_NEWUSER)
        wire.send(channel, {})
        received = wire.receive(channel)
        if received is None:
            os._exit(0)
        kernel.unshare(_NAMESPACES)
        init = os.fork()
    except OSError as error:
        wire.send(channel, {"missing": _words(error)})
        os._exit(1)
    if init == 0:
        _Init(channel, calls, *received).run()
    channel.close()
    os.waitpid(init, 0)
    os._exit(0)


class _Init:
    """Process 1 of the instance."""

    def __init__(self, channel: socket.socket, calls: bytes, settings: dict[str, Any], groups: list[int]) -> None:
        self._channel = channel
        self._filter = calls
        self._settings = settings
        self._tmp = groups.pop() if settings["scratch"] else None
        # With "thaw" the last descriptor is the freezer's, not a group's.
        self._freezer = groups.pop() if "thaw" in settings else None
        self._groups = groups
        self._own: list[tuple[str, str, str | None]] = []  # mounts for the first program to make
        self._ends: dict[int, int] = {}  # pid -> pipe for its exit status

    def run(self) -> NoReturn:
        # Process 1 must never return into the launcher's code.
        try:
            self._prepare()
            wire.send(self._channel, {})
            self._serve()
        except OSError as error:
            wire.send(self._channel, {"error": _words(error)})
        finally:
            os._exit(1)

    def _prepare(self) -> None:
        kernel.die_with_parent()
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored by process 1; Python's handler would end it
        os.umask(0o022)
        socket.sethostname(self._settings["hostname"])
        _bring_loopback_up()
        staging, mounts, user = (self._settings[name] for name in ("staging", "mounts", "user"))
        self._own = enter_root(staging, mounts, self._tmp, self._settings["tmp_mb"], self._settings["memory_mb"], user)
        if self._tmp is not None:
            os.close(self._tmp)
        # No user namespaces inside: they would give the function capabilities.
        with open("/proc/sys/user/max_user_namespaces", "w") as file:
            file.write("0")
        kernel.hide_from_debuggers()
        kernel.name_command_line(f"init {self._settings['hostname']}".encode())

    def _serve(self) -> None:
        wake, waker = os.pipe()
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        events = select.poll()
        events.register(wake, select.POLLIN)
        events.register(self._channel, select.POLLIN)
        while True:
            for fd, _ in events.poll():
                if fd == wake:
                    os.read(wake, 4096)
                    self._reap()
                else:
                    received = wire.receive(self._channel)
                    if received is None:  # the owner closed the socket
                        self._thaw()
                        os._exit(0)
                    self._answer(*received)

    def _thaw(self) -> None:
        """Thaw v1 groups, in which frozen processes cannot die."""
        if self._freezer is not None:
            with contextlib.suppress(OSError):
                os.write(self._freezer, self._settings["thaw"].encode())

    def _reap(self) -> None:
        """Reap all processes that have ended, including orphans."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            end = self._ends.pop(pid, None)
            if end is not None:
                with contextlib.suppress(BrokenPipeError):  # the owner closed it
                    os.write(end, str(os.waitstatus_to_exitcode(status)).encode())
                os.close(end)

    def _answer(self, request: dict[str, Any], descriptors: list[int]) -> None:
        try:
            answers = [_listener(*request["listen"])] if "listen" in request else self._start(request, descriptors)
        except OSError as error:
            wire.send(self._channel, {"error": _words(error)})
        else:
            wire.send(self._channel, {}, tuple(answers))
            for fd in answers:
                os.close(fd)
        finally:
            for fd in descriptors:
                os.close(fd)

    def _start(self, request: dict[str, Any], descriptors: list[int]) -> list[int]:
        """Fork and exec; return a pidfd and the read end of the pipe for the exit status."""
        failed, failing = os.pipe()  # closed by a successful exec
        pid = os.fork()
        if pid == 0:
            self._become(request, descriptors, failing)
        self._own = []
        os.close(failing)
        status, end = os.pipe()
        self._ends[pid] = end
        with open(failed, "rb") as file:
            words = file.read()
        if words:
            os.close(status)
            os.close(self._ends.pop(pid))
            raise OSError(words.decode(errors="replace"))
        return [os.pidfd_open(pid), status]

    def _become(self, request: dict[str, Any], descriptors: list[int], failing: int) -> NoReturn:
        """Exec the program in the child, or write the error to *failing*."""
        try:
            os.setsid()
            null = os.open("/dev/null", os.O_RDONLY)
            for fd, number in zip((null, *descriptors), (0, 1, 2), strict=True):
                os.dup2(fd, number)
            self._confine()
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ignored by Python
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            os.chdir(request["cwd"])
            os.execvpe(request["start"][0], request["start"], request["env"])  # noqa: S606 - without a shell
        except BaseException as error:  # this copy of init must end here
            os.write(failing, _words(error).encode())
        finally:
            os._exit(127)

    def _confine(self) -> None:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        files = min(_OPEN_FILES, hard) if hard >= 0 else _OPEN_FILES  # negative: no limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        kernel.drop_privileges_for_good()
        # As late as possible: from here on this copy of init uses the function's quota.
        for fd in self._groups:
            os.write(fd, b"0")  # this process
        kernel.unshare(kernel.CLONE_NEWCGROUP)  # hides the machine's groups in /proc/self/cgroup
        mount_own(self._own)  # here, since joining v1 groups takes an RCU grace period, about 10 ms
        _, uid, gid = self._settings["user"]
        if os.getuid() != uid:  # an owner without root cannot map a second user, and already is this one
            os.setgroups([])
            os.setresgid(gid, gid, gid)
            os.setresuid(uid, uid, uid)
        kernel.install_filter(self._filter)


def _words(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        about = f": {error.filename}" if error.filename else ""
        return f"{error.strerror}{about}"
    return str(error) or type(error).__name__


def _bring_loopback_up() -> None:
    """Bring up `lo`, the only interface of a new network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        # struct ifreq: name, flags
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", _IFF_UP))


def _listener(host: str, port: int) -> int:
    """Return the descriptor of a listening TCP socket at a numeric IPv4 address; port 0 chooses a free one."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
        return listening.detach()
