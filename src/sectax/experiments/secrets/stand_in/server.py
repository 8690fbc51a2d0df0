"""moto's Secrets Manager behind TLS on loopback. `backend.py` runs it with moto's interpreter, not with sectax's.

The first line on stdin says what there is to be kept and by which certificate, the first line on stdout where it is.
Then each line on stdin asks what it was asked, and is answered with one line; it ends with stdin. Nothing is written to
disk but, for the moment of its being read, the key of the certificate.
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
# A secret that is fetched once in a long while is fetched over a new connection: both sides let idle ones go.
_RARE, _SOMETIMES = "/miss/", "/refresh/"


class Counters:
    """What was asked, by operation; `connections` counts finished TLS handshakes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen = {"GetSecretValue": 0, "DescribeSecret": 0, "other": 0, "refused": 0, "connections": 0}

    def add(self, name: str) -> None:
        with self._lock:
            self._seen[name if name in self._seen else "other"] += 1

    def read(self) -> dict[str, int]:
        with self._lock:
            return dict(self._seen)


class Handler(BaseHTTPRequestHandler):
    """One connection after its handshake."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body go out together
    timeout = 60
    server: Server

    def do_GET(self) -> None:
        """Whether it is there, and how far away; not counted."""
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
        if _RARE.encode() in body or _SOMETIMES.encode() in body:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: a request names secrets."""

    def _answer(self, body: bytes) -> tuple[int, dict[str, Any], bytes]:
        url = f"https://secretsmanager.{_REGION}.amazonaws.com/"
        request = normalize_request(AWSPreparedRequest("POST", url, dict(self.headers), body, False))
        try:
            status, headers, answer = SecretsManagerResponse.dispatch(request, url, request.headers)
        except HTTPException as error:  # how moto refuses: an unknown secret, say
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
        # In the connection's own thread. A longer way costs a new connection a round trip for TCP and one for TLS.
        if self.delay_s:
            time.sleep(2 * self.delay_s)
        request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(OSError), self._context.wrap_socket(request, server_side=True) as connection:
            self.counters.add("connections")
            Handler(connection, client_address, self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a caller that has gone, and of anything else its kind alone: its words may name secrets."""
        kind = sys.exc_info()[0]
        if kind is not None and not issubclass(kind, OSError):
            sys.stderr.write(f"{kind.__name__}\n")


def context(certificate: str, key: str) -> ssl.SSLContext:
    """Of a server with this certificate and key, both as PEM."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.NamedTemporaryFile("w", prefix=".sectax-", suffix=".pem") as file:  # of mode 600
        file.write(certificate + key)
        file.flush()
        made.load_cert_chain(file.name)
    return made


def value(marker: str, name: str, size: int) -> str:
    """The secret of this name: *size* characters that begin with the run's marker."""
    digest = hmac.new(marker.encode(), name.encode(), hashlib.sha256).hexdigest()
    return (marker + digest * (size // len(digest) + 1))[:size]


def fill(marker: str, sizes: list[int], rare: int, sometimes: int) -> None:
    """Keep, for each size, the secret `sectax/SIZE/hit`, *rare* others that an instance fetches once each, and
    *sometimes* others that it fetches again when its cache has let them go."""
    keeper = secretsmanager_backends[_ACCOUNT][_REGION]
    for size in sizes:
        kinds = ((_RARE, rare), (_SOMETIMES, sometimes))
        missed = [f"sectax/{size}{kind}{number}" for kind, count in kinds for number in range(count)]
        for name in [f"sectax/{size}/hit", *missed]:
            keeper.create_secret(
                name=name, secret_string=value(marker, name, size), secret_binary=None, description=None, tags=[],
                kms_key_id=None, client_request_token=None, replica_regions=[], force_overwrite=False,
            )  # fmt: skip


def main() -> None:
    # moto asks for the account of whoever calls, which it reads off made-up credentials.
    os.environ.setdefault("MOTO_ACCOUNT_ID", _ACCOUNT)
    document = json.loads(sys.stdin.readline())
    fill(document["marker"], document["sizes"], document["rare"], document["sometimes"])
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
