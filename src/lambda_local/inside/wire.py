"""How owner and instance talk: one JSON document per packet of a Unix socket, with descriptors beside it.

Each request has one answer; `error` in it says what went wrong; `missing`, that
there are no namespaces here.

    instance: {}                                         in a user namespace of its own now: write the maps
    owner:    {"hostname", "staging", "mounts", "tmp_mb", "memory_mb", "user", "thaw", "scratch"} with
              the groups' cgroup.procs; with "thaw" one more descriptor, to which init writes that text before it
              ends, and with "scratch" one of a mount for /tmp
    instance: {}                                         ready
    owner:    {"listen": [host, port]}            →      {} with the socket
    owner:    {"start": argv, "env", "cwd"} with stdout and stderr    →    {} with a pidfd and a pipe that will
                                                         tell the exit status
"""

from __future__ import annotations

import array
import json
import socket

TYPE_CHECKING = False  # see `launcher`
if TYPE_CHECKING:
    from typing import Any

# Bytes of one packet: the arguments and environment of a program; the kernel's own limit of a socket buffer is near.
_PACKET = 192 * 1024
_DESCRIPTORS = 8


def send(channel: socket.socket, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
    """Send one packet.

    Raises:
        OSError: the other side is gone, or the message is too long (EMSGSIZE).
    """
    data = json.dumps(message).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    channel.sendmsg([data], rights, socket.MSG_NOSIGNAL)


def receive(channel: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Receive one packet with its descriptors, which programs do not inherit; None when the other side is gone."""
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
