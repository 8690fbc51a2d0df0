"""Layers: publish, look at, list, delete."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from lambda_local.api import documents, names, requests
from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.errors import absent, invalid
from lambda_local.function import LayerVersion, now
from sectax.toolchain.machine import architecture


async def publish(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """PublishLayerVersion."""
    name = names.new(names.layer(call.path["LayerName"]), "layerName")
    async with catalogue.changing():
        upload = await catalogue.take(call.exchange.request.parts)
        wanted = requests.read(upload.document, requests.PublishLayer)
        requests.check_architectures(wanted.compatible_architectures)
        requests.check_description(wanted.description)
        code = catalogue.code_of(upload, wanted.content)
        layer = catalogue.registry.layer(name)
        number = layer.last + 1
        version = LayerVersion(
            catalogue.registry.layer_arn(name, number),
            number,
            code,
            wanted.description,
            tuple(wanted.compatible_runtimes),
            now(),
            wanted.license_info,
        )
        await catalogue.keep_layer(name, replace(layer, versions={**layer.versions, str(number): version}, last=number))
    return documents.layer(version)


async def get(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """GetLayerVersion."""
    version = catalogue.registry.layer(names.layer(call.path["LayerName"])).versions.get(_number(call))
    if version is None:
        raise absent()
    return documents.layer(version)


async def get_by_arn(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """GetLayerVersionByArn."""
    version = catalogue.registry.layer_version(call.query("Arn") or "")
    if version is None:
        raise absent()
    return documents.layer(version)


async def list_all(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """ListLayers: each with its latest version."""
    latest = [(name, _compatible(call, layer.versions.values())) for name, layer in catalogue.registry.layers()]
    return call.page(
        "Layers",
        [(name, versions[-1]) for name, versions in latest if versions],
        lambda each: each[0],
        lambda each: {
            "LayerName": each[0],
            "LayerArn": catalogue.registry.layer_arn(each[0]),
            "LatestMatchingVersion": documents.layer_item(each[1]),
        },
    )


async def list_versions(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """ListLayerVersions, the newest first."""
    versions = catalogue.registry.layer(names.layer(call.path["LayerName"])).versions.values()
    wanted = _compatible(call, reversed(versions))
    return call.page("LayerVersions", wanted, lambda each: str(each.version), documents.layer_item)


async def delete(catalogue: Catalogue, call: Call) -> None:
    """DeleteLayerVersion: functions that have it keep it; one that is not there is no error, as on AWS."""
    name, number = names.layer(call.path["LayerName"]), _number(call)
    async with catalogue.changing():
        layer = catalogue.registry.layer(name)
        if number in layer.versions:
            rest = {key: each for key, each in layer.versions.items() if key != number}
            await catalogue.keep_layer(name, replace(layer, versions=rest))


def _compatible(call: Call, versions: Iterable[LayerVersion]) -> list[LayerVersion]:
    """Those with the runtime and the architecture that are asked for; all are of this machine's."""
    runtime = call.query("CompatibleRuntime")
    if call.query("CompatibleArchitecture") not in (None, architecture()):
        return []
    return [each for each in versions if runtime in (None, *each.compatible_runtimes)]


def _number(call: Call) -> str:
    number = call.path["VersionNumber"]
    if not number.lstrip("-").isdecimal() or int(number) < 1:
        raise invalid("Layer Version Cannot be less than 1")
    return str(int(number))
