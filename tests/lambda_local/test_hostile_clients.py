"""Whatever a client sends, the server answers the next one."""

from __future__ import annotations

import contextlib

import pytest

from lambda_local.errors import WrongUse
from lambda_local.http import Exchange
from lambda_local.http.server import listen_on_loopback
from tests.lambda_local.raw_http import closing, connect, echo, echoing, rest, talk

GOOD = b"GET /2015-03-31/functions/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: AWS4-HMAC-SHA256 x\r\n\r\n"


def test_requests_that_do_not_wait_for_an_answer_are_refused():
    with echoing(echo) as port:
        result = talk(port, b"GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n")

    assert result.startswith(b"HTTP/1.1 400 ")
    assert result.count(b"HTTP/1.1") == 1


def test_head_requests_get_no_body():
    with echoing(echo) as port:
        head, body = talk(port, closing(b"HEAD /12 HTTP/1.1\r\n\r\n")).split(b"\r\n\r\n")

    assert b"Content-Length: %d" % len(b"HEAD /12 0 False") in head
    assert body == b""


def test_a_request_in_single_bytes_is_one_request():
    request = closing(b"POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")

    with echoing(echo) as port:
        result = talk(port, *(request[at : at + 1] for at in range(len(request))))

    assert result.endswith(b"POST /slow 5 False")


def test_a_chunked_body_and_one_that_waits_for_leave_are_read():
    chunked = (
        b"POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    )
    with echoing(echo) as port:
        result = talk(port, chunked)
        with connect(port) as client_:
            client_.sendall(closing(b"POST /e HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"))
            leave = client_.recv(100)
            client_.sendall(b"body")
            after = rest(client_)

    assert result.endswith(b"POST /c 5 False")
    assert leave == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert after.endswith(b"POST /e 4 False")


def test_a_body_over_the_limit_is_thrown_away_and_one_far_over_it_is_not_awaited():
    def post(size: int) -> bytes:
        return closing(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % size)

    with echoing(echo) as port:
        over = talk(port, post(1500), b"x" * 1500)
        far_over = talk(port, post(10**15))
        chunks = talk(
            port, closing(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), b"5\r\nhello\r\n" * 10_000
        )

    assert over.endswith(b"POST / 0 True")
    assert far_over.startswith(b"HTTP/1.1 413 ")
    assert b"HTTP/1.1 200" not in chunks


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nX: " + b"a" * 5000 + b"\r\n\r\n",
        b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"X%d: y\r\n" % n for n in range(2000)) + b"\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"%d:\r\n" % n for n in range(202)) + b"\r\n",
    ],
    ids=["one header", "the path", "many headers", "many tiny headers"],
)
def test_huge_headers_are_refused(request_):
    with echoing(echo) as port:
        result = talk(port, request_)

    assert result.startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize(
    "begun", [b"GET / HTTP/1.1\r\nX: ", b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: "]
)
def test_a_header_or_trailer_that_never_ends_is_cut_off(begun):
    with echoing(echo) as port, connect(port) as client_:
        sent = 0
        with contextlib.suppress(OSError):
            client_.sendall(begun)
            while sent < 2**26:
                client_.sendall(b"a" * 4096)
                sent += 4096
        rest(client_)

    assert sent < 2**26


@pytest.mark.more
@pytest.mark.parametrize(
    "begun",
    [b"", b"GET / HT", b"GET / HTTP/1.1\r\nX: y\r\n", b"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc"],
    ids=["nothing", "half a line", "half the headers", "half the body"],
)
def test_a_client_that_never_ends_its_request_is_given_up(begun):
    with echoing(echo) as port, connect(port) as client_:
        client_.sendall(begun)

        assert rest(client_) == b""  # the deadline of the socket would raise otherwise


def test_drops_that_keep_coming_do_not_move_the_deadline():
    with echoing(echo) as port, connect(port) as client_:
        client_.sendall(b"GET / HTTP/1.1\r\n")
        client_.settimeout(0.05)
        drops = 0
        while drops < 200:
            try:
                client_.sendall(b"X: y\r\n")
                if client_.recv(10) == b"":
                    break
            except TimeoutError:
                drops += 1
            except OSError:
                break

    assert drops < 100


def test_a_fault_in_the_handler_is_an_answer():
    def faulty(exchange: Exchange) -> None:
        raise RuntimeError("oops")

    with echoing(faulty) as port:
        answer = talk(port, closing(b"GET / HTTP/1.1\r\n\r\n"))

    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b"oops" in answer


def test_only_loopback_is_listened_on():
    taken = listen_on_loopback(0)

    with taken:
        address, port = taken.getsockname()
        with pytest.raises(WrongUse, match="cannot listen"):
            listen_on_loopback(port)
    assert address == "127.0.0.1"
