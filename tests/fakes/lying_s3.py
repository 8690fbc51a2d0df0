"""A small S3 service that lies: it refuses deletions, invents objects, redirects, lacks an encryption, or says that it
encrypts and does not."""

from __future__ import annotations

import contextlib
import re
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from sectax.experiments.s3.access import S3Access

_PAGE = 1000
_ENCRYPTION = ("x-amz-server-side-encryption", "x-amz-server-side-encryption-customer-algorithm")


@dataclass
class LyingS3:
    """What it does, and what it was asked.

    Attributes:
        keeps_objects: DeleteObjects is answered with 200, and AccessDenied for every key.
        keeps_buckets: DeleteBucket is refused.
        invents: every listing has a thousand keys more.
        redirects_to: objects are to be asked for there, by a 307.
        lacks: algorithms that it does not have, as a bucket's default and as a header (`customer` for SSE-C).
        echoes: operations whose answers name the encryption that a PUT requested; the bytes are plain all the same.
        stalls_s: it waits so long before every listing.
    """

    keeps_objects: bool = False
    keeps_buckets: bool = False
    invents: bool = False
    redirects_to: str = ""
    lacks: frozenset[str] = frozenset()
    echoes: tuple[str, ...] = ()
    stalls_s: float = 0.0
    endpoint: str = ""
    requests: Counter[str] = field(default_factory=Counter)
    buckets: dict[str, dict[str, bytes]] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)
    asked: dict[str, dict[str, str]] = field(default_factory=dict)  # object -> its headers of encryption
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def access(self) -> S3Access:
        return S3Access(self.endpoint, "us-east-1", "an-id", "a-secret")


@contextlib.contextmanager
def serving(lies: LyingS3) -> Iterator[LyingS3]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("_Bound", (_Handler,), {"lies": lies}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    lies.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield lies
    finally:
        lies.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _texts(body: bytes, tag: str) -> list[str]:
    return re.findall(f"<{tag}>([^<]*)</{tag}>", body.decode())


class _Handler(BaseHTTPRequestHandler):
    lies: LyingS3
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _do(self) -> None:
        lies, parts = self.lies, urlsplit(self.path)
        query = parse_qs(parts.query, keep_blank_values=True)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        bucket, _, key = parts.path.lstrip("/").partition("/")
        objects = lies.buckets.get(bucket, {})
        if key:
            self._object(bucket, key, body)
        elif "encryption" in query:
            self._encryption(bucket, body)
        elif self.command == "PUT":
            lies.buckets.setdefault(bucket, {})
            self._answer(200)
        elif self.command == "DELETE":
            lies.requests["DeleteBucket"] += 1
            if lies.keeps_buckets:
                self._refuse(403, "AccessDenied")
            else:
                lies.buckets.pop(bucket, None)
                self._answer(204)
        elif "delete" in query:
            self._delete(objects, body)
        elif "uploads" in query:
            self._answer(200, "<ListMultipartUploadsResult></ListMultipartUploadsResult>")
        elif self.command == "HEAD":
            self._answer(200 if bucket in lies.buckets else 404)
        else:
            self._list(objects, query.get("start-after", [""])[0], query.get("prefix", [""])[0])

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _do

    def _object(self, bucket: str, key: str, body: bytes) -> None:
        lies = self.lies
        objects, rule = lies.buckets.get(bucket, {}), lies.rules.get(bucket)
        said = {"ETag": '"0"'} | ({"x-amz-server-side-encryption": rule} if rule else {})
        if self.command == "PUT":
            lies.asked[key] = {name: value for name in _ENCRYPTION if (value := self.headers.get(name))}
        if self.command in lies.echoes:
            said |= lies.asked.get(key, {})
        algorithm = self.headers.get(_ENCRYPTION[0]) or ("customer" if self.headers.get(_ENCRYPTION[1]) else "")
        if lies.redirects_to:
            self._answer(307, headers={"Location": lies.redirects_to + self.path})
        elif self.command == "PUT" and algorithm in lies.lacks:
            self._refuse(501, "NotImplemented")
        elif self.command == "PUT":
            objects[key] = body
            self._answer(200, headers=said)
        elif key not in objects:
            self._refuse(404, "NoSuchKey")
        else:
            self._answer(200, objects[key], said)

    def _encryption(self, bucket: str, body: bytes) -> None:
        lies = self.lies
        if self.command == "PUT":
            algorithm = _texts(body, "SSEAlgorithm")[0]
            if algorithm in lies.lacks:
                self._refuse(501, "NotImplemented")
                return
            lies.rules[bucket] = algorithm
            self._answer(200)
        elif bucket not in lies.rules:
            self._refuse(404, "ServerSideEncryptionConfigurationNotFoundError")
        else:
            rule = f"<SSEAlgorithm>{lies.rules[bucket]}</SSEAlgorithm>"
            default = f"<ApplyServerSideEncryptionByDefault>{rule}</ApplyServerSideEncryptionByDefault>"
            said = f"<Rule>{default}</Rule>"
            self._answer(200, f"<ServerSideEncryptionConfiguration>{said}</ServerSideEncryptionConfiguration>")

    def _list(self, objects: dict[str, bytes], after: str, prefix: str) -> None:
        lies = self.lies
        lies.requests["ListObjectsV2"] += 1
        lies.over.wait(lies.stalls_s)
        if lies.invents:
            keys = [f"{prefix}{lies.requests['ListObjectsV2']:08d}-{number:04d}" for number in range(_PAGE)]
        else:
            keys = sorted(key for key in objects if key > after and key.startswith(prefix))[:_PAGE]
        entries = "".join(f"<Contents><Key>{key}</Key></Contents>" for key in keys)
        self._answer(200, f"<ListBucketResult>{entries}</ListBucketResult>")

    def _delete(self, objects: dict[str, bytes], body: bytes) -> None:
        lies = self.lies
        lies.requests["DeleteObjects"] += 1
        keys = _texts(body, "Key")
        if lies.keeps_objects:
            refused = "".join(f"<Error><Key>{key}</Key><Code>AccessDenied</Code></Error>" for key in keys)
            self._answer(200, f"<DeleteResult>{refused}</DeleteResult>")
            return
        for key in keys:
            objects.pop(key, None)
        self._answer(200, "<DeleteResult></DeleteResult>")

    def _refuse(self, status: int, code: str) -> None:
        self._answer(status, f"<Error><Code>{code}</Code><Message>no</Message></Error>")

    def _answer(self, status: int, body: str | bytes = b"", headers: dict[str, str] | None = None) -> None:
        content = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            with contextlib.suppress(OSError):
                self.wfile.write(content)
