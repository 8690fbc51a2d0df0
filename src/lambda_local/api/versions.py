"""Versions and aliases."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from lambda_local.api import documents, names, requests
from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.errors import absent, conflict, invalid, not_found, stale_revision
from lambda_local.entry import Alias, Entry
from lambda_local.function import LATEST


async def publish(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """PublishVersion."""
    wanted = call.read(requests.PublishVersion)
    requests.check_description(wanted.description)
    async with catalogue.changing():
        entry = catalogue.entry(call.name())
        latest = entry.latest
        if wanted.revision_id not in (None, latest.revision):
            raise stale_revision()
        if wanted.code_sha256 not in (None, latest.code.sha256):
            raise invalid(
                f"CodeSHA256 ({wanted.code_sha256}) is different from current CodeSHA256 in $LATEST "
                f"({latest.code.sha256}). Please try again with the CodeSHA256 in $LATEST."
            )
        entry, version = entry.published(wanted.description)
        await catalogue.keep(entry)
    return documents.configuration(version)


async def create_alias(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """CreateAlias."""
    wanted = call.read(requests.CreateAlias)
    names.new_alias(wanted.name)
    requests.check_description(wanted.description)
    async with catalogue.changing():
        entry = catalogue.entry(call.name())
        arn = _arn(catalogue, entry, wanted.name)
        if wanted.name in entry.aliases:
            raise conflict(f"Alias already exists: {arn}")
        weights = {} if wanted.routing_config is None else wanted.routing_config.additional_version_weights
        alias = Alias(wanted.name, wanted.function_version, wanted.description, str(uuid.uuid4()), weights)
        _check(catalogue, entry, alias)
        await catalogue.keep(replace(entry, aliases={**entry.aliases, alias.name: alias}))
    return documents.alias(alias, arn)


async def update_alias(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """UpdateAlias."""
    wanted = call.read(requests.UpdateAlias)
    requests.check_description(wanted.description)
    async with catalogue.changing():
        entry, alias = _found(catalogue, call)
        if wanted.revision_id not in (None, alias.revision):
            raise stale_revision()
        alias = replace(
            alias,
            version=wanted.function_version or alias.version,
            description=alias.description if wanted.description is None else wanted.description,
            weights=alias.weights
            if wanted.routing_config is None
            else wanted.routing_config.additional_version_weights,
            revision=str(uuid.uuid4()),
        )
        _check(catalogue, entry, alias)
        await catalogue.keep(replace(entry, aliases={**entry.aliases, alias.name: alias}))
    return documents.alias(alias, _arn(catalogue, entry, alias.name))


async def get_alias(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """GetAlias."""
    entry, alias = _found(catalogue, call)
    return documents.alias(alias, _arn(catalogue, entry, alias.name))


async def list_aliases(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """ListAliases, all or those of one version."""
    entry = catalogue.entry(call.name())
    version = call.query("FunctionVersion")
    aliases = [each for _, each in sorted(entry.aliases.items()) if version in (None, each.version, *each.weights)]
    return call.page(
        "Aliases",
        aliases,
        lambda each: each.name,
        lambda each: documents.alias(each, _arn(catalogue, entry, each.name)),
    )


async def delete_alias(catalogue: Catalogue, call: Call) -> None:
    """DeleteAlias; one that is not there is no error, as on AWS."""
    async with catalogue.changing():
        entry = catalogue.entry(call.name())
        name = call.path["Name"]
        if name in entry.aliases:
            rest = {key: each for key, each in entry.aliases.items() if key != name}
            events = {key: each for key, each in entry.events.items() if key != name}
            urls = {key: each for key, each in entry.urls.items() if key != name}
            await catalogue.keep(replace(entry, aliases=rest, events=events, urls=urls))


def _found(catalogue: Catalogue, call: Call) -> tuple[Entry, Alias]:
    entry, name = catalogue.entry(call.name()), call.path["Name"]
    if name not in entry.aliases:
        raise absent(f"Cannot find alias arn: {_arn(catalogue, entry, name)}")
    return entry, entry.aliases[name]


def _check(catalogue: Catalogue, entry: Entry, alias: Alias) -> None:
    for version in (alias.version, *alias.weights):
        if entry.version(version) is None:
            raise not_found(catalogue.registry.function_arn(entry.name, version))
    if len(alias.weights) > 1:
        raise invalid("Number of items in AdditionalVersionWeights cannot be greater than 1")
    if alias.version in alias.weights:
        raise invalid(
            f"Invalid function version {alias.version}. Function version {alias.version} is already included in "
            "routing configuration."
        )
    if alias.weights and LATEST in (alias.version, *alias.weights):
        raise invalid("$LATEST is not supported for an alias pointing to more than 1 version")
    if not all(0.0 <= weight <= 1.0 for weight in alias.weights.values()):
        raise invalid("weights in AdditionalVersionWeights must be from 0.0 to 1.0")


def _arn(catalogue: Catalogue, entry: Entry, name: str) -> str:
    return catalogue.registry.function_arn(entry.name, name)
