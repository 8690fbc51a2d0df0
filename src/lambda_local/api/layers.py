"""Layers: publish, delete."""

from __future__ import annotations

from typing import Any

from lambda_local.api import documents, names, requests
from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.errors import invalid


async def publish(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    name = names.new(names.layer(call.path["LayerName"]), "layerName")
    async with catalogue.changing():
        wanted = await call.read(requests.PublishLayer)
        requests.check_architectures(wanted.compatible_architectures)
        version = catalogue.publish(name, await catalogue.unpacked(wanted.content.zip_file))
    return documents.layer(version, wanted.description)


async def delete(catalogue: Catalogue, call: Call) -> None:
    """DeleteLayerVersion: functions that have it keep it; one that is not there is no error, as on AWS."""
    async with catalogue.changing():
        catalogue.layers.pop(_arn(catalogue, call), None)


def _arn(catalogue: Catalogue, call: Call) -> str:
    number = call.path["VersionNumber"]
    if not (number.isascii() and number.isdecimal() and len(number) < 20 and int(number) >= 1):
        raise invalid("Layer Version Cannot be less than 1")
    return catalogue.layer_arn(names.layer(call.path["LayerName"]), int(number))
