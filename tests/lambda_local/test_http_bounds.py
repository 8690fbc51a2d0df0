"""What one client may take of the server: its connections, its memory, its patience."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator

from lambda_local.http import Exchange, HttpLimits
from tests.hosts.processes import eventually
from tests.lambda_local.raw_http import LIMITS, closing, connect, echo, echoing, rest, talk


def answered(client_: socket.socket, path: bytes) -> bool:
    with contextlib.suppress(OSError):
        client_.sendall(b"GET " + path + b" HTTP/1.1\r\n\r\n")
        return b"GET " + path in client_.recv(1000)
    return False


def test_silent_connections_do_not_block_others():
    limits = HttpLimits(1000, 1000, connections=5, header_s=60)
    with echoing(echo, limits) as port, contextlib.ExitStack() as stack:
        used = stack.enter_context(connect(port))
        silent = [stack.enter_context(connect(port)) for _ in range(3)]
        last = stack.enter_context(connect(port))
        assert answered(last, b"/0")  # so the others have been accepted: they come in their order
        assert answered(used, b"/1")
        new = stack.enter_context(connect(port))

        assert answered(new, b"/2")
        assert answered(used, b"/3")
        assert rest(silent[0]) == b""  # the one that was silent longest had to go
        assert answered(silent[2], b"/4")


def test_a_connection_that_waits_for_its_answer_keeps_its_place():
    kept: list[Exchange] = []
    limits = HttpLimits(1000, 1000, connections=2)
    with echoing(kept.append, limits) as port, connect(port) as first, connect(port) as second:
        for client_ in (first, second):
            client_.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert eventually(lambda: len(kept) == 2)

        assert talk(port, b"GET / HTTP/1.1\r\n\r\n") == b""


def stuck(client_: socket.socket, data: bytes, most: int) -> int:
    """Send as long as the server reads; returns how many bytes it took, its and our socket buffers included."""
    client_.settimeout(0.3)
    sent = 0
    with contextlib.suppress(TimeoutError):
        while sent < most:
            sent += client_.send(data)
    return sent


def test_a_client_that_does_not_wait_for_its_answer_is_disconnected():
    kept: list[Exchange] = []
    limits = HttpLimits(4096, 2**20, connections=8)
    with echoing(kept.append, limits) as port, connect(port) as client_:
        client_.sendall(b"GET /next HTTP/1.1\r\n\r\n")
        assert eventually(lambda: bool(kept))
        client_.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % 2**20)

        assert rest(client_) == b""
        assert eventually(lambda: kept[0].gone)


def test_nothing_is_read_from_a_client_that_does_not_read_its_answer():
    def large(exchange: Exchange) -> None:
        exchange.answer(200, bytes(2**26))

    limits = HttpLimits(4096, 2**20, connections=8)
    with echoing(large, limits) as port, connect(port) as client_:
        client_.sendall(b"GET / HTTP/1.1\r\n\r\n")
        client_.recv(1)

        assert stuck(client_, b"POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n", 2**28) < 2**26


def test_unfinished_requests_together_have_a_bound_and_the_largest_is_refused():
    limits = HttpLimits(4096, 2**20, connections=8, held_bytes=2**20)
    head = b"POST /x HTTP/1.1\r\nContent-Length: %d\r\n\r\n"
    with echoing(echo, limits) as port, connect(port) as large, connect(port) as small:
        large.sendall(head % 2**20 + bytes(900_000))
        time.sleep(0.05)
        small.sendall(head % 200_000 + bytes(199_999))

        assert rest(large).startswith(b"HTTP/1.1 503 ")
        small.sendall(b"x")
        assert small.recv(1000).endswith(b"POST /x 200000 False")
        assert talk(port, closing(head % 3 + b"abc")).endswith(b"POST /x 3 False")


def refusing(exchange: Exchange) -> int:
    if "let-me" not in exchange.request.headers:
        exchange.answer(403, b"not you")
    return 10


@contextlib.contextmanager
def judging(limits: HttpLimits = LIMITS) -> Iterator[int]:
    with echoing(echo, limits, refusing) as port:
        yield port


def test_rejected_headers_are_answered_before_the_body():
    with judging() as port, connect(port) as client_:
        client_.sendall(b"POST / HTTP/1.1\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
        answer = rest(client_)

    assert answer.startswith(b"HTTP/1.1 403 ")
    assert answer.endswith(b"not you")


def test_rejected_headers_are_answered_even_if_the_body_is_sent():
    limits = HttpLimits(4096, 2**24, connections=8)
    with judging(limits) as port:
        result = talk(port, b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % 2**24, *[bytes(2**20)] * 16)

    assert result.endswith(b"not you")


def test_the_judge_says_how_long_a_body_may_be():
    with judging() as port:
        result = talk(port, closing(b"POST / HTTP/1.1\r\nLet-Me: in\r\nContent-Length: 15\r\n\r\n"), b"x" * 15)

    assert result.endswith(b"POST / 0 True")
