"""The client that sets up and cleans up keeps its certificate for every connection."""

from __future__ import annotations

import gc
import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from sectax.experiments.client_server.certificates import self_signed_loopback
from sectax.experiments.s3.access import S3Access
from sectax.experiments.s3.buckets import client


class _Closing(BaseHTTPRequestHandler):
    """Answers one request per connection."""

    def do_GET(self) -> None:
        body = b"<ListAllMyBucketsResult><Buckets></Buckets></ListAllMyBucketsResult>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def test_new_connections_trust_the_given_authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    pair = self_signed_loopback()
    pem = tmp_path / "server"
    pem.write_text(pair.certificates + pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    with HTTPServer(("127.0.0.1", 0), _Closing) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        endpoint = f"https://127.0.0.1:{server.server_port}"
        s3 = client(S3Access(endpoint, access_key="key", secret_key="secret", ca_pem=pair.certificates))
        for _ in range(3):
            assert s3.list_buckets()["Buckets"] == []
        server.shutdown()

    assert len(list(tmp_path.glob("*.pem"))) == 1
    s3.close()
    del s3
    gc.collect()
    assert not list(tmp_path.glob("*.pem"))
