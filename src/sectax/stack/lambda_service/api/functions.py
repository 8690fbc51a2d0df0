"""Create, look at, update and delete functions; publish layers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from sectax.stack.lambda_service.api import documents, requests
from sectax.stack.lambda_service.api.errors import ApiError, conflict, invalid, not_found
from sectax.stack.lambda_service.code import BadArchive, CodeStore
from sectax.stack.lambda_service.function import Code, Function, LayerVersion, now
from sectax.stack.lambda_service.instances.programs import Runtime
from sectax.stack.lambda_service.registry import Registry
from sectax.stack.lambda_service.runtimes import RuntimeMissing, find
from sectax.stack.lambda_service.settings import ACCOUNT

_ZIP_ONLY = "code must be given as ZipFile: S3 and container images are not here"


class Functions:
    """The functions that there are, and what may be done to them. Every method may raise `ApiError`."""

    def __init__(self, region: str, work: Path) -> None:
        self.registry = Registry(region, ACCOUNT)
        self._store = CodeStore(work)
        self._runtimes: dict[str, Runtime] = {}
        self._changing = asyncio.Lock()  # one change at a time, so that none is lost while an archive is unpacked

    def get(self, given: str) -> Function:
        """The function that a caller means."""
        name = requests.function_name(given)
        function = self.registry.find(name)
        if function is None:
            raise not_found(self.registry.function_arn(name))
        return function

    async def runtime(self, name: str) -> Runtime:
        """What runs functions of this runtime."""
        if name not in self._runtimes:
            try:
                self._runtimes[name] = await asyncio.to_thread(find, name)
            except RuntimeMissing as error:
                raise invalid(str(error)) from error
        return self._runtimes[name]

    async def create(self, body: bytes) -> dict[str, Any]:
        """CreateFunction."""
        wanted = requests.read(body, requests.CreateFunction)
        # The name may come as an ARN, as everywhere.
        name = requests.check_name(requests.function_name(wanted.function_name), "functionName")
        requests.check_configuration(wanted)
        requests.check_architectures(wanted.architectures)
        if wanted.package_type != "Zip" or not wanted.code.zip_file:
            raise invalid(_ZIP_ONLY)
        if not wanted.role:
            raise invalid("Value null at 'role' failed to satisfy constraint: Member must not be null")
        if not wanted.runtime or not wanted.handler:
            raise invalid(
                "Runtime and Handler are mandatory parameters for functions created with deployment packages."
            )
        await self.runtime(wanted.runtime)
        async with self._changing:
            if self.registry.find(name) is not None:
                raise conflict(f"Function already exist: {name}")
            code = await self._add(wanted.code.zip_file)
            bare = Function(name, self.registry.function_arn(name), wanted.runtime, wanted.handler, wanted.role, code)
            function = await self._configured(bare, wanted)
            self.registry.put(function)
        return documents.configuration(function)

    async def update_configuration(self, given: str, body: bytes) -> dict[str, Any]:
        """UpdateFunctionConfiguration."""
        wanted = requests.read(body, requests.Configuration)
        requests.check_configuration(wanted)
        async with self._changing:
            function = self.get(given)
            _check_revision(function, wanted.revision_id)
            if wanted.runtime:
                await self.runtime(wanted.runtime)
            function = await self._configured(function, wanted)
            self.registry.put(function)
        return documents.configuration(function)

    async def update_code(self, given: str, body: bytes) -> dict[str, Any]:
        """UpdateFunctionCode."""
        wanted = requests.read(body, requests.UpdateCode)
        requests.check_architectures(wanted.architectures)
        async with self._changing:
            function = self.get(given)
            _check_revision(function, wanted.revision_id)
            if not wanted.zip_file:
                raise invalid(_ZIP_ONLY)
            function = function.changed(code=await self._add(wanted.zip_file))
            if not wanted.dry_run:
                self.registry.put(function)
        return documents.configuration(function)

    async def delete(self, given: str) -> None:
        """DeleteFunction."""
        async with self._changing:
            self.registry.remove(self.get(given).name)

    async def publish_layer(self, name: str, body: bytes) -> dict[str, Any]:
        """PublishLayerVersion."""
        wanted = requests.read(body, requests.PublishLayer)
        requests.check_name(name, "layerName")
        if not wanted.content.zip_file:
            raise invalid(_ZIP_ONLY)
        async with self._changing:
            code = await self._add(wanted.content.zip_file)
            arn, number = self.registry.next_layer(name)
            version = LayerVersion(arn, number, code, wanted.description, tuple(wanted.compatible_runtimes), now())
            self.registry.add_layer(name, version)
        return documents.layer(version)

    def listed(self, marker: str, most: int) -> dict[str, Any]:
        """ListFunctions: up to *most* functions behind the name *marker*."""
        behind = [function for function in self.registry.functions() if function.name > marker]
        page: dict[str, Any] = {"Functions": [documents.configuration(function) for function in behind[:most]]}
        if len(behind) > most:
            page["NextMarker"] = behind[most - 1].name
        return page

    async def _add(self, archive: bytes) -> Code:
        try:
            return await asyncio.to_thread(self._store.add, archive)
        except BadArchive as error:
            raise invalid(str(error)) from error

    async def _configured(self, function: Function, wanted: requests.Configuration) -> Function:
        changes: dict[str, Any] = {
            "runtime": wanted.runtime or None,
            "handler": wanted.handler,
            "role": wanted.role,
            "description": wanted.description,
            "timeout": wanted.timeout,
            "memory": wanted.memory_size,
            "tmp": None if wanted.ephemeral_storage is None else wanted.ephemeral_storage.size,
            "environment": None if wanted.environment is None else wanted.environment.variables,
        }
        changes = {name: value for name, value in changes.items() if value is not None}
        if wanted.layers is not None:
            layers = tuple(self._layer(arn) for arn in wanted.layers)
            try:
                changes |= {"layers": layers, "opt": await asyncio.to_thread(self._store.merge, layers)}
            except BadArchive as error:
                raise invalid(str(error)) from error
        return function.changed(**changes)

    def _layer(self, arn: str) -> LayerVersion:
        layer = self.registry.layer(arn)
        if layer is None:
            raise invalid(f"Layer version {arn} does not exist.")
        return layer


def _check_revision(function: Function, revision: str | None) -> None:
    if revision is not None and revision != function.revision:
        raise ApiError(
            412,
            "PreconditionFailedException",
            "The Revision Id provided does not match the latest Revision Id. Call the GetFunction/GetAlias API to "
            "retrieve the latest Revision Id",
        )
