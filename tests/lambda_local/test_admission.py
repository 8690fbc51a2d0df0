"""Who may ask the service at all, decided before the body is read."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.lambda_local.plain_box import PlainBox
from tests.lambda_local.raw_http import connect, rest, talk
from tests.lambda_local.serving import served

LIST = b"GET /2015-03-31/functions/ HTTP/1.1\r\n%sConnection: close\r\n\r\n"
SIGNED = b"Authorization: AWS4-HMAC-SHA256 x\r\n"


@pytest.fixture(scope="module")
def service() -> Iterator[int]:
    with served(PlainBox.create) as endpoint:
        port = urlsplit(endpoint).port
        assert port is not None
        yield port


@pytest.mark.parametrize("host", ["localhost", "LocalHost:9000", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:9000"])
def test_this_machines_own_names_are_answered(service, host):
    assert b" 200 OK" in talk(service, LIST % (b"Host: %s\r\n" % host.encode() + SIGNED))


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:9000", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "0.0.0.0",  # noqa: S104
     "[::2]", "[::1]x", "[::1", "127.0.0.1:80:90", "localhost:x", "", None],
)  # fmt: skip
def test_a_host_name_other_than_loopback_is_rejected(service, host):
    line = b"" if host is None else b"Host: %s\r\n" % host.encode()
    result = talk(service, LIST % (line + SIGNED))

    assert result.startswith(b"HTTP/1.1 403 ")
    assert b"use 127.0.0.1" in result


def test_an_unsigned_call_is_rejected_before_its_body(service):
    with connect(service) as client_:
        client_.sendall(b"POST /2015-03-31/functions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
        answer = rest(client_)

    assert b"MissingAuthenticationTokenException" in answer


@pytest.mark.parametrize(
    "path", ["/2015-03-31/functions/f/invocations", "/2015-03-31/functions/f/invocations?Qualifier=1", "/nonesuch"]
)
def test_a_too_large_content_length_is_rejected_before_the_body(service, path):
    with connect(service) as client_:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\n".encode()
        client_.sendall(head + SIGNED + b"Content-Length: 10000000\r\n\r\n")
        answer = rest(client_)

    assert b"RequestEntityTooLargeException" in answer


def test_only_an_archive_may_be_large(service):
    with connect(service) as client_:
        head = b"POST /2015-03-31/functions HTTP/1.1\r\nHost: localhost\r\n" + SIGNED
        client_.sendall(head + b"Expect: 100-continue\r\nContent-Length: 60000000\r\n\r\n")

        assert client_.recv(1000).startswith(b"HTTP/1.1 100 ")
