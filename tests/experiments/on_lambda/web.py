"""A small web server of a test's own, on a free port of this machine."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class SilentHandler(http.server.BaseHTTPRequestHandler):
    """Answers as its descendants say, and writes no log."""

    def log_message(self, *words: object) -> None:
        pass


@contextmanager
def web_server(handler: type[SilentHandler]) -> Iterator[str]:
    """Its address, while it serves."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
