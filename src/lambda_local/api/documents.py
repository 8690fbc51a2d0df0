"""What the API answers: functions, versions, aliases and layers as JSON documents."""

from __future__ import annotations

from typing import Any

from lambda_local.entry import Alias
from lambda_local.function import Function, LayerVersion
from sectax.toolchain.machine import architecture


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
        "Version": function.version,
        "TracingConfig": {"Mode": function.tracing},
        "RevisionId": function.revision,
        "State": "Active",
        "LastUpdateStatus": "Successful",
        "PackageType": "Zip",
        "Architectures": [architecture()],
        "EphemeralStorage": {"Size": function.tmp},
        "SnapStart": {"ApplyOn": "None", "OptimizationStatus": "Off"},
        "LoggingConfig": {"LogFormat": "Text", "LogGroup": function.log_group or f"/aws/lambda/{function.name}"},
        "Layers": [{"Arn": layer.arn, "CodeSize": layer.code.size} for layer in function.layers],
    }
    if function.environment:
        document["Environment"] = {"Variables": function.environment}
    return document


def alias(one: Alias, arn: str) -> dict[str, Any]:
    """AliasConfiguration."""
    document: dict[str, Any] = {
        "AliasArn": arn,
        "Name": one.name,
        "FunctionVersion": one.version,
        "Description": one.description,
        "RevisionId": one.revision,
    }
    if one.weights:
        document["RoutingConfig"] = {"AdditionalVersionWeights": one.weights}
    return document


def layer(version: LayerVersion) -> dict[str, Any]:
    """The answer to PublishLayerVersion and GetLayerVersion."""
    return layer_item(version) | {
        "Content": {"CodeSha256": version.code.sha256, "CodeSize": version.code.size},
        "LayerArn": version.arn.rpartition(":")[0],
    }


def layer_item(version: LayerVersion) -> dict[str, Any]:
    """LayerVersionsListItem."""
    document: dict[str, Any] = {
        "LayerVersionArn": version.arn,
        "Description": version.description,
        "CreatedDate": version.created,
        "Version": version.version,
        "CompatibleRuntimes": list(version.compatible_runtimes),
        "CompatibleArchitectures": [architecture()],
    }
    if version.license_info:
        document["LicenseInfo"] = version.license_info
    return document
