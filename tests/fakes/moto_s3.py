"""moto's S3 on loopback; runs in the interpreter of the stand-in for Secrets Manager, which has no Flask.

It prints its port, and ends with stdin.
"""

from __future__ import annotations

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from botocore.awsrequest import AWSPreparedRequest
from moto.core.exceptions import HTTPException
from moto.core.request import normalize_request
from moto.s3.responses import S3Response


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _do(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = f"http://s3.amazonaws.com{self.path}"
        request = normalize_request(AWSPreparedRequest(self.command, url, dict(self.headers), body, False))
        named = self.path.partition("?")[0].strip("/")
        dispatch = S3Response.key_dispatch if "/" in named else S3Response.bucket_dispatch
        try:
            status, headers, answer = dispatch(request, url, request.headers)
        except HTTPException as error:
            status, headers, answer = error.code, dict(error.get_headers()), error.get_body()
        answer = answer.encode() if isinstance(answer, str) else answer
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "connection"):
                self.send_header(name, str(value))
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _do

    def log_message(self, *_: object) -> None:
        """Log nothing."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
