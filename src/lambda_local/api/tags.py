"""Tags of functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lambda_local.api import names, requests
from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.errors import constraint, invalid
from lambda_local.entry import Entry


async def tag(catalogue: Catalogue, call: Call) -> None:
    """TagResource."""
    wanted = call.read(requests.Tags)
    async with catalogue.changing():
        entry = _tagged(catalogue, call)
        tags = entry.tags | wanted.tags
        requests.check_tags(tags)
        await catalogue.keep(replace(entry, tags=tags))


async def untag(catalogue: Catalogue, call: Call) -> None:
    """UntagResource."""
    keys = call.queries("tagKeys")
    if not keys:
        raise invalid("Value null at 'tagKeys' failed to satisfy constraint: Member must not be null")
    async with catalogue.changing():
        entry = _tagged(catalogue, call)
        tags = {key: value for key, value in entry.tags.items() if key not in keys}
        await catalogue.keep(replace(entry, tags=tags))


async def list_all(catalogue: Catalogue, call: Call) -> dict[str, Any]:
    """ListTags."""
    return {"Tags": _tagged(catalogue, call).tags}


def _tagged(catalogue: Catalogue, call: Call) -> Entry:
    arn = call.path["Resource"]
    if not arn.startswith("arn:") or ":function:" not in arn:
        raise constraint(arn, "resource", "Member must be the ARN of a function: nothing else has tags here")
    name, qualifier = names.function(arn, None, call.region)
    if qualifier is not None:
        raise invalid("Tags on function aliases and versions are not supported. Please specify a function ARN.")
    return catalogue.entry(name)
