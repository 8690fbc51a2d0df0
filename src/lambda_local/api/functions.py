"""Functions: create, look at, list, change, delete."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lambda_local.api import documents, names, requests
from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.errors import conflict, constraint, invalid
from lambda_local.code.archive import UNPACKED_BYTES
from lambda_local.function import Function, LayerVersion

Document = dict[str, Any]
_MOST_LISTED = 50


async def create(catalogue: Catalogue, call: Call) -> Document:
    async with catalogue.changing():
        wanted = await call.read(requests.CreateFunction)
        # The name may come as an ARN, as everywhere.
        name = names.new(names.function(wanted.function_name, None, call.region), "functionName")
        requests.check_configuration(wanted)
        requests.check_architectures(wanted.architectures)
        await catalogue.find_runtime(wanted.runtime)
        if name in catalogue.functions:
            raise conflict(f"Function already exist: {name}")
        arn, code = names.function_arn(call.region, name), await catalogue.unpacked(wanted.code.zip_file)
        bare = Function(name, arn, wanted.runtime, wanted.handler, wanted.role, code)
        catalogue.functions[name] = made = await _configured(catalogue, bare, wanted)
    return documents.configuration(made)


async def get(catalogue: Catalogue, call: Call) -> Document:
    function = catalogue.function(call.name())
    return {"Configuration": documents.configuration(function), "Code": {"RepositoryType": "local"}}


async def get_configuration(catalogue: Catalogue, call: Call) -> Document:
    return documents.configuration(catalogue.function(call.name()))


async def list_all(catalogue: Catalogue, call: Call) -> Document:
    """ListFunctions: one page of them, from the one behind the marker."""
    most, marker = call.query("MaxItems") or str(_MOST_LISTED), call.query("Marker") or ""
    if not (most.isascii() and most.isdecimal() and 1 <= int(most[:6]) <= 10_000):
        raise constraint(most, "maxItems", "Member must have value from 1 to 10000")
    listed = [catalogue.functions[name] for name in sorted(catalogue.functions) if name > marker]
    shown = listed[: min(int(most), _MOST_LISTED)]
    more = {"NextMarker": shown[-1].name} if len(listed) > len(shown) else {}
    return {"Functions": [documents.configuration(function) for function in shown], **more}


async def update_configuration(catalogue: Catalogue, call: Call) -> Document:
    wanted = await call.read(requests.Configuration)
    requests.check_configuration(wanted)
    async with catalogue.changing():
        function = catalogue.function(call.name())
        if wanted.runtime is not None:
            await catalogue.find_runtime(wanted.runtime)
        catalogue.functions[function.name] = made = await _configured(catalogue, function, wanted)
    return documents.configuration(made)


async def update_code(catalogue: Catalogue, call: Call) -> Document:
    async with catalogue.changing():
        function = catalogue.function(call.name())
        wanted = await call.read(requests.UpdateCode)
        requests.check_architectures(wanted.architectures)
        made = function.changed(code=await catalogue.unpacked(wanted.zip_file))
        _check_size(made)
        catalogue.functions[function.name] = made
    return documents.configuration(made)


async def delete(catalogue: Catalogue, call: Call) -> None:
    async with catalogue.changing():
        del catalogue.functions[catalogue.function(call.name()).name]


async def _configured(catalogue: Catalogue, function: Function, wanted: requests.Configuration) -> Function:
    changes: Document = {
        "runtime": wanted.runtime,
        "handler": wanted.handler,
        "role": wanted.role,
        "description": wanted.description,
        "timeout": wanted.timeout,
        "memory": wanted.memory_size,
        "tmp": None if wanted.ephemeral_storage is None else wanted.ephemeral_storage.size,
        "environment": None if wanted.environment is None else wanted.environment.variables,
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    if wanted.layers is not None:
        changes["layers"] = tuple(_layer(catalogue, arn) for arn in wanted.layers)
    changed = function.changed(**changes)
    requests.check_wrapper(changed.runtime, changed.environment)
    _check_size(changed)
    return replace(changed, opt=await catalogue.merged(changed.layers))


def _layer(catalogue: Catalogue, arn: str) -> LayerVersion:
    layer = catalogue.layers.get(arn)
    if layer is None:
        raise invalid(f"Layer version {arn[:200]} does not exist.")
    return layer


def _check_size(function: Function) -> None:
    if function.unpacked > UNPACKED_BYTES:
        raise invalid(
            f"Function code combined with layers exceeds the maximum allowed size of {UNPACKED_BYTES} bytes. "
            f"The actual size is {function.unpacked} bytes."
        )
