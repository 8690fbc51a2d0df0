"""Admission of requests, dispatch to actions, and answers for errors."""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from urllib.parse import unquote

from lambda_local.api.errors import ApiError, malformed, service_failed, too_large
from lambda_local.api.functions import Document, Functions
from lambda_local.api.invoke import invoke
from lambda_local.api.requests import Call
from lambda_local.errors import LambdaLocalError
from lambda_local.http import Exchange, HttpLimits
from lambda_local.instances.pool import Pool
from lambda_local.settings import PAYLOAD_BYTES
from lambda_local.tasks import Tasks

# Lambda's limit for CreateFunction: 50 MB of zip in Base64, and the rest of the document.
_BODY_BYTES = 70_167_211
LIMITS = HttpLimits(header_bytes=64 * 1024, body_bytes=_BODY_BYTES, connections=512)

_Action = Callable[[Functions, Call], Awaitable[Document | None]]

_FUNCTIONS, _FUNCTION = "/2015-03-31/functions", "/2015-03-31/functions/{FunctionName}"
_LAYER = "/2018-10-31/layers/{LayerName}/versions"
_INVOKE = "Invoke"
# Method and path as in the API reference.
_ACTIONS: dict[str, tuple[str, str, _Action | None]] = {
    _INVOKE: ("POST", f"{_FUNCTION}/invocations", None),
    "CreateFunction": ("POST", _FUNCTIONS, Functions.create),
    "GetFunction": ("GET", _FUNCTION, Functions.get),
    "GetFunctionConfiguration": ("GET", f"{_FUNCTION}/configuration", Functions.get_configuration),
    "ListFunctions": ("GET", _FUNCTIONS, Functions.list_all),
    "UpdateFunctionConfiguration": ("PUT", f"{_FUNCTION}/configuration", Functions.update_configuration),
    "UpdateFunctionCode": ("PUT", f"{_FUNCTION}/code", Functions.update_code),
    "DeleteFunction": ("DELETE", _FUNCTION, Functions.delete),
    "PublishLayerVersion": ("POST", _LAYER, Functions.publish_layer),
    "DeleteLayerVersion": ("DELETE", f"{_LAYER}/{{VersionNumber}}", Functions.delete_layer),
}
_PATTERNS = [
    (name, method, re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path) + "/?"))
    for name, (method, path, _) in _ACTIONS.items()
]
_CREATES = ("CreateFunction", "PublishLayerVersion")
_WITH_ARCHIVE = (*_CREATES, "UpdateFunctionCode")
_REMEMBERED = 128
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]]+))(?::[0-9]+)?")


@functools.lru_cache(_REMEMBERED)  # invocations repeat paths
def find(method: str, path: str) -> tuple[str, Mapping[str, str]]:
    """Return the action and the path's parameters; empty if not supported. Raises `ApiError`."""
    for name, its_method, pattern in _PATTERNS:
        if method == its_method and (match := pattern.fullmatch(path)):
            try:
                parameters = {key: unquote(value, errors="strict") for key, value in match.groupdict().items()}
            except UnicodeDecodeError as error:
                raise malformed(f"the path is not UTF-8: {error.reason}") from error
            return name, MappingProxyType(parameters)
    return "", {}


def admit(exchange: Exchange) -> int:
    """Return the maximum size of the body, or answer the request if its headers are rejected."""
    request = exchange.request
    try:
        _check_caller(request.headers)
        action, _ = find(request.method, request.path)
        most = _most_bytes(action)
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length) > most:
            raise too_large(most, "InvokeFunction" if action == _INVOKE else action)
    except ApiError as error:
        error.answer(exchange)
        return 0
    return most


def _check_caller(headers: Mapping[str, str]) -> None:
    """Reject requests of web pages in a browser on this machine. Raises `ApiError`."""
    # Against DNS rebinding: the browser sends the page's host name, even if it now resolves to loopback.
    host = headers.get("host", "")
    if not _is_this_machine(host):
        raise ApiError(
            403,
            "AccessDeniedException",
            f"the local Lambda does not accept the host name {host[:100]!r}: use 127.0.0.1, [::1] or localhost",
        )
    # AWS's clients always sign. A web page needs a CORS preflight for this header, which fails.
    if not headers.get("authorization", "").startswith("AWS4-"):
        raise ApiError(403, "MissingAuthenticationTokenException", "Missing Authentication Token")


@functools.lru_cache(maxsize=64)
def _is_this_machine(host: str) -> bool:
    """Return whether a Host header is a loopback address or localhost."""
    parts = _HOST.fullmatch(host)
    if parts is None:
        return False
    name = parts[1] or parts[2]
    try:
        return name.lower() == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _most_bytes(action: str) -> int:
    return _BODY_BYTES if action in _WITH_ARCHIVE else PAYLOAD_BYTES


class Router:
    """Answers admitted requests."""

    def __init__(self, functions: Functions, pool: Pool) -> None:
        self._functions = functions
        self._pool = pool
        self._tasks = Tasks()

    def handle(self, exchange: Exchange) -> None:
        """Start answering one request."""
        self._tasks.start(self._answer(exchange))

    async def close(self) -> None:
        """Cancel unfinished requests."""
        await self._tasks.cancel()

    async def _answer(self, exchange: Exchange) -> None:
        try:
            await self._act(exchange)
        except ApiError as error:
            error.answer(exchange)
        except LambdaLocalError as error:
            service_failed(f"{error.message}: {error.hint}").answer(exchange)
        except RecursionError:
            malformed("the document is nested too deeply").answer(exchange)
        except Exception as error:  # a bug must not leave the caller waiting
            service_failed(f"internal error of the local Lambda: {error!r}").answer(exchange)

    async def _act(self, exchange: Exchange) -> None:
        request = exchange.request
        name, parameters = find(request.method, request.path)
        if not name:
            action = f"{request.method} {request.path[:200]}"
            raise ApiError(501, "NotImplementedException", f"the local Lambda does not support {action}")
        call = Call(parameters, exchange)
        act = _ACTIONS[name][2]
        if act is None:
            await invoke(self._functions, self._pool, call)
            return
        if request.too_large:
            raise too_large(_most_bytes(name), name)
        document = await act(self._functions, call)
        if request.method != "GET":
            self._pool.retire()
        if document is None:
            exchange.answer(204)
        else:
            exchange.answer_json(201 if name in _CREATES else 200, document)
