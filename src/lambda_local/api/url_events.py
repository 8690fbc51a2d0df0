"""A request to a function URL as an event, and the function's answer as a response: payload format 2.0.

https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
"""

from __future__ import annotations

import base64
import binascii
import re
import time
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, unquote

import msgspec

from lambda_local.http import Exchange, Request

_TEXT_TYPES = (
    "text/",
    "application/json",
    "application/xml",
    "application/javascript",
    "application/x-www-form-urlencoded",
)
_OWN = ("connection", "content-length", "transfer-encoding")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2

_WITH_PRELUDE = "application/vnd.awslambda.http-integration-response"
_DELIMITER = bytes(8)
_MOST_PRELUDE_BYTES = 64 * 1024
_BYTES = "application/octet-stream"

Response = tuple[int, bytes, list[tuple[str, str]]]


def event(request: Request, url_id: str, request_id: str) -> bytes:
    """The event that the function gets."""
    headers = {name: value for name, value in request.headers.items() if name != "cookie"}
    now = time.time()
    domain = request.headers.get("host", "")
    document: dict[str, Any] = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": unquote(request.path),
        "rawQueryString": request.query,
        "headers": headers,
        "requestContext": {
            "accountId": "anonymous",
            "apiId": url_id,
            "domainName": domain,
            "domainPrefix": url_id,
            "http": {
                "method": request.method,
                "path": unquote(request.path),
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": request.headers.get("user-agent", ""),
            },
            "requestId": request_id,
            "routeKey": "$default",
            "stage": "$default",
            "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now)),
            "timeEpoch": int(now * 1e3),
        },
        "isBase64Encoded": False,
    }
    if request.query:
        query: dict[str, str] = {}
        for name, value in parse_qsl(request.query, keep_blank_values=True):
            query[name] = f"{query[name]},{value}" if name in query else value
        document["queryStringParameters"] = query
    if "cookie" in request.headers:
        document["cookies"] = request.headers["cookie"].split("; ")
    if request.body:
        _add_body(document, request)
    return msgspec.json.encode(document)


def _add_body(document: dict[str, Any], request: Request) -> None:
    kind = request.headers.get("content-type", "")
    if kind.startswith(_TEXT_TYPES):
        try:
            document["body"] = request.body.decode()
            return
        except UnicodeDecodeError:
            pass
    document["body"], document["isBase64Encoded"] = base64.b64encode(request.body).decode(), True


def response(payload: bytes) -> Response:
    """Status, body and headers, by what the function returned.

    An object with `statusCode` says them; anything else is the body itself, as JSON.
    """
    try:
        said = msgspec.json.decode(payload) if payload else None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _BAD_GATEWAY
    if not isinstance(said, dict) or "statusCode" not in said:
        return 200, payload, [("Content-Type", "application/json")]
    try:
        body = said.get("body") or ""
        content = base64.b64decode(body, validate=True) if said.get("isBase64Encoded") else _text(body)
        status, headers = _head(said, "application/json")
    except (TypeError, ValueError, AttributeError, binascii.Error):
        return _BAD_GATEWAY
    return status, content, headers


def _head(said: dict[str, Any], usual_type: str) -> tuple[int, list[tuple[str, str]]]:
    """Status and headers. Raises `TypeError`, `ValueError`, `AttributeError` for what are none."""
    status = int(said["statusCode"])
    headers = [(str(name), _one_line(value)) for name, value in (said.get("headers") or {}).items()]
    headers += [("Set-Cookie", _one_line(cookie)) for cookie in said.get("cookies") or []]
    if not 200 <= status <= 599 or any(not _TOKEN.fullmatch(name) for name, _ in headers):
        raise ValueError(status)
    if not any(name.lower() == "content-type" for name, _ in headers):
        headers.append(("Content-Type", usual_type))
    return status, [each for each in headers if each[0].lower() not in _OWN]


class StreamedResponse:
    """Implements `Stream`: the parts are the body of a response as they come.

    A runtime that calls its answer `application/vnd.awslambda.http-integration-response` sends status, headers and
    cookies before them, as JSON with eight NULs behind it.
    """

    def __init__(self, exchange: Exchange, headers: list[tuple[str, str]]) -> None:
        self.ready = exchange.ready
        self._exchange = exchange
        self._headers = headers
        self._begun = False  # the runtime streams
        self._prelude: bytes | None = None  # what has come of it; None where there is none, or it is over

    def begin(self, content_type: str) -> None:
        """The answer begins."""
        self._begun = True
        if content_type == _WITH_PRELUDE:
            self._prelude = b""
        else:
            kind = content_type if content_type.isprintable() and content_type else _BYTES
            self._exchange.begin(200, [*self._headers, ("Content-Type", kind)])

    def put(self, part: bytes) -> None:
        """Send it, once it is known what stands before it."""
        if self._prelude is None:
            self._exchange.part(part)
            return
        self._prelude += part
        prelude, delimiter, body = self._prelude.partition(_DELIMITER)
        if delimiter:
            self._prelude = None
            try:
                said = {"statusCode": 200} | msgspec.json.decode(prelude or b"{}", type=dict[str, Any])
                status, headers = _head(said, _BYTES)
            except (TypeError, ValueError, AttributeError, msgspec.DecodeError):
                self._fail()
                return
            if status in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
                self._exchange.answer(status, b"", [*self._headers, *headers])
                return
            self._exchange.begin(status, [*self._headers, *headers])
            self._exchange.part(body)
        elif len(self._prelude) > _MOST_PRELUDE_BYTES:
            self._fail()

    def end(self, payload: bytes, *, failed: bool) -> None:
        """The function has answered, or failed.

        Args:
            payload: its whole answer, where it did not stream.
        """
        if not self._begun and not failed:
            self._exchange.answer(200, payload, [*self._headers, ("Content-Type", _BYTES)])
        elif not self._begun or self._prelude is not None:
            self._fail()
        elif failed:
            self._exchange.break_off()
        else:
            self._exchange.end()

    def _fail(self) -> None:
        self._prelude = None
        status, body, headers = _BAD_GATEWAY
        self._exchange.answer(status, body, [*self._headers, *headers])


def failure() -> Response:
    """The answer where the function failed."""
    return _BAD_GATEWAY


_BAD_GATEWAY: Response = (502, b"Internal Server Error", [("Content-Type", "text/plain")])


def _text(body: object) -> bytes:
    return body.encode() if isinstance(body, str) else msgspec.json.encode(body)


def _one_line(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if any(ord(character) < 32 for character in text):
        raise ValueError(text)
    return text
