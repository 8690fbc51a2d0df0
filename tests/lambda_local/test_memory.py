"""Memory is counted and limited as on a machine of its own: mapped code and buffers of sockets too."""

from __future__ import annotations

import os

import pytest

from tests.lambda_local.serving import archive, create, invoke
from tests.needs import SANDBOX, needs

pytestmark = needs(*SANDBOX)

MB = 1 << 20
MAPS = """
import mmap
kept = []
def handler(event, context):
    if event.get("map"):
        with open("/opt/big", "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        kept.extend((mapped, [mapped[at] for at in range(0, len(mapped), 4096)]))
    kept.append(bytearray(event.get("take", 0) << 20))
"""
QUEUES = """
import socket
kept = []
def handler(kind, context):
    for _ in range(450):
        if kind == "tcp":
            listener = socket.create_server(("127.0.0.1", 0))
            sending = socket.create_connection(listener.getsockname())
            receiving, _ = listener.accept()
            listener.close()
        else:
            receiving, sending = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
            receiving.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
            receiving.bind(("127.0.0.1", 0))
            sending.connect(receiving.getsockname())
        sending.setblocking(False)
        kept.extend((sending, receiving))
        try:
            for _ in range(200):
                sending.send(bytes(32768))
        except BlockingIOError:
            pass
"""


def test_mapped_code_counts_in_every_instance_and_against_the_limit(real):
    content = {"ZipFile": archive({"big": os.urandom(45 * MB)})}
    layer = real.publish_layer_version(LayerName="big", Content=content)["LayerVersionArn"]
    most = []
    for name in ("maps-first", "maps-second"):
        create(real, name, MAPS, MemorySize=128, Layers=[layer])
        bare, mapped = invoke(real, name), invoke(real, name, {"map": 1})
        fits, too_much = invoke(real, name, {"take": 25}), invoke(real, name, {"take": 50})

        grown = mapped.measured["max_memory_bytes"] - bare.measured["max_memory_bytes"]
        assert grown == pytest.approx(45 * MB, rel=0.05)
        assert fits.error is None
        assert too_much.value["errorType"] == "Runtime.ExitError"
        most.append(mapped.measured["max_memory_bytes"])

    assert most[1] == pytest.approx(most[0], rel=0.05)


def buffers() -> int:
    """Bytes in the buffers of all TCP and UDP sockets of the machine."""
    pages = 0
    with open("/proc/net/sockstat") as file:
        for line in file:
            words = line.split()
            if words[0] in ("TCP:", "UDP:"):
                pages += int(words[words.index("mem") + 1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_buffers_of_sockets_are_the_functions_memory(real, kind):
    create(real, f"queues-{kind}", QUEUES, MemorySize=128, Timeout=20)
    before = buffers()

    answer = invoke(real, f"queues-{kind}", kind)

    assert answer.error == "Unhandled"  # killed, or out of time
    assert buffers() - before < 200 * MB
