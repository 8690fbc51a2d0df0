"""Functions: create, look at, list, change, delete."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lambda_local.api import documents, names, requests
from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.errors import conflict, constraint, invalid, not_found, stale_revision
from lambda_local.code.archive import UNPACKED_BYTES
from lambda_local.entry import Entry
from lambda_local.function import LATEST, Function, LayerVersion

Document = dict[str, Any]


async def create(catalogue: Catalogue, call: Call) -> Document:
    """CreateFunction."""
    async with catalogue.changing():
        upload = await catalogue.take(call.exchange.request.parts)
        wanted = requests.read(upload.document, requests.CreateFunction)
        # The name may come as an ARN, as everywhere.
        name = names.new(names.unqualified(wanted.function_name, call.region), "functionName")
        requests.check_configuration(wanted)
        requests.check_architectures(wanted.architectures)
        requests.check_tags(wanted.tags)
        if wanted.package_type != "Zip":
            raise invalid(f"package type {wanted.package_type} is not here: only Zip is")
        if not wanted.role:
            raise invalid("Value null at 'role' failed to satisfy constraint: Member must not be null")
        if not wanted.runtime or not wanted.handler:
            raise invalid(
                "Runtime and Handler are mandatory parameters for functions created with deployment packages."
            )
        await catalogue.find_runtime(wanted.runtime)
        if catalogue.registry.find(name) is not None:
            raise conflict(f"Function already exist: {name}")
        arn, code = catalogue.registry.function_arn(name), catalogue.code_of(upload, wanted.code)
        bare = Function(name, arn, wanted.runtime, wanted.handler, wanted.role, code)
        entry = Entry(await _configured(catalogue, bare, wanted), tags=wanted.tags)
        made = entry.latest
        if wanted.publish:
            entry, made = entry.published(None)
            made = replace(made, arn=arn)  # as Lambda answers here, and nowhere else
        await catalogue.keep(entry)
    return documents.configuration(made)


async def get(catalogue: Catalogue, call: Call) -> Document:
    """GetFunction."""
    name, qualifier = call.function()
    function, entry = catalogue.function(name, qualifier), catalogue.entry(name)
    document: Document = {"Configuration": documents.configuration(function), "Code": {"RepositoryType": "sectax"}}
    if entry.tags:
        document["Tags"] = entry.tags
    if entry.reserved is not None:
        document["Concurrency"] = {"ReservedConcurrentExecutions": entry.reserved}
    return document


async def get_configuration(catalogue: Catalogue, call: Call) -> Document:
    """GetFunctionConfiguration."""
    return documents.configuration(catalogue.function(*call.function()))


async def list_all(catalogue: Catalogue, call: Call) -> Document:
    """ListFunctions."""
    if call.query("MasterRegion"):
        raise invalid("MasterRegion is not here: no function is replicated")
    versions = call.query("FunctionVersion")
    if versions not in (None, "ALL"):
        raise constraint(versions, "functionVersion", "Member must satisfy enum value set: [ALL]")
    entries = catalogue.registry.entries()
    if versions is None:
        return call.page("Functions", (each.latest for each in entries), lambda each: each.arn, documents.configuration)
    every = (each for entry in entries for each in listed_versions(entry))
    return call.page("Functions", every, lambda each: each.arn, documents.configuration)


async def list_versions(catalogue: Catalogue, call: Call) -> Document:
    """ListVersionsByFunction."""
    entry = catalogue.entry(call.name())
    return call.page("Versions", listed_versions(entry), lambda each: each.arn, documents.configuration)


def listed_versions(entry: Entry) -> list[Function]:
    """$LATEST and all versions, each with its qualified ARN."""
    return [replace(entry.latest, arn=f"{entry.latest.arn}:{LATEST}"), *entry.versions.values()]


async def update_configuration(catalogue: Catalogue, call: Call) -> Document:
    """UpdateFunctionConfiguration."""
    wanted = call.read(requests.Configuration)
    requests.check_configuration(wanted)
    async with catalogue.changing():
        entry = catalogue.entry(call.name())
        _check_revision(entry.latest, wanted.revision_id)
        if wanted.runtime:
            await catalogue.find_runtime(wanted.runtime)
        entry = replace(entry, latest=await _configured(catalogue, entry.latest, wanted))
        await catalogue.keep(entry)
    return documents.configuration(entry.latest)


async def update_code(catalogue: Catalogue, call: Call) -> Document:
    """UpdateFunctionCode."""
    async with catalogue.changing():
        entry = catalogue.entry(call.name())
        upload = await catalogue.take(call.exchange.request.parts)
        wanted = requests.read(upload.document, requests.UpdateCode)
        requests.check_architectures(wanted.architectures)
        _check_revision(entry.latest, wanted.revision_id)
        made = entry.latest.changed(code=catalogue.code_of(upload, wanted))
        _check_size(made)
        entry = replace(entry, latest=made)
        if wanted.publish and not wanted.dry_run:
            entry, made = entry.published(None)
        if not wanted.dry_run:
            await catalogue.keep(entry)
    return documents.configuration(made)


async def delete(catalogue: Catalogue, call: Call) -> None:
    """DeleteFunction: all of it, or one version."""
    name, qualifier = call.function()
    async with catalogue.changing():
        if qualifier == LATEST:
            raise invalid("$LATEST version cannot be deleted without deleting the function.")
        if qualifier is not None and not qualifier.isdecimal():
            raise invalid("Deletion of aliases is not currently supported.")
        entry = catalogue.entry(name)
        if qualifier is None:
            await catalogue.forget(name)
            return
        if qualifier not in entry.versions:
            raise not_found(catalogue.registry.function_arn(name, qualifier))
        holders = [each.name for each in entry.aliases.values() if qualifier in (each.version, *each.weights)]
        if holders:
            raise conflict(f"version {qualifier} cannot be deleted: the aliases {holders} point to it")
        versions = {number: each for number, each in entry.versions.items() if number != qualifier}
        events = {key: each for key, each in entry.events.items() if key != qualifier}
        await catalogue.keep(replace(entry, versions=versions, events=events))


async def _configured(catalogue: Catalogue, function: Function, wanted: requests.Configuration) -> Function:
    changes: Document = {
        "runtime": wanted.runtime or None,
        "handler": wanted.handler,
        "role": wanted.role,
        "description": wanted.description,
        "timeout": wanted.timeout,
        "memory": wanted.memory_size,
        "tmp": None if wanted.ephemeral_storage is None else wanted.ephemeral_storage.size,
        "environment": None if wanted.environment is None else wanted.environment.variables,
        "tracing": None if wanted.tracing_config is None else wanted.tracing_config.mode,
        "log_group": None if wanted.logging_config is None else wanted.logging_config.log_group or "",
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    if wanted.layers is not None:
        layers = tuple(_layer(catalogue, arn) for arn in wanted.layers)
        changes |= {"layers": layers, "opt": await catalogue.merged(layers)}
    changed = function.changed(**changes)
    _check_size(changed)
    return changed


def _layer(catalogue: Catalogue, arn: str) -> LayerVersion:
    layer = catalogue.registry.layer_version(arn)
    if layer is None:
        raise invalid(f"Layer version {arn} does not exist.")
    return layer


def _check_size(function: Function) -> None:
    if function.unpacked > UNPACKED_BYTES:
        raise invalid(
            f"Function code combined with layers exceeds the maximum allowed size of {UNPACKED_BYTES} bytes. "
            f"The actual size is {function.unpacked} bytes."
        )


def _check_revision(function: Function, revision: str | None) -> None:
    if revision is not None and revision != function.revision:
        raise stale_revision()
