"""The client in Go against servers that are well, and servers that are not."""

from __future__ import annotations

import base64
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sectax.experiments.client_server.certificates import self_signed_loopback
from sectax.experiments.http import parts
from sectax.experiments.http.client import SharedClient
from sectax.experiments.http.many_clients import ManyClients
from sectax.experiments.tls.certificates import authority
from sectax.hosts.places import HERE
from tests.experiments.subjects import refused
from tests.fakes.http_service import Answer, HttpService, said, secured_by, without_end
from tests.needs import needs

pytestmark = needs("the HTTP client in Go")

WANTED: dict[str, Any] = {
    "method": "GET",
    "headers": (),
    "body": "",
    "kept": True,
    "http2": False,
    "concurrency": 1,
    "rate": 0,
    "added_ns": 0,
    "statuses": (),
    "ca": "",
    "certificate": "",
    "key": "",
    "timeout_ns": 20 * 10**9,
    "most_body": 10**6,
    "bodies_vary": False,
    "mark": base64.b64encode(b"mark").decode(),
}


@pytest.fixture
def client() -> Iterator[SharedClient]:
    one = SharedClient(str(parts.client().path))
    one.join("a")
    one.hello()
    yield one
    one.leave("a")


def opened(client: SharedClient, url: str, **wanted: Any) -> dict[str, Any]:
    return client.open("a", WANTED | {"url": url} | wanted, 60.0).witnesses


def turning(*bodies: bytes) -> Answer:
    """Answers with the bodies in turn."""
    turns = itertools.cycle(bodies)
    return lambda: (said(next(turns)),)


def slow(seconds: float) -> Answer:
    return lambda: (time.sleep(seconds), said())[1:]


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKS = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def endless(head: bytes, piece: bytes, pause_s: float = 0.0) -> Answer:
    return lambda: itertools.chain((head,), without_end(piece, pause_s)())


FAULTS: dict[str, tuple[str, Answer]] = {
    "an error": ("status", said(b"", "500 Internal Server Error")),
    "a redirect": ("redirect", said(b"", "302 Found", "Location: http://127.0.0.1:9/")),
    "a length too long": ("short-body", OK + b"Content-Length: 10\r\n\r\nhello"),
    "an end in the header": ("closed", b"HTTP/1.1 200 OK\r\nContent-Le"),
    "nothing": ("closed", b""),
    "another protocol": ("malformed", b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
    "no status": ("malformed", b"HTTP/1.1 ABC OK\r\n\r\n"),
    "a length of 100 GB": ("body-flood", OK + b"Content-Length: 100000000000\r\n\r\n"),
    "chunks without end": ("body-flood", endless(CHUNKS, b"1000\r\n" + b"x" * 4096 + b"\r\n")),
    "a header without end": ("header-flood", endless(OK, b"X-Filling: " + b"x" * 4096 + b"\r\n")),
    "a line without end": ("header-flood", endless(b"", b"x" * 4096)),
    "a trailer without end": ("header-flood", endless(CHUNKS + b"0\r\n", b"X: " + b"x" * 4096 + b"\r\n")),
    "interim answers without end": ("malformed", endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n")),
    "a chunk that is cut": ("short-body", CHUNKS + b"5\r\nhel"),
    "a chunk of no size": ("malformed", CHUNKS + b"zz\r\nhello\r\n0\r\n\r\n"),
    "two lengths": ("malformed", OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
    "a length and chunks": (
        "malformed",
        OK + b"Content-Length: 5\r\n" + CHUNKS[len(OK) :] + b"5\r\nhello\r\n0\r\n\r\n",
    ),
    "a negative length": ("malformed", OK + b"Content-Length: -5\r\n\r\n"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_server_that_is_not_well_is_found_out(what: str, client: SharedClient) -> None:
    kind, answer = FAULTS[what]
    with HttpService({"/": answer}, closing=frozenset(("/",))) as service, refused(kind):
        opened(client, service.url())


@pytest.mark.parametrize(
    ("kind", "answer"),
    [("long-body", OK + b"Content-Length: 3\r\n\r\nhello"), ("body-varies", turning(b"one", b"two"))],
)
def test_a_later_answer_on_the_same_connection_shows_it(kind: str, answer: Answer, client: SharedClient) -> None:
    with HttpService({"/": answer}) as service, refused(kind):
        opened(client, service.url())


@pytest.mark.parametrize("piece", [b"", b"x"], ids=["silent", "a trickle"])
def test_an_answer_that_never_ends_has_its_time(piece: bytes, client: SharedClient) -> None:
    answer = endless(OK + b"Content-Length: 1000\r\n\r\n", piece, 0.01)
    with HttpService({"/": answer}) as service, refused("timeout"):
        opened(client, service.url(), timeout_ns=3 * 10**8)


@pytest.mark.parametrize("piece", [b"", b"x"], ids=["silent", "a trickle"])
def test_of_several_at_once_one_that_is_left_waiting_has_its_time(piece: bytes, client: SharedClient) -> None:
    """They take turns in one thread, which must not wait for one of them."""
    turns = itertools.count()
    stuck = endless(OK + b"Content-Length: 1000\r\n\r\n", piece, 0.01)
    breaking = lambda: (said(),) if next(turns) < 60 else stuck()  # noqa: E731
    with HttpService({"/": breaking}) as service:
        opened(client, service.url(), concurrency=4, timeout_ns=3 * 10**8)
        began = time.monotonic()
        with refused("timeout"):
            client.measure("a", 100, 4, 60.0)

    assert time.monotonic() - began < 30


def test_a_redirect_is_not_followed(client: SharedClient) -> None:
    with HttpService({"/": said()}) as other:
        moved = said(b"", "307 Temporary Redirect", f"Location: {other.url()}")
        with HttpService({"/": moved}) as service:
            witnesses = opened(client, service.url(), statuses=[307])

        assert witnesses["status"] == 307
        assert not other.heard


def test_an_answer_in_every_form_has_the_same_body(client: SharedClient) -> None:
    service = HttpService(
        {
            "/length": said(b"hello, world"),
            "/chunks": CHUNKS + b"5\r\nhello\r\n7\r\n, world\r\n0\r\nX: y\r\n\r\n",
            "/close": b"HTTP/1.1 200 OK\r\n\r\nhello, world",
            "/old": b"HTTP/1.0 200 OK\r\nContent-Length: 12\r\n\r\nhello, world",
            "/hints": b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + said(b"hello, world"),
        },
        closing=frozenset({"/close", "/old"}),
    )
    with service:
        seen = [opened(client, service.url(path)) for path in service.answers]

    assert {(one["body"], one["body_bytes"]) for one in seen} == {(seen[0]["body"], 12)}


def test_what_is_sent_is_what_was_asked_for(client: SharedClient) -> None:
    headers = [["X-Own", "value"], ["Accept", "text/html"]]
    body = base64.b64encode(b"content").decode()
    with HttpService({"/p": said()}) as service:
        url = service.url("/p?a=b").replace("://", "://user:word@")
        opened(client, url, headers=headers, method="PUT", body=body)

    lines = service.heard[0].splitlines()
    assert lines[0] == "PUT /p?a=b HTTP/1.1"
    assert f"Host: 127.0.0.1:{service.port}" in lines
    assert f"Authorization: Basic {base64.b64encode(b'user:word').decode()}" in lines
    assert [line for line in lines if line.startswith("Accept")] == ["Accept: text/html"]
    assert {"X-Own: value", "Content-Length: 7"} <= set(lines)


@pytest.mark.parametrize("kept", [True, False])
def test_connections_are_kept_or_new(kept: bool, client: SharedClient) -> None:
    with HttpService({"/": said()}) as service:
        opened(client, service.url(), kept=kept)
        batch = client.measure("a", 20, 0, 60.0)
        closed = client.close("a")

    assert len(batch.elapsed_ns) == 20
    assert closed.requests == len(service.heard)
    # One more looks whether anybody listens.
    assert closed.connections == (2 if kept else closed.requests + 1)
    assert batch.sent_bytes == 20 * len(service.heard[-1].replace("\n", "\r\n")) + 40


def test_a_connection_that_the_server_closes_is_opened_again(client: SharedClient) -> None:
    with HttpService({"/": said(b"x", "200 OK", "Connection: close")}, closing=frozenset(("/",))) as service:
        opened(client, service.url())
        batch = client.measure("a", 5, 0, 60.0)

    assert len(batch.elapsed_ns) == 5


def test_several_at_once_are_under_way_at_once(client: SharedClient) -> None:
    with HttpService({"/": slow(0.02)}) as service:
        opened(client, service.url(), concurrency=8)
        batch = client.measure("a", 8 * 12, 8, 60.0)

    assert len(batch.elapsed_ns) == 80
    assert 4 < batch.in_flight <= 8.2


def test_a_schedule_times_from_when_a_request_was_due(client: SharedClient) -> None:
    """Ten are due within 10 ms, and the one connection needs 20 ms for each: they wait for each other."""
    with HttpService({"/": slow(0.02)}) as service:
        opened(client, service.url(), rate=1000)
        batch = client.measure("a", 5, 0, 60.0)

    # On a busy machine some wait for so long that they are dropped.
    assert batch.late + batch.dropped >= 3
    assert sorted(batch.elapsed_ns) == batch.elapsed_ns
    assert batch.elapsed_ns[-1] >= len(batch.elapsed_ns) * 20e6 - 4e6


def test_what_finds_no_free_connection_is_dropped_and_counted(client: SharedClient) -> None:
    with HttpService({"/": slow(0.3)}) as service:
        opened(client, service.url(), rate=1000)
        batch = client.measure("a", 5, 0, 60.0)

    assert batch.dropped >= 2
    assert len(batch.elapsed_ns) + batch.dropped == 5


def test_a_known_cost_is_added(client: SharedClient) -> None:
    with HttpService({"/": said()}) as service:
        opened(client, service.url(), added_ns=30_000_000)
        batch = client.measure("a", 3, 0, 60.0)

    assert min(batch.elapsed_ns) >= 30_000_000


def test_a_fault_of_one_request_of_many_is_the_fault_of_the_batch(client: SharedClient) -> None:
    turns = itertools.count()
    breaking = lambda: (said() if next(turns) < 60 else said(b"", "503 Busy"),)  # noqa: E731
    with HttpService({"/": breaking}) as service:
        opened(client, service.url(), concurrency=4)
        with refused("status"):
            client.measure("a", 100, 4, 60.0)


class TestSecured:
    """Over TLS, with certificates that are right and others."""

    def test_its_certificate_is_verified_and_witnessed(self, client: SharedClient, tmp_path: Path) -> None:
        certificate, key = self_signed_loopback()
        with HttpService({"/": said()}, secured=secured_by(certificate, key, tmp_path)) as service:
            witnesses = opened(client, service.url(), ca=str(tmp_path / "server.pem"))
            with refused("certificate-untrusted"):
                opened(client, service.url())

        assert witnesses["tls"].startswith("TLS 1.3, ")
        assert witnesses["client_certificate"] is False

    @pytest.mark.parametrize(
        ("wrong", "kind"), [({"name": "other.example"}, "certificate-name"), ({"ended": True}, "certificate-expired")]
    )
    def test_a_certificate_that_is_wrong_has_its_reason(self, wrong, kind, client, tmp_path) -> None:
        by = authority("P-256", **wrong)
        (tmp_path / "root.pem").write_text(by.root)
        secured = secured_by(by.server.certificates, by.server.key, tmp_path)
        with HttpService({"/": said()}, secured=secured) as service, refused(kind):
            opened(client, service.url(), ca=str(tmp_path / "root.pem"))

    def test_a_server_may_want_a_certificate_of_the_client(self, client: SharedClient, tmp_path: Path) -> None:
        by = authority("P-256")
        files = {"certificate": str(tmp_path / "own.pem"), "key": str(tmp_path / "own.key")}
        Path(files["certificate"]).write_text(by.client.certificates)
        Path(files["key"]).write_text(by.client.key)
        secured = secured_by(*self_signed_loopback(), tmp_path, clients=by.root)
        with HttpService({"/": said()}, secured=secured) as service:
            ca = str(tmp_path / "server.pem")
            with refused("client-certificate"):
                opened(client, service.url(), ca=ca)
            witnesses = opened(client, service.url(), ca=ca, **files)

        assert witnesses["client_certificate"] is True


def test_several_clients_share_a_load_and_begin_together() -> None:
    with HttpService({"/": said()}) as service:
        clients = ManyClients(str(parts.client().path), (HERE,) * 3)
        clients.join("a")
        try:
            clients.hello()
            clients.open("a", {**WANTED, "url": service.url(), "concurrency": 6}, 20)
            closed_loop = clients.measure("a", 60 + 12, 6, 20)
            clients.open("b", {**WANTED, "url": service.url(), "concurrency": 6, "rate": 300.0}, 20)
            on_schedule = clients.measure("b", 30, 0, 20)

            assert len(closed_loop.elapsed_ns) == 60
            assert 0 < closed_loop.in_flight <= 6.1
            assert closed_loop.wall_ns >= max(closed_loop.elapsed_ns)
            assert len(on_schedule.elapsed_ns) + on_schedule.dropped == 30
            assert on_schedule.wall_ns > 29 / 300 * 1e9 * 0.9
            assert clients.close("a").connections >= 6
        finally:
            clients.leave("a")


TLS_CUTS = {
    "in the body": OK + b"Content-Length: 10\r\n\r\nhello",
    "in a chunk": CHUNKS + b"5\r\nhel",
    "in the header": OK,
}


@pytest.mark.parametrize("abrupt", [True, False], ids=["without close_notify", "with close_notify"])
@pytest.mark.parametrize("cut", TLS_CUTS)
def test_tls_that_is_closed_in_the_middle_is_found_out(
    cut: str, abrupt: bool, client: SharedClient, tmp_path: Path
) -> None:
    certificate, key = self_signed_loopback()
    (tmp_path / "ca.pem").write_text(certificate)
    service = HttpService(
        {"/": TLS_CUTS[cut]}, closing=frozenset(("/",)), secured=secured_by(certificate, key, tmp_path), abrupt=abrupt
    )
    with service, refused("closed" if cut == "in the header" else "short-body"):
        opened(client, service.url(), ca=str(tmp_path / "ca.pem"))
