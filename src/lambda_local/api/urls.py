"""Function URLs: each is a port of its own on this machine, whose requests are events of the function."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from lambda_local.api import requests, url_events
from lambda_local.api.admission import check_host, check_origin, check_signed
from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.concurrency import Invoker
from lambda_local.api.errors import ApiError, absent, conflict, constraint, invalid
from lambda_local.entry import BUFFERED, RESPONSE_STREAM, Entry, Url
from lambda_local.function import LATEST
from lambda_local.http import Exchange, HttpLimits, HttpServer
from lambda_local.http.server import listen_on_loopback
from lambda_local.instances.invocation import Event
from lambda_local.settings import PAYLOAD_BYTES
from lambda_local.tasks import Tasks
from sectax.model.errors import SectaxError, WrongUse

_LIMITS = HttpLimits(header_bytes=64 * 1024, body_bytes=PAYLOAD_BYTES, connections=512)
_AUTHS = ("AWS_IAM", "NONE")
_MODES = (BUFFERED, RESPONSE_STREAM)


class Urls:
    """The URLs that are configured, and the servers behind them."""

    def __init__(self, catalogue: Catalogue, invoker: Invoker, host: str) -> None:
        self._catalogue = catalogue
        self._invoker = invoker
        self._host = host
        self._servers: dict[tuple[str, str], HttpServer] = {}
        self._tasks = Tasks()

    async def start(self) -> None:
        """Serve the URLs that the state has kept; one whose port is taken gets another."""
        for entry in self._catalogue.registry.entries():
            urls = {}
            for qualifier, url in entry.urls.items():
                urls[qualifier] = replace(url, port=await self._serve(entry.name, qualifier, url.port))
            if urls != entry.urls:
                await self._catalogue.keep(replace(entry, urls=urls))

    async def close(self) -> None:
        """Close all of them."""
        for server in self._servers.values():
            server.close()
        await self._tasks.cancel()

    def close_unused(self) -> None:
        """Close those of deleted functions and aliases."""
        for (name, qualifier), server in list(self._servers.items()):
            entry = self._catalogue.registry.find(name)
            if entry is None or qualifier not in entry.urls:
                server.close()
                del self._servers[name, qualifier]

    async def create(self, catalogue: Catalogue, call: Call) -> dict[str, Any]:
        """CreateFunctionUrlConfig."""
        wanted = self._wanted(call)
        if wanted.auth_type is None:
            raise invalid("Value null at 'authType' failed to satisfy constraint: Member must not be null")
        async with catalogue.changing():
            entry, qualifier = self._meant(call)
            if qualifier in entry.urls:
                raise conflict(
                    f"Failed to create function url config for [functionArn = {self._arn(entry, qualifier)}]. Error "
                    "message:  FunctionUrlConfig exists for this Lambda function"
                )
            now = _now()
            port = await self._serve(entry.name, qualifier, 0)
            url = Url(port, wanted.auth_type, now, now, wanted.invoke_mode or BUFFERED)
            await catalogue.keep(replace(entry, urls={**entry.urls, qualifier: url}))
        return self._document(entry, qualifier, url)

    async def get(self, catalogue: Catalogue, call: Call) -> dict[str, Any]:
        """GetFunctionUrlConfig."""
        entry, qualifier = self._meant(call)
        return self._document(entry, qualifier, _found(entry, qualifier))

    async def list_all(self, catalogue: Catalogue, call: Call) -> dict[str, Any]:
        """ListFunctionUrlConfigs."""
        entry = catalogue.entry(call.name())
        return call.page(
            "FunctionUrlConfigs",
            sorted(entry.urls.items()),
            lambda each: each[0],
            lambda each: self._document(entry, each[0], each[1]),
        )

    async def update(self, catalogue: Catalogue, call: Call) -> dict[str, Any]:
        """UpdateFunctionUrlConfig."""
        wanted = self._wanted(call)
        async with catalogue.changing():
            entry, qualifier = self._meant(call)
            url = _found(entry, qualifier)
            url = replace(url, auth=wanted.auth_type or url.auth, mode=wanted.invoke_mode or url.mode, modified=_now())
            await catalogue.keep(replace(entry, urls={**entry.urls, qualifier: url}))
        return self._document(entry, qualifier, url)

    async def delete(self, catalogue: Catalogue, call: Call) -> None:
        """DeleteFunctionUrlConfig."""
        async with catalogue.changing():
            entry, qualifier = self._meant(call)
            _found(entry, qualifier)
            await catalogue.keep(replace(entry, urls={k: each for k, each in entry.urls.items() if k != qualifier}))

    def _wanted(self, call: Call) -> requests.FunctionUrl:
        wanted = call.read(requests.FunctionUrl)
        if wanted.auth_type not in (None, *_AUTHS):
            raise constraint(wanted.auth_type, "authType", f"Member must satisfy enum value set: {list(_AUTHS)}")
        if wanted.invoke_mode not in (None, *_MODES):
            raise constraint(wanted.invoke_mode, "invokeMode", f"Member must satisfy enum value set: {list(_MODES)}")
        return wanted

    def _meant(self, call: Call) -> tuple[Entry, str]:
        name, qualifier = call.function()
        if qualifier is not None and (qualifier == LATEST or qualifier.isdecimal()):
            raise constraint(qualifier, "qualifier", "Member must satisfy regular expression pattern: an alias's name")
        self._catalogue.function(name, qualifier)
        return self._catalogue.entry(name), qualifier or LATEST

    def _arn(self, entry: Entry, qualifier: str) -> str:
        return self._catalogue.registry.function_arn(entry.name, None if qualifier == LATEST else qualifier)

    def _document(self, entry: Entry, qualifier: str, url: Url) -> dict[str, Any]:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return {
            "FunctionUrl": f"http://{host}:{url.port}/",
            "FunctionArn": self._arn(entry, qualifier),
            "AuthType": url.auth,
            "CreationTime": url.created,
            "LastModifiedTime": url.modified,
            "InvokeMode": url.mode,
        }

    async def _serve(self, name: str, qualifier: str, port: int) -> int:
        """Open a port for it, this one if it is free; which one it is."""
        try:
            listener = listen_on_loopback(self._host, port)
        except WrongUse:
            listener = listen_on_loopback(self._host, 0)

        def handle(exchange: Exchange) -> None:
            self._tasks.start(self._answer(name, qualifier, exchange))

        server = HttpServer(handle, _LIMITS, self._judge(name, qualifier))
        await server.listen(listener)
        self._servers[name, qualifier] = server
        return int(listener.getsockname()[1])

    def _judge(self, name: str, qualifier: str) -> Callable[[Exchange], int]:
        """Like `admit`, for this URL: without a signature it is open to every program here, but to no web page."""

        def judge(exchange: Exchange) -> int:
            headers = exchange.request.headers
            try:
                check_host(headers)
                check_origin(headers)
                if _found(self._catalogue.entry(name), qualifier).auth != "NONE":
                    check_signed(headers)
            except ApiError as error:
                _refuse(exchange, error)
                return 0
            return PAYLOAD_BYTES

        return judge

    async def _answer(self, name: str, qualifier: str, exchange: Exchange) -> None:
        try:
            entry = self._catalogue.entry(name)
            url = _found(entry, qualifier)
            if exchange.request.too_large:
                raise ApiError(413, "RequestEntityTooLargeException", "Request Entity Too Large")
            request_id = str(uuid.uuid4())
            payload = url_events.event(exchange.request, f"url{url.port}", request_id)
            event = Event(payload, self._arn(entry, qualifier), request_id=request_id)
            if url.mode == RESPONSE_STREAM:
                await self._stream(name, qualifier, event, exchange)
                return
            _, outcome = await self._invoker.invoke(name, qualifier, event)
        except ApiError as error:
            _refuse(exchange, error)
        except SectaxError as error:
            exchange.answer_json(500, {"Message": f"{error.message}: {error.hint}"})
        except Exception as error:  # a fault of ours must not leave the caller waiting
            exchange.answer_json(500, {"Message": f"a fault of sectax: {error!r}"})
        else:
            failed = outcome.function_error is not None
            status, body, headers = url_events.failure() if failed else url_events.response(outcome.payload)
            exchange.answer(status, body, [("x-amzn-RequestId", event.request_id), *headers])

    async def _stream(self, name: str, qualifier: str, event: Event, exchange: Exchange) -> None:
        """Answer with what the function answers, part by part where its runtime streams it."""
        stream = url_events.StreamedResponse(exchange, [("x-amzn-RequestId", event.request_id)])
        _, outcome = await self._invoker.invoke(name, qualifier, event, lambda _: stream)
        stream.end(outcome.payload, failed=outcome.function_error is not None)


def _refuse(exchange: Exchange, error: ApiError) -> None:
    exchange.answer_json(error.status, {"Message": error.message})


def _found(entry: Entry, qualifier: str) -> Url:
    if qualifier not in entry.urls:
        raise absent()
    return entry.urls[qualifier]


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
