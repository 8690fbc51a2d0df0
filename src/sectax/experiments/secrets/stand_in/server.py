"""moto's Secrets Manager behind TLS; runs in moto's interpreter.

The first line on stdin has the secrets and the certificate, the first line on stdout the port. After that, each line
on stdin requests the counters, which are one line on stdout. It stops at the end of stdin. Only the key of the
certificate is written to disk, until it is loaded.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import socket
import ssl
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from botocore.awsrequest import AWSPreparedRequest  # type: ignore[import-untyped]
from moto.core.exceptions import HTTPException  # type: ignore[import-not-found]
from moto.core.request import normalize_request  # type: ignore[import-not-found]
from moto.secretsmanager.models import secretsmanager_backends  # type: ignore[import-not-found]
from moto.secretsmanager.responses import SecretsManagerResponse  # type: ignore[import-not-found]

_ACCOUNT, _REGION = "123456789012", "us-east-1"
# A secret that is rarely fetched needs a new connection: both sides close idle ones.
_UNCACHED, _EXPIRING = "/miss/", "/refresh/"


class Counters:
    """Requests by operation; `connections` counts finished TLS handshakes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = {"GetSecretValue": 0, "DescribeSecret": 0, "other": 0, "refused": 0, "connections": 0}

    def add(self, name: str) -> None:
        with self._lock:
            self._counts[name if name in self._counts else "other"] += 1

    def read(self) -> dict[str, int]:
        with self._lock:
            return dict(self._counts)


class Handler(BaseHTTPRequestHandler):
    """One connection after its handshake."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # send headers and body together
    timeout = 60
    server: Server

    def do_GET(self) -> None:
        """Answer an empty request for the health check and the round trip; not counted."""
        time.sleep(self.server.delay_s)
        self.send_response_only(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        operation = self.headers.get("X-Amz-Target", "").rpartition(".")[2]
        self.server.counters.add(operation)
        if self.server.delay_s:
            time.sleep(self.server.delay_s)
        status, headers, answer = self._answer(body)
        if status != 200:
            self.server.counters.add("refused")
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "connection", "server", "date"):
                self.send_header(name, str(value))
        self.send_header("Content-Length", str(len(answer)))
        if _UNCACHED.encode() in body or _EXPIRING.encode() in body:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: requests name secrets."""

    def _answer(self, body: bytes) -> tuple[int, dict[str, Any], bytes]:
        url = f"https://secretsmanager.{_REGION}.amazonaws.com/"
        request = normalize_request(AWSPreparedRequest("POST", url, dict(self.headers), body, False))
        try:
            status, headers, answer = SecretsManagerResponse.dispatch(request, url, request.headers)
        except HTTPException as error:  # moto's refusal, for example of an unknown secret
            status, headers, answer = error.code, dict(error.get_headers()), error.get_body()
        return status, headers, answer if isinstance(answer, bytes) else answer.encode()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, context: ssl.SSLContext, delay_s: float) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.counters = Counters()
        self.delay_s = delay_s
        self._context = context

    def finish_request(self, request: Any, client_address: Any) -> None:
        # In the connection's thread. A new connection has a round trip for TCP and one for TLS.
        if self.delay_s:
            time.sleep(2 * self.delay_s)
        request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(OSError), self._context.wrap_socket(request, server_side=True) as connection:
            self.counters.add("connections")
            Handler(connection, client_address, self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore closed connections; print only the type of other errors."""
        kind = sys.exc_info()[0]
        if kind is not None and not issubclass(kind, OSError):
            sys.stderr.write(f"{kind.__name__}\n")


def context(certificate: str, key: str) -> ssl.SSLContext:
    """Create a server's TLS context from a certificate and key in PEM."""
    server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.NamedTemporaryFile("w", prefix=".sectax-", suffix=".pem") as file:  # mode 600
        file.write(certificate + key)
        file.flush()
        server_context.load_cert_chain(file.name)
    return server_context


def value(marker: str, name: str, size: int) -> str:
    """Derive a secret's value: *size* characters that begin with the run's marker."""
    digest = hmac.new(marker.encode(), name.encode(), hashlib.sha256).hexdigest()
    return (marker + digest * (size // len(digest) + 1))[:size]


def fill(marker: str, sizes: list[int], uncached: int, expiring: int) -> None:
    """Create the cached, uncached and expiring secrets of each size."""
    store = secretsmanager_backends[_ACCOUNT][_REGION]
    for size in sizes:
        kinds = ((_UNCACHED, uncached), (_EXPIRING, expiring))
        others = [f"sectax/{size}{kind}{number}" for kind, count in kinds for number in range(count)]
        for name in [f"sectax/{size}/hit", *others]:
            store.create_secret(
                name=name, secret_string=value(marker, name, size), secret_binary=None, description=None, tags=[],
                kms_key_id=None, client_request_token=None, replica_regions=[], force_overwrite=False,
            )  # fmt: skip


def main() -> None:
    # Otherwise moto derives the account from the credentials.
    os.environ.setdefault("MOTO_ACCOUNT_ID", _ACCOUNT)
    document = json.loads(sys.stdin.readline())
    fill(document["marker"], document["sizes"], document["uncached"], document["expiring"])
    server = Server(context(document["certificate"], document["key"]), document["delay_s"])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    _say({"port": server.server_port, "tls": ssl.OPENSSL_VERSION})
    for _ in sys.stdin:
        _say(server.counters.read())


def _say(content: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(content) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
