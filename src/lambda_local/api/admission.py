"""Who may ask at all: decided by the headers of a request, before its body is read."""

from __future__ import annotations

import functools
import ipaddress
import re
import uuid
from collections.abc import Mapping

from lambda_local.api import actions
from lambda_local.api.errors import ApiError, too_large
from lambda_local.http import Exchange, HttpLimits
from lambda_local.settings import PAYLOAD_BYTES

# 50 MB of zip in Base64, and the rest of the document: what Lambda takes for CreateFunction.
BODY_BYTES = 70_167_211
LIMITS = HttpLimits(header_bytes=64 * 1024, body_bytes=BODY_BYTES, connections=512)

_WITH_ARCHIVE = ("CreateFunction", "UpdateFunctionCode", "PublishLayerVersion")
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]]+))(?::[0-9]+)?")


def admit(exchange: Exchange) -> int:
    """How many bytes the body of this request may have; or an answer, where it is refused."""
    try:
        return _admitted(exchange)
    except ApiError as error:
        refuse(exchange, error)
        return 0


def refuse(exchange: Exchange, error: ApiError) -> None:
    """Answer a request that has come to no invocation, and so has no identifier yet."""
    error.answer(exchange, (("x-amzn-RequestId", str(uuid.uuid4())),))


def most_bytes(action: str) -> int:
    """How many bytes the body of this action may have."""
    return BODY_BYTES if action in _WITH_ARCHIVE else PAYLOAD_BYTES


def check_host(headers: Mapping[str, str]) -> None:
    """Raises `ApiError` where the caller has another name for us than this machine's own."""
    # It may be that of a web page, whose name server says since a moment ago that it lives here (DNS rebinding). The
    # page's browser then takes us for the page's server.
    host = headers.get("host", "")
    if not _is_this_machine(host):
        raise ApiError(
            403,
            "AccessDeniedException",
            f"the local Lambda does not answer to the name {host[:100]!r}: call it at 127.0.0.1, [::1] or localhost",
        )


def check_origin(headers: Mapping[str, str]) -> None:
    """Raises `ApiError` where a browser asks for a web page that is not of this machine."""
    origin = headers.get("origin")
    if origin is not None and not _is_this_machine(origin.partition("://")[2]):
        raise ApiError(403, "AccessDeniedException", "the local Lambda does not answer to web pages of other machines")


def check_signed(headers: Mapping[str, str]) -> None:
    """Raises `ApiError` where the request is not signed."""
    # AWS's clients always sign. A web page that is open in a browser here can reach this port too, but it cannot send
    # this header without being asked first whether it may, and it may not.
    if not headers.get("authorization", "").startswith("AWS4-"):
        raise ApiError(403, "MissingAuthenticationTokenException", "Missing Authentication Token")


def _admitted(exchange: Exchange) -> int:
    request = exchange.request
    check_host(request.headers)
    check_signed(request.headers)
    found = actions.find(request.method, request.path, request.query)
    action = found[0] if found else ""
    most = most_bytes(action)
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most:
        raise too_large(most, "InvokeFunction" if action == "Invoke" else action)
    return most


@functools.lru_cache(maxsize=64)
def _is_this_machine(host: str) -> bool:
    """Whether the value of a Host header is a loopback address or localhost, with any port or none."""
    parts = _HOST.fullmatch(host)
    if parts is None:
        return False
    name = parts[1] or parts[2]
    try:
        return name.lower() == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
