"""Finds the action that a request asks for, and answers its errors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from lambda_local.api import actions, event_settings, functions, layers, tags, versions
from lambda_local.api.admission import most_bytes, refuse
from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.concurrency import Concurrency
from lambda_local.api.errors import ApiError, not_implemented, too_large
from lambda_local.api.invoke import Invoke
from lambda_local.api.urls import Urls
from lambda_local.http import Exchange
from lambda_local.tasks import Tasks
from sectax.model.errors import SectaxError

_Action = Callable[[Catalogue, Call], Awaitable[dict[str, Any] | None]]
_CREATED = ("CreateFunction", "PublishVersion", "PublishLayerVersion", "CreateAlias", "CreateFunctionUrlConfig")


class Router:
    """Answers requests of AWS's clients that were admitted."""

    def __init__(
        self,
        catalogue: Catalogue,
        concurrency: Concurrency,
        invoke: Invoke,
        urls: Urls,
        changed: Callable[[], None],
    ) -> None:
        """Args: *changed* is called after every action that may have changed something."""
        self._catalogue = catalogue
        self._changed = changed
        self._invoking = {"Invoke": invoke.invoke, "InvokeWithResponseStream": invoke.with_stream}
        self._actions = _FUNCTIONS | _VERSIONS | _LAYERS | _SETTINGS
        self._actions |= {
            "PutFunctionConcurrency": concurrency.put,
            "GetFunctionConcurrency": concurrency.get,
            "DeleteFunctionConcurrency": concurrency.delete,
            "GetAccountSettings": concurrency.account,
            "CreateFunctionUrlConfig": urls.create,
            "GetFunctionUrlConfig": urls.get,
            "ListFunctionUrlConfigs": urls.list_all,
            "UpdateFunctionUrlConfig": urls.update,
            "DeleteFunctionUrlConfig": urls.delete,
        }
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
        except SectaxError as error:
            refuse(exchange, ApiError(500, "ServiceException", f"{error.message}: {error.hint}"))
        except Exception as error:  # a fault of ours must not leave the caller waiting
            refuse(exchange, ApiError(500, "ServiceException", f"a fault of sectax: {error!r}"))

    async def _act(self, exchange: Exchange) -> None:
        request = exchange.request
        found = actions.find(request.method, request.path, request.query)
        if found is None:
            asked = f"{request.method} {request.path[:200]}"
            raise ApiError(404, "UnknownOperationException", f"the local Lambda does not know {asked!r}")
        action, path = found
        call = Call(action, path, exchange, self._catalogue.registry.region)
        if action in self._invoking:
            await self._invoking[action](call)
            return
        if action not in self._actions:
            raise not_implemented(action)
        if request.too_large:
            raise too_large(most_bytes(action), action)
        document = await self._actions[action](self._catalogue, call)
        if request.method != "GET":
            self._changed()
        if document is None:
            exchange.answer(204)
        else:
            exchange.answer_json(201 if action in _CREATED else 200, document)


_FUNCTIONS: dict[str, _Action] = {
    "CreateFunction": functions.create,
    "GetFunction": functions.get,
    "GetFunctionConfiguration": functions.get_configuration,
    "ListFunctions": functions.list_all,
    "ListVersionsByFunction": functions.list_versions,
    "UpdateFunctionConfiguration": functions.update_configuration,
    "UpdateFunctionCode": functions.update_code,
    "DeleteFunction": functions.delete,
}
_VERSIONS: dict[str, _Action] = {
    "PublishVersion": versions.publish,
    "CreateAlias": versions.create_alias,
    "GetAlias": versions.get_alias,
    "ListAliases": versions.list_aliases,
    "UpdateAlias": versions.update_alias,
    "DeleteAlias": versions.delete_alias,
}
_LAYERS: dict[str, _Action] = {
    "PublishLayerVersion": layers.publish,
    "GetLayerVersion": layers.get,
    "GetLayerVersionByArn": layers.get_by_arn,
    "ListLayers": layers.list_all,
    "ListLayerVersions": layers.list_versions,
    "DeleteLayerVersion": layers.delete,
}
_SETTINGS: dict[str, _Action] = {
    "TagResource": tags.tag,
    "UntagResource": tags.untag,
    "ListTags": tags.list_all,
    "PutFunctionEventInvokeConfig": event_settings.put,
    "UpdateFunctionEventInvokeConfig": event_settings.update,
    "GetFunctionEventInvokeConfig": event_settings.get,
    "ListFunctionEventInvokeConfigs": event_settings.list_all,
    "DeleteFunctionEventInvokeConfig": event_settings.delete,
}
