"""Starts the launcher of an instance and gives it what only the owner can."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import sectax
from sectax.sandboxes.inside import wire
from sectax.sandboxes.instance.errors import InstanceFailed, SandboxMissing

# The user inside, as Lambda's own sandboxes have it.
USER, UID, GID = "sbx_user1051", 993, 990

# Outside, an instance of root's is a user whom nobody else is, so that instances share no limit that is counted by
# user. Above what systemd gives to containers, below 2^31.
_FIRST_HOST_ID = 1_900_000_000

_SOURCES = Path(sectax.__file__).parents[1]
# -I -S -E: nothing of the user's settings, and no site-packages to look through.
_CODE = "import sys; sys.path.append(sys.argv[1]); from sectax.sandboxes.inside.launcher import main; main({fd})"
_NO_USER_NAMESPACES = (
    "namespaces are needed: allow them (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns,"
    " a container's seccomp profile)"
)


def start_launcher(staging: Path) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """The launcher and the owner's end of its socket; it begins to start while the caller does something else."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        argv = [sys.executable, "-I", "-S", "-E", "-c", _CODE.format(fd=theirs.fileno()), str(_SOURCES), str(staging)]
        try:
            launcher = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                cwd="/",
                env={},
                start_new_session=True,  # Ctrl-C on the terminal is for the owner
            )
        except OSError as error:
            ours.close()
            raise InstanceFailed(f"the launcher of instances cannot be started: {error}") from error
    return launcher, ours


def map_user(launcher: int) -> None:
    """Say who the users of the launcher's new user namespace are outside of it.

    Root's instances have two: root, for what builds the instance, and the unprivileged one. Anybody else may map
    only itself.

    Raises:
        SandboxMissing: the kernel does not let this user.
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
            f"no user can be mapped into a namespace: {error.strerror}", _NO_USER_NAMESPACES
        ) from error


def expect_answer(channel: socket.socket, launcher: subprocess.Popen[bytes]) -> list[int]:
    """The descriptors of an answer.

    Raises:
        SandboxMissing: the kernel gave no namespaces.
        InstanceFailed: there is no answer, or one that says what else failed.
    """
    received = wire.receive(channel)
    if received is None:
        launcher.wait()
        last_words = launcher.stderr.read(2000).decode(errors="replace").strip() if launcher.stderr else ""
        raise InstanceFailed("the launcher of an instance ended", last_words.rpartition("\n")[2])
    message, descriptors = received
    if "missing" in message:
        raise SandboxMissing(f"no namespaces can be had: {message['missing']}", _NO_USER_NAMESPACES)
    if "error" in message:
        raise InstanceFailed(f"no instance can be made: {message['error']}")
    return descriptors


def _last_id(uid_map: str) -> int:
    """The highest id that exists in a namespace; each line of the map is: inside, outside, count."""
    lines = [line.split() for line in uid_map.splitlines()]
    return max(int(first) + int(count) for first, _, count in lines) - 1
