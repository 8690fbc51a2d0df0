"""What the API answers: functions and layers as JSON documents."""

from __future__ import annotations

from typing import Any

from lambda_local.function import LATEST, Function, LayerVersion, now
from lambda_local.settings import architecture


def configuration(function: Function) -> dict[str, Any]:
    """FunctionConfiguration. Functions are ready as soon as they are there."""
    document: dict[str, Any] = {
        "FunctionName": function.name,
        "FunctionArn": function.arn,
        "Runtime": function.runtime,
        "Role": function.role,
        "Handler": function.handler,
        "CodeSize": function.code.size,
        "Description": function.description,
        "Timeout": function.timeout,
        "MemorySize": function.memory,
        "LastModified": function.modified,
        "CodeSha256": function.code.sha256,
        "Version": LATEST,
        "State": "Active",
        "LastUpdateStatus": "Successful",
        "PackageType": "Zip",
        "Architectures": [architecture()],
        "EphemeralStorage": {"Size": function.tmp},
        "Layers": [{"Arn": layer.arn, "CodeSize": layer.code.size} for layer in function.layers],
    }
    if function.environment:
        document["Environment"] = {"Variables": function.environment}
    return document


def layer(version: LayerVersion, description: str) -> dict[str, Any]:
    """The answer to PublishLayerVersion."""
    return {
        "LayerArn": version.arn.rpartition(":")[0],
        "LayerVersionArn": version.arn,
        "Version": version.version,
        "Description": description,
        "CreatedDate": now(),
        "CompatibleArchitectures": [architecture()],
        "Content": {"CodeSha256": version.code.sha256, "CodeSize": version.code.size},
    }
