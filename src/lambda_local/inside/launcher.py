"""The first two processes of an instance: the launcher outside its process namespace, and the init within.

    python -c … FD NAME STAGING     the launcher: leaves the machine's namespaces, forks init, waits for it
      └ init                   process 1 inside: builds the root, then answers the owner and reaps
          └ programs           in the instance's control groups, without privileges

Neither is in the control groups: what they use is not the function's. When the owner ends, however it ends, the kernel
closes its side of the socket, init exits, and with a process 1 the kernel kills its whole namespace.
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
from lambda_local.inside.calls import call_filter
from lambda_local.inside.root import enter_root, mount_own

TYPE_CHECKING = False  # as checkers know it: `typing` is a tenth of what the launcher takes to start
if TYPE_CHECKING:
    from typing import Any, NoReturn

_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1
_BACKLOG = 128
_OPEN_FILES = 1024  # as Lambda's own sandboxes allow
_NAMESPACES = kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS


def main(channel_fd: str) -> NoReturn:
    """The launcher. Ends when the instance has ended: then no process of it is left."""
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
        # With "thaw" the last descriptor is not of a group's processes but of what freezes the instance.
        self._freezer = groups.pop() if "thaw" in settings else None
        self._groups = groups
        self._own: list[tuple[str, str, str | None]] = []  # what the first program is to mount
        self._ends: dict[int, int] = {}  # pid → where its status is to be written

    def run(self) -> NoReturn:
        # Whatever happens, process 1 must not return into the launcher's code.
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
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # which process 1 does not heed; Python's own handler would end it
        os.umask(0o022)
        socket.sethostname(self._settings["hostname"])
        _bring_loopback_up()
        staging, mounts, user = (self._settings[name] for name in ("staging", "mounts", "user"))
        self._own = enter_root(staging, mounts, self._tmp, self._settings["tmp_mb"], self._settings["memory_mb"], user)
        if self._tmp is not None:
            os.close(self._tmp)
        # No user namespaces inside: they would give the function capabilities, over themselves at least.
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
                    if received is None:  # the owner has gone, or wants an end
                        self._thaw()
                        os._exit(0)
                    self._answer(*received)

    def _thaw(self) -> None:
        """In v1 what is frozen does not even die, and the kernel would wait for it."""
        if self._freezer is not None:
            with contextlib.suppress(OSError):
                os.write(self._freezer, self._settings["thaw"].encode())

    def _reap(self) -> None:
        """Take leave of everyone who has ended, orphans too."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            end = self._ends.pop(pid, None)
            if end is not None:
                with contextlib.suppress(BrokenPipeError):  # nobody wants to know
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
        """Fork and exec; returns a pidfd and the reading end of the pipe for the exit status."""
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
        """In the child: turn into the program, or say why not."""
        try:
            os.setsid()
            null = os.open("/dev/null", os.O_RDONLY)
            for fd, number in zip((null, *descriptors), (0, 1, 2), strict=True):
                os.dup2(fd, number)
            self._confine()
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            os.chdir(request["cwd"])
            os.execvpe(request["start"][0], request["start"], request["env"])  # noqa: S606 - no shell is meant
        except BaseException as error:  # this copy of init must end here, whatever it is
            os.write(failing, _words(error).encode())
        finally:
            os._exit(127)

    def _confine(self) -> None:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        files = min(_OPEN_FILES, hard) if hard >= 0 else _OPEN_FILES  # negative: without limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        kernel.drop_privileges_for_good()
        # As late as can be: from here on this copy of init uses the function's quota.
        for fd in self._groups:
            os.write(fd, b"0")  # this process
        kernel.unshare(kernel.CLONE_NEWCGROUP)  # /proc/self/cgroup names no group of the machine
        mount_own(self._own)  # here, since joining groups takes v1 a grace period of RCU: some 10 ms
        _, uid, gid = self._settings["user"]
        if os.getuid() != uid:  # an owner without root could map no second user, and is this one already
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
    """Bring up `lo`, the one interface of a new network namespace; the kernel gives it its addresses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        # struct ifreq: name, flags
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", _IFF_UP))


def _listener(host: str, port: int) -> int:
    """The descriptor of a listening TCP socket at a numeric address of IPv4; 0 takes a free port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
        return listening.detach()
