"""The bodies of requests: what may be asked for, read and judged."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

from lambda_local.api import names
from lambda_local.api.errors import constraint, invalid, malformed
from lambda_local.instances.programs import RESERVED, WRAPPER
from lambda_local.settings import architecture

_VARIABLE = re.compile(r"[a-zA-Z][a-zA-Z0-9_]+")
_HANDLER = re.compile(r"[^\s\x00-\x1f\x7f]{1,128}")
_ENVIRONMENT_BYTES = 4096


class Body(msgspec.Struct, rename="pascal", kw_only=True, forbid_unknown_fields=True):
    """A body, or a part of one."""


_Body = TypeVar("_Body", bound=Body)


class Location(Body):
    """Where the code is. `ZipFile` has been taken out when this is read, and nothing else is here."""


class Variables(Body):
    """The environment."""

    variables: dict[str, str] = {}


class Storage(Body):
    """The size of /tmp in MB."""

    size: int = 512


class Configuration(Body):
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


class CreateFunction(Configuration, kw_only=True):
    """Body of CreateFunction."""

    function_name: str
    code: Location
    package_type: str = "Zip"
    architectures: list[str] | None = None


class UpdateCode(Body):
    """Body of UpdateFunctionCode."""

    architectures: list[str] | None = None


class PublishLayer(Body):
    """Body of PublishLayerVersion. What it fits is not asked again when a function takes it."""

    content: Location
    description: str = ""
    compatible_runtimes: list[str] = []
    compatible_architectures: list[str] | None = None


def read(body: bytes, kind: type[_Body]) -> _Body:
    """The body of a request.

    Raises `ApiError` for what is not JSON of that form, and for every member that is not here: none is dropped that
    asks for something. Clients send members that ask for nothing, too.
    """
    try:
        members = msgspec.json.decode(body, type=dict[str, Any])
        known = {field.encode_name for field in msgspec.structs.fields(kind)}
        for name in members.keys() - known:
            if _asks(members.pop(name)):
                raise invalid(f"{name[:100]} is not here")
        return msgspec.convert(members, kind)
    except msgspec.ValidationError as error:
        unknown = re.search(r"contains unknown field `(.+)`", str(error))
        raise (invalid(f"{unknown[1][:100]} is not here") if unknown else malformed(str(error))) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise malformed(str(error)) from error


def _asks(value: Any) -> bool:
    """Whether there is anything in it."""
    if isinstance(value, dict):
        return any(_asks(inner) for inner in value.values())
    return any(_asks(inner) for inner in value) if isinstance(value, list) else bool(value)


def check_configuration(wanted: Configuration) -> None:
    """Judge the values that are given. Raises `ApiError`."""
    between(wanted.memory_size, 128, 10_240, "memorySize")
    between(wanted.timeout, 1, 900, "timeout")
    if wanted.ephemeral_storage is not None:
        between(wanted.ephemeral_storage.size, 512, 10_240, "ephemeralStorage.size")
    if wanted.handler is not None and not _HANDLER.fullmatch(wanted.handler):
        raise constraint(wanted.handler, "handler", "Member must satisfy regular expression pattern: [^\\s]+")
    if wanted.role is not None:
        names.role(wanted.role)
    check_description(wanted.description)
    if wanted.layers is not None:
        _check_layers(wanted.layers)
    if wanted.environment is not None:
        _check_environment(wanted.environment.variables)


def check_description(description: str | None) -> None:
    """Judge a description. Raises `ApiError`."""
    if description is not None and len(description) > 256:
        raise constraint(description, "description", "Member must have length less than or equal to 256")


def check_architectures(wanted: list[str] | None) -> None:
    """Functions run on this machine's own processors. Raises `ApiError`."""
    own = architecture()
    if wanted not in (None, [own]):
        raise invalid(f"architectures {wanted} are not here, because this machine is {own}")


def check_wrapper(runtime: str, environment: dict[str, str]) -> None:
    """A program of one's own is started by itself, on AWS too: a wrapper would be measured as free."""
    if WRAPPER in environment and runtime.startswith("provided"):
        raise invalid(f"{WRAPPER} has no effect with the runtime {runtime}: start the wrapper in bootstrap")


def between(value: int | None, least: int, most: int, name: str) -> None:
    """Judge a number. Raises `ApiError`."""
    if value is not None and value < least:
        raise constraint(str(value), name, f"Member must have value greater than or equal to {least}")
    if value is not None and value > most:
        raise constraint(str(value), name, f"Member must have value less than or equal to {most}")


def _check_layers(arns: list[str]) -> None:
    if len(arns) > 5:
        raise constraint(str(arns), "layers", "Member must have length less than or equal to 5")
    layers = [arn.rpartition(":")[0] for arn in arns]
    twice = next((layer for layer in layers if layers.count(layer) > 1), None)
    if twice is not None:
        raise invalid(
            "Two different versions of the same layer are not allowed to be referenced in the same function. "
            f"{' and '.join(arn for arn in arns if arn.rpartition(':')[0] == twice)}"
        )


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
            raise constraint(name, "environment.variables", f"Map keys must satisfy {_VARIABLE.pattern}")
        if "\0" in value:
            raise invalid(f"the value of environment variable {name} holds a NUL")
    size = sum(len(name.encode()) + len(value.encode("utf-8", "surrogatepass")) for name, value in variables.items())
    if size > _ENVIRONMENT_BYTES:
        raise invalid(f"{prefix} provided exceeded the 4KB limit.")
