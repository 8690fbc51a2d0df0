"""Finds the action that a request asks for, and answers its errors."""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from lambda_local.api import functions, layers
from lambda_local.api.admission import BODY_BYTES, check_host, check_signed, refuse
from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.errors import ApiError, malformed, not_implemented, too_large
from lambda_local.api.invoke import invoke
from lambda_local.errors import LambdaLocalError
from lambda_local.http import Exchange
from lambda_local.instances.pool import Pool
from lambda_local.settings import PAYLOAD_BYTES
from lambda_local.tasks import Tasks

_Action = Callable[[Catalogue, Call], Awaitable[dict[str, Any] | None]]

_FUNCTIONS, _FUNCTION = "/2015-03-31/functions", "/2015-03-31/functions/{FunctionName}"
_LAYER = "/2018-10-31/layers/{LayerName}/versions"
_INVOKE = "Invoke"
# Method and path as in the API reference.
_ACTIONS: dict[str, tuple[str, str, _Action | None]] = {
    _INVOKE: ("POST", f"{_FUNCTION}/invocations", None),
    "CreateFunction": ("POST", _FUNCTIONS, functions.create),
    "GetFunction": ("GET", _FUNCTION, functions.get),
    "GetFunctionConfiguration": ("GET", f"{_FUNCTION}/configuration", functions.get_configuration),
    "ListFunctions": ("GET", _FUNCTIONS, functions.list_all),
    "UpdateFunctionConfiguration": ("PUT", f"{_FUNCTION}/configuration", functions.update_configuration),
    "UpdateFunctionCode": ("PUT", f"{_FUNCTION}/code", functions.update_code),
    "DeleteFunction": ("DELETE", _FUNCTION, functions.delete),
    "PublishLayerVersion": ("POST", _LAYER, layers.publish),
    "DeleteLayerVersion": ("DELETE", f"{_LAYER}/{{VersionNumber}}", layers.delete),
}
_PATTERNS = [
    (name, method, re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path) + "/?"))
    for name, (method, path, _) in _ACTIONS.items()
]
_CREATES = ("CreateFunction", "PublishLayerVersion")
_WITH_ARCHIVE = (*_CREATES, "UpdateFunctionCode")
_REMEMBERED = 128


@functools.lru_cache(_REMEMBERED)  # who invokes asks for the same again and again
def find(method: str, path: str) -> tuple[str, Mapping[str, str]] | None:
    """The action that a request asks for, with the parameters of its path; None where there is none here.

    Raises `ApiError` where a parameter is no text.
    """
    for name, its_method, pattern in _PATTERNS:
        if method == its_method and (match := pattern.fullmatch(path)):
            try:
                parameters = {key: unquote(value, errors="strict") for key, value in match.groupdict().items()}
            except UnicodeDecodeError as error:
                raise malformed(f"the path is not UTF-8: {error.reason}") from error
            return name, MappingProxyType(parameters)
    return None


def admit(exchange: Exchange) -> int:
    """How many bytes the body of this request may have; or an answer, where it is refused by its headers."""
    request = exchange.request
    try:
        check_host(request.headers)
        check_signed(request.headers)
        match = find(request.method, request.path)
        action = match[0] if match else ""
        most = BODY_BYTES if action in _WITH_ARCHIVE else PAYLOAD_BYTES
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length) > most:
            raise too_large(most, "InvokeFunction" if action == _INVOKE else action)
    except ApiError as error:
        refuse(exchange, error)
        return 0
    return most


class Router:
    """Answers requests of AWS's clients that were admitted."""

    def __init__(self, catalogue: Catalogue, pool: Pool) -> None:
        self._catalogue = catalogue
        self._pool = pool
        self._tasks = Tasks()

    def handle(self, exchange: Exchange) -> None:
        """Answer one request, now or later."""
        self._tasks.start(self._answer(exchange))

    async def close(self) -> None:
        """Leave unanswered what is under way."""
        await self._tasks.cancel()

    async def _answer(self, exchange: Exchange) -> None:
        try:
            await self._act(exchange)
        except ApiError as error:
            refuse(exchange, error)
        except LambdaLocalError as error:
            refuse(exchange, ApiError(500, "ServiceException", f"{error.message}: {error.hint}"))
        except RecursionError:
            refuse(exchange, malformed("the document is nested too deeply"))
        except Exception as error:  # a fault of ours must not leave the caller waiting
            refuse(exchange, ApiError(500, "ServiceException", f"a fault of the local Lambda: {error!r}"))

    async def _act(self, exchange: Exchange) -> None:
        request = exchange.request
        found = find(request.method, request.path)
        if found is None:
            raise not_implemented(f"{request.method} {request.path[:200]}")
        name, parameters = found
        call = Call(parameters, exchange, self._catalogue.region)
        act = _ACTIONS[name][2]
        if act is None:
            await invoke(self._catalogue, self._pool, call)
            return
        if request.too_large:
            raise too_large(BODY_BYTES if name in _WITH_ARCHIVE else PAYLOAD_BYTES, name)
        document = await act(self._catalogue, call)
        if request.method != "GET":
            self._pool.retire()
        if document is None:
            exchange.answer(204)
        else:
            exchange.answer_json(201 if name in _CREATES else 200, document)
