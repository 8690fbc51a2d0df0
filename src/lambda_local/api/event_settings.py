"""How `Event` invocations of a function, version or alias are repeated."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from lambda_local.api import requests
from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.errors import absent, invalid
from lambda_local.entry import EventSettings
from lambda_local.function import LATEST


async def put(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """PutFunctionEventInvokeConfig: what is not given becomes Lambda's default."""
    return await _change(catalogue, call, update=False)


async def update(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """UpdateFunctionEventInvokeConfig: what is not given stays."""
    return await _change(catalogue, call, update=True)


async def get(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """GetFunctionEventInvokeConfig."""
    name, qualifier = _meant(catalogue, call)
    return _document(catalogue, name, qualifier, _found(catalogue, name, qualifier))


async def list_all(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """ListFunctionEventInvokeConfigs."""
    entry = catalogue.entry(call.name())
    return call.page(
        "FunctionEventInvokeConfigs",
        sorted(entry.events.items()),
        lambda each: each[0],
        lambda each: _document(catalogue, entry.name, each[0], each[1]),
    )


async def delete(catalogue: Catalogue, call: Call) -> None:
    """DeleteFunctionEventInvokeConfig."""
    async with catalogue.changing():
        name, qualifier = _meant(catalogue, call)
        _found(catalogue, name, qualifier)
        entry = catalogue.entry(name)
        await catalogue.keep(replace(entry, events={k: each for k, each in entry.events.items() if k != qualifier}))


async def _change(catalogue: Catalogue, call: Call, *, update: bool) -> dict[str, Any]:
    wanted = call.read(requests.EventInvoke)
    requests.between(wanted.maximum_retry_attempts, 0, 2, "maximumRetryAttempts")
    requests.between(wanted.maximum_event_age_in_seconds, 60, 21_600, "maximumEventAgeInSeconds")
    if wanted.maximum_retry_attempts is None and wanted.maximum_event_age_in_seconds is None:
        raise invalid("You must specify at least one of error handling or destination setting.")
    async with catalogue.changing():
        name, qualifier = _meant(catalogue, call)
        attempts, age_s = wanted.maximum_retry_attempts, wanted.maximum_event_age_in_seconds
        if update:
            before = _found(catalogue, name, qualifier)
            attempts = before.attempts if attempts is None else attempts
            age_s = before.age_s if age_s is None else age_s
        settings = EventSettings(attempts, age_s, time.time())
        entry = catalogue.entry(name)
        await catalogue.keep(replace(entry, events={**entry.events, qualifier: settings}))
    return _document(catalogue, name, qualifier, settings)


def _meant(catalogue: Catalogue, call: Call) -> tuple[str, str]:
    name, qualifier = call.function()
    catalogue.function(name, qualifier)
    return name, qualifier or LATEST


def _found(catalogue: Catalogue, name: str, qualifier: str) -> EventSettings:
    settings = catalogue.entry(name).events.get(qualifier)
    if settings is None:
        arn = catalogue.registry.function_arn(name, qualifier)
        raise absent(f"The function {arn} doesn't have an EventInvokeConfig")
    return settings


def _document(catalogue: Catalogue, name: str, qualifier: str, settings: EventSettings) -> dict[str, Any]:
    document: dict[str, Any] = {
        "FunctionArn": catalogue.registry.function_arn(name, qualifier),
        "LastModified": settings.modified,
        "DestinationConfig": {"OnSuccess": {}, "OnFailure": {}},
    }
    if settings.attempts is not None:
        document["MaximumRetryAttempts"] = settings.attempts
    if settings.age_s is not None:
        document["MaximumEventAgeInSeconds"] = settings.age_s
    return document
