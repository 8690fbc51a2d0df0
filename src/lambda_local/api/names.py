"""Names of functions and layers, plain or as ARNs."""

from __future__ import annotations

import functools
import re

from lambda_local.api.errors import constraint, not_found
from lambda_local.function import LATEST
from lambda_local.settings import ACCOUNT, REGION

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# A name, partial ARN or ARN, with an optional version or alias: API reference, Invoke, FunctionName.
_FUNCTION = re.compile(
    r"(?:(?:(?:arn:aws[a-z-]*:lambda:(?P<region>[a-z0-9-]+):)?(?P<account>\d{12}):)?function:)?"
    r"(?P<name>[a-zA-Z0-9_-]+)(?::(?P<qualifier>\$LATEST|[a-zA-Z0-9_-]+))?"
)
_LAYER = re.compile(r"(?:arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:layer:)?([a-zA-Z0-9_-]{1,140})")
_REMEMBERED = 128


def function_arn(name: str) -> str:
    return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"


def layer_arn(name: str, version: int) -> str:
    return f"arn:aws:lambda:{REGION}:{ACCOUNT}:layer:{name}:{version}"


@functools.lru_cache(_REMEMBERED)  # invocations repeat names
def function(given: str, qualifier: str | None) -> str:
    """Return the name of a function in this region and account, version $LATEST only. Raises `ApiError`."""
    match = _FUNCTION.fullmatch(given)
    if match is None:
        raise constraint(given, "functionName", f"Member must satisfy regular expression pattern: {_NAME.pattern}")
    elsewhere = match["region"] not in (None, REGION) or match["account"] not in (None, ACCOUNT)
    if elsewhere or not {match["qualifier"], qualifier} <= {None, LATEST}:
        version = "" if qualifier is None else f":{qualifier[:200]}"
        raise not_found(f"{given[:200]}{version}")
    return match["name"]


def new(name: str, what: str) -> str:
    """Check the name of a new resource. Raises `ApiError`."""
    if not _NAME.fullmatch(name):
        raise constraint(name, what, f"Member must satisfy regular expression pattern: {_NAME.pattern}")
    return name


def layer(given: str) -> str:
    """Return the name of a layer from a name or an ARN without version. Raises `ApiError`."""
    match = _LAYER.fullmatch(given)
    if match is None:
        raise constraint(given, "layerName", f"Member must satisfy regular expression pattern: {_LAYER.pattern}")
    return match[1]
