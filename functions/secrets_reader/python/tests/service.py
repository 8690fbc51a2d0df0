"""A Secrets Manager and a sidecar of a few lines, on loopback, which count what they are asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

VERSION = "0" * 32


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.connections = 0
        self.status = 200
        self.lacks = False  # whether answers lack what was asked for

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def served() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._tell(self.headers["X-Amz-Target"].rpartition(".")[2], asked["SecretId"])

    def do_GET(self) -> None:
        status = self.server.status
        if self.headers["X-Aws-Parameters-Secrets-Token"] != "token":
            self.server.status = 403
        self._tell("sidecar", parse_qs(urlsplit(self.path).query)["secretId"][0])
        self.server.status = status

    def _tell(self, operation: str, name: str) -> None:
        self.server.asked.append(operation)
        answer: dict[str, Any] = {"Name": name, "SecretString": f"secret of {name}"}
        answer |= {"VersionId": VERSION, "VersionIdsToStages": {VERSION: ["AWSCURRENT"]}}
        if self.server.lacks:
            del answer["SecretString"]
        body = json.dumps(answer).encode()
        self.send_response_only(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None: ...
