"""Finds the operation that a request asks for, and answers its errors."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Coroutine
from typing import Any
from urllib.parse import parse_qs, unquote

from sectax.model.errors import SectaxError
from sectax.stack.lambda_service.api import documents
from sectax.stack.lambda_service.api.admission import BODY_BYTES
from sectax.stack.lambda_service.api.errors import ApiError, invalid, too_large
from sectax.stack.lambda_service.api.functions import Functions
from sectax.stack.lambda_service.api.invoke import invoke
from sectax.stack.lambda_service.http import Exchange
from sectax.stack.lambda_service.instances.pool import Pool

_FUNCTION = re.compile(r"/2015-03-31/functions/([^/]+)(/configuration|/code|/invocations)?/?")
_FUNCTIONS = re.compile(r"/2015-03-31/functions/?")
_LAYER = re.compile(r"/2018-10-31/layers/([^/]+)/versions/?")
_MOST_LISTED = 50

_Work = Coroutine[Any, Any, None]


class Router:
    """Answers requests of AWS's clients that were admitted."""

    def __init__(self, functions: Functions, pool: Pool) -> None:
        self._functions = functions
        self._pool = pool
        self._tasks: set[asyncio.Task[None]] = set()

    def handle(self, exchange: Exchange) -> None:
        """Answer one request, now or later."""
        task = asyncio.get_running_loop().create_task(self._answer(exchange))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Leave unanswered what is under way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _answer(self, exchange: Exchange) -> None:
        request_id = ("x-amzn-RequestId", str(uuid.uuid4()))
        try:
            await self._operation(exchange)
        except ApiError as error:
            error.answer(exchange, (request_id,))
        except SectaxError as error:
            ApiError(500, "ServiceException", f"{error.message}: {error.hint}").answer(exchange, (request_id,))
        except Exception as error:  # a fault of ours must not leave the caller waiting
            ApiError(500, "ServiceException", f"a fault of sectax: {error!r}").answer(exchange, (request_id,))

    def _operation(self, exchange: Exchange) -> _Work:
        path = exchange.request.path
        if match := _FUNCTION.fullmatch(path):
            return self._on_function(exchange, unquote(match[1]), match[2] or "")
        if _FUNCTIONS.fullmatch(path):
            return self._on_functions(exchange)
        if match := _LAYER.fullmatch(path):
            return self._on_layer(exchange, unquote(match[1]))
        raise _unknown(exchange)

    async def _on_function(self, exchange: Exchange, name: str, part: str) -> None:
        functions, body = self._functions, exchange.request.body
        match exchange.request.method, part:
            case "POST", "/invocations":
                await invoke(functions, self._pool, name, exchange)
            case "GET", "":
                code = {"RepositoryType": "sectax"}
                found = documents.configuration(functions.get(name))
                exchange.answer_json(200, {"Configuration": found, "Code": code, "Tags": {}})
            case "GET", "/configuration":
                exchange.answer_json(200, documents.configuration(functions.get(name)))
            case "PUT", "/configuration":
                await self._change(exchange, "UpdateFunctionConfiguration", functions.update_configuration(name, body))
            case "PUT", "/code":
                await self._change(exchange, "UpdateFunctionCode", functions.update_code(name, body))
            case "DELETE", "":
                await functions.delete(name)
                self._pool.retire()
                exchange.answer(204)
            case _:
                raise _unknown(exchange)

    async def _on_functions(self, exchange: Exchange) -> None:
        match exchange.request.method:
            case "GET":
                query = parse_qs(exchange.request.query)
                most = query.get("MaxItems", [str(_MOST_LISTED)])[0]
                if not most.isdecimal() or int(most) < 1:
                    raise invalid(f"Value '{most[:20]}' at 'maxItems' must be a number from 1")
                marker = query.get("Marker", [""])[0]
                exchange.answer_json(200, self._functions.listed(marker, min(int(most), _MOST_LISTED)))
            case "POST":
                await self._change(exchange, "CreateFunction", self._functions.create(exchange.request.body), 201)
            case _:
                raise _unknown(exchange)

    async def _on_layer(self, exchange: Exchange, name: str) -> None:
        if exchange.request.method != "POST":
            raise _unknown(exchange)
        work = self._functions.publish_layer(name, exchange.request.body)
        await self._change(exchange, "PublishLayerVersion", work, 201)

    async def _change(
        self, exchange: Exchange, operation: str, work: Coroutine[Any, Any, dict[str, Any]], status: int = 200
    ) -> None:
        if exchange.request.too_large:
            work.close()
            raise too_large(BODY_BYTES, operation)
        exchange.answer_json(status, await work)
        self._pool.retire()


def _unknown(exchange: Exchange) -> ApiError:
    asked = f"{exchange.request.method} {exchange.request.path[:200]}"
    return ApiError(404, "UnknownOperationException", f"the local Lambda does not know {asked!r}")
