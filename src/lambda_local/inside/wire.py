"""The protocol of owner and instance: one JSON document per packet of a Unix socket, with descriptors.

Each request has one answer. It has `error` for a failure, or `missing` if namespaces are not available.

    instance: {}                                         in its own user namespace: write the maps
    owner:    {"hostname", "staging", "mounts", "tmp_mb", "memory_mb", "user", "thaw", "scratch"} with
              the groups' cgroup.procs; with "thaw" another descriptor, to which init writes that text before it
              exits, and with "scratch" that of a mount for /tmp
    instance: {}                                         ready
    owner:    {"listen": [host, port]}            →      {} with the socket
    owner:    {"start": argv, "env", "cwd"} with stdout and stderr    →    {} with a pidfd and a pipe for
                                                         the exit status
"""

from __future__ import annotations

import array
import json
import socket

TYPE_CHECKING = False  # see `launcher`
if TYPE_CHECKING:
    from typing import Any

# Bytes per packet, for the arguments and environment of a program; close to the kernel's limit of a socket buffer.
_PACKET = 192 * 1024
_DESCRIPTORS = 8


def send(channel: socket.socket, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
    """Send one packet. Raises `OSError` if the other side closed, or the message is too long (EMSGSIZE)."""
    data = json.dumps(message).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    channel.sendmsg([data], rights, socket.MSG_NOSIGNAL)


def receive(channel: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Receive one packet with its descriptors (close-on-exec); None if the other side closed."""
    room = socket.CMSG_SPACE(_DESCRIPTORS * 4)
    data, ancillary, _, _ = channel.recvmsg(_PACKET, room, socket.MSG_CMSG_CLOEXEC)
    descriptors = array.array("i")
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(content[: len(content) // 4 * 4])
    if not data:
        return None
    message: dict[str, Any] = json.loads(data)
    return message, descriptors.tolist()
