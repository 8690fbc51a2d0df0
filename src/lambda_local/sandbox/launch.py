"""The processes of an instance as its owner sees them: the launcher, and programs."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import lambda_local
from lambda_local.inside import wire
from lambda_local.sandbox.limits import InstanceFailed, SandboxMissing

# The user inside, as in Lambda.
USER, UID, GID = "sbx_user1051", 993, 990

# Outside, each instance of root has a unique user, so that they share no per-user limits. Above systemd's range for
# containers, below 2^31.
_FIRST_HOST_ID = 1_900_000_000

_SOURCES = Path(lambda_local.__file__).parents[1]
# -I -S -E: no user settings and no site-packages.
_CODE = "import sys; sys.path.append(sys.argv[1]); from lambda_local.inside import launcher; launcher.main(sys.argv[2])"
LAUNCHER = _CODE.encode()
_NO_USER_NAMESPACES = (
    "namespaces are needed: allow them (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns,"
    " a container's seccomp profile)"
)


def start_launcher(name: str, staging: Path) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start the launcher without waiting; return it and the owner's end of its socket."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        argv = [sys.executable, "-I", "-S", "-E", "-c", _CODE, str(_SOURCES), str(theirs.fileno()), name, str(staging)]
        try:
            launcher = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                cwd="/",
                env={},
                start_new_session=True,  # Ctrl-C goes to the owner only
            )
        except OSError as error:
            ours.close()
            raise InstanceFailed(f"the launcher of instances cannot be started: {error}") from error
    return launcher, ours


def map_user(launcher: int) -> None:
    """Map the users of the launcher's new user namespace.

    If the server runs as root there are two: root, for setup, and an unprivileged one. Other users may map only
    themselves.

    Raises:
        SandboxMissing: the kernel refuses.
    """
    proc = Path(f"/proc/{launcher}")
    try:
        if os.geteuid() == 0:
            own = Path("/proc/self/uid_map").read_text()
            host = min(_FIRST_HOST_ID + launcher, _last_id(own))
            maps = {"uid_map": f"0 0 1\n{UID} {host} 1\n", "gid_map": f"0 0 1\n{GID} {host} 1\n"}
        else:
            maps = {"setgroups": "deny", "uid_map": f"{UID} {os.geteuid()} 1", "gid_map": f"{GID} {os.getegid()} 1"}
        for file, text in maps.items():
            (proc / file).write_text(text)
    except OSError as error:
        raise SandboxMissing(
            f"users cannot be mapped into a namespace: {error.strerror}", _NO_USER_NAMESPACES
        ) from error


def expect_answer(channel: socket.socket, launcher: subprocess.Popen[bytes]) -> None:
    """Wait until the launcher, or init, is ready.

    Raises:
        SandboxMissing: namespaces are not available.
        InstanceFailed: it exited, or reported another failure.
    """
    received = wire.receive(channel)
    if received is None:
        launcher.wait()
        stderr = launcher.stderr.read(2000).decode(errors="replace").strip() if launcher.stderr else ""
        raise InstanceFailed("the launcher of an instance exited", stderr.rpartition("\n")[2])
    message, _ = received
    if "missing" in message:
        raise SandboxMissing(f"namespaces are not available: {message['missing']}", _NO_USER_NAMESPACES)
    if "error" in message:
        raise InstanceFailed(f"an instance cannot be created: {message['error']}")


def _last_id(uid_map: str) -> int:
    """Return the highest id in a namespace; lines of the map are: inside, outside, count."""
    lines = [line.split() for line in uid_map.splitlines()]
    return max(int(first) + int(count) for first, _, count in lines) - 1


_KILLED_WITH_THE_INSTANCE = -signal.SIGKILL


class InstanceProcess:
    """A program in an instance. Thread-safe, also after the instance's end."""

    def __init__(self, pidfd: int, status: int) -> None:
        """Take ownership of a pidfd and the pipe for the exit status."""
        self.pid = _read_pid(pidfd)  # in the machine's namespace
        self._pidfd = pidfd
        self._status = status
        os.set_blocking(status, False)
        self._exit: int | None = None
        self._lock = threading.Lock()
        # Not closed by `Instance.destroy`: another thread may be waiting on them.
        weakref.finalize(self, _close, pidfd, status)

    def fileno(self) -> int:
        """Return a descriptor that becomes readable when the program exits."""
        return self._status

    def poll(self) -> int | None:
        """Return the exit status, negative for a signal; None while it runs. -9 if it was killed with its instance."""
        with self._lock:
            if self._exit is None:
                with contextlib.suppress(BlockingIOError):
                    text = os.read(self._status, 16)
                    self._exit = int(text) if text else _KILLED_WITH_THE_INSTANCE
            return self._exit

    def kill(self, signum: int = signal.SIGKILL) -> None:
        """Send a signal to this program, if it is running."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signum)


def _read_pid(pidfd: int) -> int:
    with open(f"/proc/self/fdinfo/{pidfd}") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name == "Pid":
                return int(value)
    raise OSError("the kernel does not report the pid of a pidfd")


def _close(*descriptors: int) -> None:
    for fd in descriptors:
        os.close(fd)
