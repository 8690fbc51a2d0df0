"""The functions and layers of the service, and the actions on them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lambda_local.api import names, requests
from lambda_local.api.errors import conflict, invalid, not_found
from lambda_local.api.requests import Call
from lambda_local.code.archive import UNPACKED_BYTES
from lambda_local.code.layout import BadArchive
from lambda_local.code.store import CodeStore
from lambda_local.errors import SetUpFailed
from lambda_local.function import LATEST, Code, Function, LayerVersion, now
from lambda_local.instances.programs import Runtime
from lambda_local.runtimes.registry import find
from lambda_local.settings import architecture

Document = dict[str, Any]


class Functions:
    """The actions of the API reference. They may raise `ApiError`."""

    def __init__(self, work: Path, alive: Callable[[], Iterable[Function]]) -> None:
        """Args: *alive* returns the configurations of running instances."""
        self._functions: dict[str, Function] = {}
        self._layers: dict[str, LayerVersion] = {}  # by ARN
        self._last_layers: dict[str, int] = {}  # numbers are not reused
        self._runtimes: dict[str, Runtime] = {}
        self._store = CodeStore(work)
        self._alive = alive
        self._lock = asyncio.Lock()

    async def create(self, call: Call) -> Document:
        async with self._changing():
            wanted = await call.read(requests.CreateFunction)
            # The name may be an ARN.
            name = names.new(names.function(wanted.function_name, None), "functionName")
            requests.check_configuration(wanted)
            requests.check_architectures(wanted.architectures)
            await self.runtime(wanted.runtime)
            if name in self._functions:
                raise conflict(f"Function already exist: {name}")
            arn, code = names.function_arn(name), await self._unpacked(wanted.code.zip_file)
            bare = Function(name, arn, wanted.runtime, wanted.handler, wanted.role, code)
            made = self._functions[name] = await self._configured(bare, wanted)
        return _configuration(made)

    async def get(self, call: Call) -> Document:
        return {"Configuration": _configuration(self.function(call)), "Code": {"RepositoryType": "local"}}

    async def get_configuration(self, call: Call) -> Document:
        return _configuration(self.function(call))

    async def list_all(self, call: Call) -> Document:
        """ListFunctions: all of them on one page."""
        return {"Functions": [_configuration(self._functions[name]) for name in sorted(self._functions)]}

    async def update_configuration(self, call: Call) -> Document:
        wanted = await call.read(requests.Configuration)
        requests.check_configuration(wanted)
        async with self._changing():
            function = self.function(call)
            if wanted.runtime is not None:
                await self.runtime(wanted.runtime)
            made = self._functions[function.name] = await self._configured(function, wanted)
        return _configuration(made)

    async def update_code(self, call: Call) -> Document:
        async with self._changing():
            function = self.function(call)
            wanted = await call.read(requests.UpdateCode)
            requests.check_architectures(wanted.architectures)
            made = function.changed(code=await self._unpacked(wanted.zip_file))
            _check_size(made)
            self._functions[function.name] = made
        return _configuration(made)

    async def delete(self, call: Call) -> None:
        async with self._changing():
            del self._functions[self.function(call).name]

    async def publish_layer(self, call: Call) -> Document:
        name = names.new(names.layer(call.path["LayerName"]), "layerName")
        async with self._changing():
            wanted = await call.read(requests.PublishLayer)
            requests.check_architectures(wanted.compatible_architectures)
            code = await self._unpacked(wanted.content.zip_file)
            number = self._last_layers[name] = self._last_layers.get(name, 0) + 1
            layer = LayerVersion(names.layer_arn(name, number), number, code)
            self._layers[layer.arn] = layer
        return _layer(layer, wanted.description)

    async def delete_layer(self, call: Call) -> None:
        """Delete a layer version if it exists, as on AWS; functions that use it are unaffected."""
        number = call.path["VersionNumber"]
        if not (number.isascii() and number.isdecimal() and len(number) < 20 and int(number) >= 1):
            raise invalid("Layer Version Cannot be less than 1")
        async with self._changing():
            self._layers.pop(names.layer_arn(names.layer(call.path["LayerName"]), int(number)), None)

    # for invocations and instances

    def function(self, call: Call) -> Function:
        """Return the current configuration of a call's function."""
        name = names.function(call.path["FunctionName"], call.query("Qualifier"))
        if name not in self._functions:
            raise not_found(names.function_arn(name))
        return self._functions[name]

    def is_current(self, function: Function) -> bool:
        return self._functions.get(function.name) is function

    async def runtime(self, name: str) -> Runtime:
        """Return the runtime; the first time may be slow."""
        if name not in self._runtimes:
            try:
                self._runtimes[name] = await asyncio.to_thread(find, name)
            except SetUpFailed as error:
                raise invalid(f"{name} is not available here: {error.message} ({error.hint})") from error
        return self._runtimes[name]

    async def collect(self) -> None:
        """Remove code that no function and no running instance uses."""
        async with self._changing():
            pass

    @contextlib.asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        """Serialize changes, and remove unused code after each."""
        async with self._lock:
            try:
                yield
            finally:
                in_use = (*self._functions.values(), *self._alive())
                used = {folder for function in in_use for folder in function.folders}
                used |= {layer.code.folder for layer in self._layers.values()}
                await asyncio.to_thread(self._store.remove_but, used)

    async def _configured(self, function: Function, wanted: requests.Configuration) -> Function:
        changes: Document = {
            "runtime": wanted.runtime,
            "handler": wanted.handler,
            "role": wanted.role,
            "description": wanted.description,
            "timeout": wanted.timeout,
            "memory": wanted.memory_size,
            "tmp": None if wanted.ephemeral_storage is None else wanted.ephemeral_storage.size,
            "environment": None if wanted.environment is None else wanted.environment.variables,
            "layers": None if wanted.layers is None else tuple(self._known_layer(arn) for arn in wanted.layers),
        }
        changed = function.changed(**{name: value for name, value in changes.items() if value is not None})
        requests.check_wrapper(changed.runtime, changed.environment)
        _check_size(changed)
        with _refused_archive():
            return replace(changed, opt=await asyncio.to_thread(self._store.merge, changed.layers))

    def _known_layer(self, arn: str) -> LayerVersion:
        if arn not in self._layers:
            raise invalid(f"Layer version {arn[:200]} does not exist.")
        return self._layers[arn]

    async def _unpacked(self, archive: bytes) -> Code:
        with _refused_archive():
            return await asyncio.to_thread(self._store.add, archive)


@contextlib.contextmanager
def _refused_archive() -> Iterator[None]:
    try:
        yield
    except BadArchive as error:
        raise invalid(str(error)) from error


def _check_size(function: Function) -> None:
    if function.unpacked > UNPACKED_BYTES:
        raise invalid(
            f"Function code combined with layers exceeds the maximum allowed size of {UNPACKED_BYTES} bytes. "
            f"The actual size is {function.unpacked} bytes."
        )


def _configuration(function: Function) -> Document:
    document: Document = {
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


def _layer(layer: LayerVersion, description: str) -> Document:
    return {
        "LayerArn": layer.arn.rpartition(":")[0],
        "LayerVersionArn": layer.arn,
        "Version": layer.version,
        "Description": description,
        "CreatedDate": now(),
        "CompatibleArchitectures": [architecture()],
        "Content": {"CodeSha256": layer.code.sha256, "CodeSize": layer.code.size},
    }
