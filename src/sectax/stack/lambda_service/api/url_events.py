"""A request to a function URL as an event, and the function's answer as a response: payload format 2.0.

https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
"""

from __future__ import annotations

import base64
import binascii
import time
from typing import Any
from urllib.parse import parse_qsl, unquote

import msgspec

from sectax.stack.lambda_service.http import Request

_TEXT_TYPES = (
    "text/",
    "application/json",
    "application/xml",
    "application/javascript",
    "application/x-www-form-urlencoded",
)
_OWN = ("connection", "content-length", "transfer-encoding")

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
        status = int(said["statusCode"])
        headers = [(str(name), _one_line(value)) for name, value in (said.get("headers") or {}).items()]
        headers += [("Set-Cookie", _one_line(cookie)) for cookie in said.get("cookies") or []]
        body = said.get("body") or ""
        content = base64.b64decode(body, validate=True) if said.get("isBase64Encoded") else _text(body)
    except (TypeError, ValueError, AttributeError, binascii.Error):
        return _BAD_GATEWAY
    if not 200 <= status <= 599:
        return _BAD_GATEWAY
    if not any(name.lower() == "content-type" for name, _ in headers):
        headers.append(("Content-Type", "application/json"))
    return status, content, [each for each in headers if each[0].lower() not in _OWN]


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
