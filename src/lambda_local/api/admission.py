"""Who may ask at all: decided by the headers of a request, before its body is read."""

from __future__ import annotations

import functools
import ipaddress
import re
import uuid
from collections.abc import Mapping

from lambda_local.api.errors import ApiError
from lambda_local.http import Exchange, HttpLimits

# 50 MB of zip in Base64, and the rest of the document: what Lambda takes for CreateFunction.
BODY_BYTES = 70_167_211
LIMITS = HttpLimits(header_bytes=64 * 1024, body_bytes=BODY_BYTES, connections=512)

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]]+))(?::[0-9]+)?")


def refuse(exchange: Exchange, error: ApiError) -> None:
    """Answer a request that has come to no invocation, and so has no identifier yet."""
    error.answer(exchange, (("x-amzn-RequestId", str(uuid.uuid4())),))


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


def check_signed(headers: Mapping[str, str]) -> None:
    """Raises `ApiError` where the request is not signed."""
    # AWS's clients always sign. A web page that is open in a browser here can reach this port too, but it cannot send
    # this header without being asked first whether it may, and it may not.
    if not headers.get("authorization", "").startswith("AWS4-"):
        raise ApiError(403, "MissingAuthenticationTokenException", "Missing Authentication Token")


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
