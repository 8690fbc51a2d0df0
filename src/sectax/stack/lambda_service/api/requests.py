"""What callers may ask for: the bodies of the API's requests, read and judged."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from sectax.stack.lambda_service.api.errors import ApiError, invalid
from sectax.stack.lambda_service.instances.programs import RESERVED
from sectax.toolchain.machine import architecture

_Body = TypeVar("_Body", bound=msgspec.Struct)

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# A name, a partial or a whole ARN, each with a version or alias behind it: API reference, Invoke, FunctionName.
_FUNCTION = re.compile(
    r"(?:arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:|\d{12}:function:|function:)?"
    r"([a-zA-Z0-9_-]+)(?::(\$LATEST|[a-zA-Z0-9_-]+))?"
)
_VARIABLE = re.compile(r"[a-zA-Z][a-zA-Z0-9_]+")
_ENVIRONMENT_BYTES = 4096


class CodeLocation(msgspec.Struct, rename="pascal"):
    """Where the code is: here, in the request."""

    zip_file: bytes | None = None


class Variables(msgspec.Struct, rename="pascal"):
    """The environment."""

    variables: dict[str, str] = {}


class Storage(msgspec.Struct, rename="pascal"):
    """The size of /tmp in MB."""

    size: int = 512


class Configuration(msgspec.Struct, rename="pascal", kw_only=True):
    """Body of UpdateFunctionConfiguration; None leaves as it is."""

    runtime: str | None = None
    handler: str | None = None
    role: str | None = None
    description: str | None = None
    timeout: int | None = None
    memory_size: int | None = None
    environment: Variables | None = None
    layers: list[str] | None = None
    ephemeral_storage: Storage | None = None
    revision_id: str | None = None


class CreateFunction(Configuration, rename="pascal", kw_only=True):
    """Body of CreateFunction."""

    function_name: str
    code: CodeLocation
    package_type: str = "Zip"
    architectures: list[str] | None = None


class UpdateCode(msgspec.Struct, rename="pascal", kw_only=True):
    """Body of UpdateFunctionCode."""

    zip_file: bytes | None = None
    architectures: list[str] | None = None
    dry_run: bool = False
    revision_id: str | None = None


class PublishLayer(msgspec.Struct, rename="pascal", kw_only=True):
    """Body of PublishLayerVersion."""

    content: CodeLocation
    description: str = ""
    compatible_runtimes: list[str] = []


def read(body: bytes, kind: type[_Body]) -> _Body:
    """The body of a request. Raises `ApiError` for what is no JSON of that form."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ApiError(400, "SerializationException", str(error)) from error


def function_name(given: str) -> str:
    """The bare name of a function in any of the forms that a path may have. Raises `ApiError`."""
    match = _FUNCTION.fullmatch(given)
    if match is None:
        raise _constraint(given, "functionName", f"Member must satisfy regular expression pattern: {_NAME.pattern}")
    if match[2] not in (None, "$LATEST"):
        raise ApiError(404, "ResourceNotFoundException", f"Function not found: {given} (only $LATEST is here)")
    return match[1]


def check_name(name: str, what: str) -> str:
    """A name for something new."""
    if not _NAME.fullmatch(name):
        raise _constraint(name, what, f"Member must satisfy regular expression pattern: {_NAME.pattern}")
    return name


def check_configuration(wanted: Configuration) -> None:
    """Judge the values that are given. Raises `ApiError`."""
    _between(wanted.memory_size, 128, 10_240, "memorySize")
    _between(wanted.timeout, 1, 900, "timeout")
    if wanted.ephemeral_storage is not None:
        _between(wanted.ephemeral_storage.size, 512, 10_240, "ephemeralStorage.size")
    if wanted.handler is not None and not re.fullmatch(r"\S{1,128}", wanted.handler):
        raise _constraint(wanted.handler, "handler", "Member must satisfy regular expression pattern: [^\\s]+")
    if wanted.description is not None and len(wanted.description) > 256:
        raise _constraint(wanted.description, "description", "Member must have length less than or equal to 256")
    if wanted.layers is not None and len(wanted.layers) > 5:
        raise _constraint(str(wanted.layers), "layers", "Member must have length less than or equal to 5")
    if wanted.environment is not None:
        _check_environment(wanted.environment.variables)


def check_architectures(wanted: list[str] | None) -> None:
    """Functions run on this machine's own processors. Raises `ApiError`."""
    own = architecture()
    if wanted not in (None, [own]):
        raise invalid(f"architectures {wanted} are not here, because this machine is {own}")


def _check_environment(variables: dict[str, str]) -> None:
    prefix = "Lambda was unable to configure your environment variables because the environment variables you have"
    reserved = sorted(RESERVED & variables.keys())
    if reserved:
        raise invalid(
            f"{prefix} provided contains reserved keys that are currently not supported for modification. "
            f"Reserved keys used in this request: {', '.join(reserved)}"
        )
    for name, value in variables.items():
        if not _VARIABLE.fullmatch(name):
            raise _constraint(name, "environment.variables", f"Map keys must satisfy {_VARIABLE.pattern}")
        if "\0" in value:
            raise invalid(f"the value of environment variable {name} holds a NUL")
    size = sum(len(name.encode()) + len(value.encode("utf-8", "surrogatepass")) for name, value in variables.items())
    if size > _ENVIRONMENT_BYTES:
        raise invalid(f"{prefix} provided exceeded the 4KB limit.")


def _between(value: int | None, least: int, most: int, name: str) -> None:
    if value is not None and value < least:
        raise _constraint(str(value), name, f"Member must have value greater than or equal to {least}")
    if value is not None and value > most:
        raise _constraint(str(value), name, f"Member must have value less than or equal to {most}")


def _constraint(value: str, name: str, constraint: str) -> ApiError:
    count = "1 validation error detected"
    return invalid(f"{count}: Value '{value[:200]}' at '{name}' failed to satisfy constraint: {constraint}")
