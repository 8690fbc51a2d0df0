"""Requests as an attacker would send them to a real server: it lives, keeps its memory, and touches nothing."""

from __future__ import annotations

import contextlib
import random
import socket
import struct
from pathlib import Path

import pytest

from tests.lambda_local.canary import Canary, Memory, server_within
from tests.lambda_local.raw_http import closing, connect, rest, talk

HOSTS = (b"localhost", b"localhost", b"127.0.0.1:80", b"evil.example", b"", b"[::1", b"\xff" * 300)
PATHS = (
    b"/2015-03-31/functions", b"/2015-03-31/functions/f", b"/2015-03-31/functions/f/invocations",
    b"/2015-03-31/functions/%2e%2e%2f%2e%2e%2fvictim/code", b"/2015-03-31/functions/%00/configuration",
    b"/2018-10-31/layers/..%2f..%2fvictim/versions", b"/../../victim/file", b"/%ff%fe", b"http://evil.example/", b"*",
)  # fmt: skip
BODIES = (
    b"", b"{", b"null", b"[1]", b"[" * 50_000, b'{"a":' * 20_000, b"\xff" * 20, b'{"Code":{"ZipFile":"!"}}',
    b'{"FunctionName":"../../victim","Code":{"ZipFile":"UEsFBg=="},"Role":"r","Runtime":"provided.al2023","Handler":"h"}',
    b'{"Layers":["x","../../victim"]}', b'{"MemorySize":1e999,"Timeout":-1}', b'{"Timeout":' + b"9" * 5000 + b"}",
)  # fmt: skip
METHODS = (b"GET", b"POST", b"POST", b"PUT", b"DELETE", b"OPTIONS", b"CONNECT", b"PRI", b"\0\0")
EXTRA = (
    b"Transfer-Encoding: chunked", b"Expect: 100-continue", b"Upgrade: h2c", b"Connection: close, x", b"X:" * 9,
    b"\0: \1", b"X-Amz-Client-Context: " + b"A" * 70_000, b"X-Amz-Invocation-Type: DryRun", b"Content-Length: 5",
)  # fmt: skip
SIGNED = b"Authorization: AWS4-HMAC-SHA256 x\r\n"
GOOD = closing(b"GET /2015-03-31/functions/ HTTP/1.1\r\nHost: localhost\r\n" + SIGNED + b"\r\n")


class Attacker:
    """Makes requests, and sends them in ways that a client should not."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def send(self, client: socket.socket) -> None:
        data = self._request() * self._random.choice((1, 1, 1, 2, 40))
        cut = self._random.choice((len(data), len(data), self._random.randrange(len(data) + 1)))
        with contextlib.suppress(OSError):
            client.sendall(data[: cut // 2])
            client.sendall(data[cut // 2 : cut])
            match self._random.randrange(4):
                case 0:
                    client.shutdown(socket.SHUT_WR)
                    rest(client)
                case 1:  # a reset instead of an end
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def _request(self) -> bytes:
        choose, chance = self._random.choice, self._random.random
        body = choose(BODIES)
        lines = [b"%s %s HTTP/%s" % (choose(METHODS), choose(PATHS), choose((b"1.1", b"1.1", b"1.0", b"9.9")))]
        lines += [b"Host: " + choose(HOSTS)] * choose((0, 1, 1, 1, 2))
        if chance() < 0.8:
            lines.append(SIGNED.strip())
        if chance() < 0.9:
            lies = (len(body), len(body), len(body), 0, 10**6, 2**64, -1)
            lines.append(b"Content-Length: %d" % choose(lies))
        lines += self._random.sample(EXTRA, choose((0, 0, 1, 3)))
        data = bytearray(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        for _ in range(choose((0, 0, 0, 5))):
            data[self._random.randrange(len(data))] = self._random.randrange(256)
        return self._random.randbytes(self._random.randint(1, 3000)) if chance() < 0.05 else bytes(data)


def hostile_requests(folder: Path, number: int) -> Memory:
    """Send so many to a server in this folder. Returns what it kept of them."""
    canary, attacker = Canary(folder), Attacker(13)
    with server_within(canary) as server, contextlib.ExitStack() as stack:
        talk(server.port, GOOD)
        began_mb = server.resident_mb
        for turn in range(number):
            client = connect(server.port)
            if turn % 10:
                with client:
                    attacker.send(client)
            else:
                attacker.send(stack.enter_context(client))  # and stays
            if turn % 100 == 99:
                assert talk(server.port, GOOD).startswith(b"HTTP/1.1 200 "), turn
                assert canary.untouched(), turn
        good, peak_mb, alive = talk(server.port, GOOD), server.peak_mb, server.alive
        stack.close()
        talk(server.port, GOOD)
        ended_mb = server.resident_mb

    assert good.startswith(b"HTTP/1.1 200 ")
    assert alive
    assert canary.untouched()
    return Memory(began_mb, peak_mb, ended_mb)


@pytest.mark.parametrize("number", [300, pytest.param(10_000, marks=pytest.mark.full)])
def test_hostile_requests_end_nothing_and_touch_nothing(tmp_path: Path, number: int) -> None:
    memory = hostile_requests(tmp_path, number)

    assert memory.peak_mb < 200
    assert memory.grown_mb < 60
