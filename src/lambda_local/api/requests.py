"""Requests of AWS's API: path, query and body, parsed and validated."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, TypeVar
from urllib.parse import parse_qs

import msgspec
from msgspec import Meta

from lambda_local.api.errors import invalid, malformed
from lambda_local.http import Exchange
from lambda_local.instances.programs import RESERVED, WRAPPER
from lambda_local.settings import architecture

_ENVIRONMENT_BYTES = 4096

_Handler = Annotated[str, Meta(pattern=r"\A[^\s\x00-\x1f\x7f]{1,128}\Z")]
# Only the form is checked.
_Role = Annotated[str, Meta(pattern=r"\Aarn:aws[a-zA-Z-]*:iam::\d{12}:role/?[a-zA-Z_0-9+=,.@\-_/]+\Z")]
_Description = Annotated[str, Meta(max_length=256)]
_Variable = Annotated[str, Meta(pattern=r"\A[a-zA-Z][a-zA-Z0-9_]+\Z")]
_Value = Annotated[str, Meta(pattern=r"\A[^\x00]*\Z")]


class Body(msgspec.Struct, rename="pascal", kw_only=True, forbid_unknown_fields=True):
    """A body or a part of one; unsupported members are rejected, not ignored."""


_Body = TypeVar("_Body", bound=Body)


class Archive(Body):
    zip_file: bytes


class Variables(Body):
    variables: dict[_Variable, _Value] = {}


class Storage(Body):
    """The size of /tmp in MB."""

    size: Annotated[int, Meta(ge=512, le=10_240)] = 512


class Configuration(Body):
    """Body of UpdateFunctionConfiguration; None means unchanged."""

    runtime: str | None = None
    handler: _Handler | None = None
    role: _Role | None = None
    description: _Description | None = None
    timeout: Annotated[int, Meta(ge=1, le=900)] | None = None
    memory_size: Annotated[int, Meta(ge=128, le=10_240)] | None = None
    environment: Variables | None = None
    layers: Annotated[list[str], Meta(max_length=5)] | None = None
    ephemeral_storage: Storage | None = None


class CreateFunction(Configuration, kw_only=True):
    function_name: str
    runtime: str
    handler: _Handler
    role: _Role
    code: Archive
    package_type: Literal["Zip"] = "Zip"
    architectures: list[str] | None = None


class UpdateCode(Archive):
    architectures: list[str] | None = None


class PublishLayer(Body):
    """Body of PublishLayerVersion. Compatibility is not checked when a function uses the layer."""

    content: Archive
    description: _Description = ""
    compatible_runtimes: list[str] = []
    compatible_architectures: list[str] | None = None


class Call(NamedTuple):
    """One call of an action; `path` has the path's parameters by their names in the API reference."""

    path: Mapping[str, str]
    exchange: Exchange

    def query(self, name: str) -> str | None:
        query = self.exchange.request.query
        return parse_qs(query, keep_blank_values=True).get(name, [None])[0] if query else None

    async def read(self, kind: type[_Body]) -> _Body:
        """Parse the body in a thread, since archives take time. Raises `ApiError`."""
        try:
            return await asyncio.to_thread(msgspec.json.decode, self.exchange.request.body, type=kind)
        except msgspec.ValidationError as error:
            raise invalid(f"1 validation error detected: {error}") from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise malformed(str(error)) from error


def check_configuration(wanted: Configuration) -> None:
    """Check layers and environment. Raises `ApiError`."""
    if wanted.layers is not None:
        _check_layers(wanted.layers)
    if wanted.environment is not None:
        _check_environment(wanted.environment.variables)


def check_architectures(wanted: list[str] | None) -> None:
    """Require this machine's architecture. Raises `ApiError`."""
    own = architecture()
    if wanted not in (None, [own]):
        raise invalid(f"architectures {wanted} are not available here: this machine is {own}")


def check_wrapper(runtime: str, environment: dict[str, str]) -> None:
    """Reject a wrapper for runtimes that do not start it, on AWS too: its cost would seem to be zero."""
    if WRAPPER in environment and runtime.startswith("provided"):
        raise invalid(f"{WRAPPER} has no effect with the runtime {runtime}: start the wrapper in bootstrap")


def _check_layers(arns: list[str]) -> None:
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
    if sum(len(name.encode()) + len(value.encode()) for name, value in variables.items()) > _ENVIRONMENT_BYTES:
        raise invalid(f"{prefix} provided exceeded the 4KB limit.")
