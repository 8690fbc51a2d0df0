"""The names that callers give: of functions in all their forms, qualifiers, layers."""

from __future__ import annotations

import functools
import re

from lambda_local.api.errors import ApiError, constraint, invalid
from lambda_local.function import LATEST

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# A name, a partial or a whole ARN, each with a version or alias behind it: API reference, Invoke, FunctionName.
_FUNCTION = re.compile(
    r"(?:arn:aws[a-z-]*:lambda:(?P<region>[a-z0-9-]+):\d{12}:function:|\d{12}:function:|function:)?"
    r"(?P<name>[a-zA-Z0-9_-]+)(?::(?P<qualifier>\$LATEST|[a-zA-Z0-9_-]+))?"
)
_REMEMBERED = 128
_QUALIFIER = re.compile(r"\$LATEST|[a-zA-Z0-9_-]{1,128}")
_ALIAS = re.compile(r"(?![0-9]+$)[a-zA-Z0-9_-]{1,128}")


@functools.lru_cache(_REMEMBERED)  # who invokes names the same again and again
def function(given: str, qualifier: str | None, region: str) -> tuple[str, str | None]:
    """The name of a function and what qualifies it, which may stand behind the name or by itself. Raises `ApiError`."""
    match = _FUNCTION.fullmatch(given)
    if match is None:
        raise constraint(given, "functionName", f"Member must satisfy regular expression pattern: {_NAME.pattern}")
    if match["region"] not in (None, region):
        words = f"Functions from '{match['region']}' are not reachable in this region ('{region}')"
        raise ApiError(404, "ResourceNotFoundException", words)
    if qualifier is not None and not _QUALIFIER.fullmatch(qualifier):
        raise constraint(
            qualifier, "qualifier", f"Member must satisfy regular expression pattern: {_QUALIFIER.pattern}"
        )
    if qualifier is not None and match["qualifier"] not in (None, qualifier):
        raise invalid("The derived qualifier from the function name does not match the specified qualifier.")
    return match["name"], qualifier or match["qualifier"]


def unqualified(given: str, region: str) -> str:
    """The name of a function, for what is the same for all its versions. Raises `ApiError`."""
    name, qualifier = function(given, None, region)
    if qualifier not in (None, LATEST):
        raise invalid(
            "This operation is permitted on Lambda functions only. Aliases and versions do not support this operation. "
            "Please specify either a function name or an unqualified function ARN."
        )
    return name


def new(name: str, what: str) -> str:
    """A name for something new."""
    if not _NAME.fullmatch(name):
        raise constraint(name, what, f"Member must satisfy regular expression pattern: {_NAME.pattern}")
    return name


def new_alias(name: str) -> str:
    """A name for a new alias."""
    if not _ALIAS.fullmatch(name):
        raise constraint(name, "name", "Member must satisfy regular expression pattern: (?!^[0-9]+$)([a-zA-Z0-9-_]+)")
    return name


def layer(given: str) -> str:
    """The name of a layer, which may come as an ARN without a version."""
    return given.rpartition(":layer:")[2]
