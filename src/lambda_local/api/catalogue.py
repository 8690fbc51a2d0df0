"""What there is: functions, layers, their code and their runtimes; and the one way in which any of it changes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

from lambda_local.api.errors import invalid, not_found
from lambda_local.api.names import function_arn
from lambda_local.code.layout import BadArchive
from lambda_local.code.store import CodeStore
from lambda_local.errors import SetUpFailed
from lambda_local.function import Code, Function, LayerVersion
from lambda_local.instances.programs import Runtime
from lambda_local.runtimes.found import find
from lambda_local.settings import ACCOUNT


class Catalogue:
    """Looking may be done at any time, changing only inside `changing`. Every method may raise `ApiError`.

    Attributes:
        functions: by name. layers: the versions that are not deleted, by ARN.
        runtimes: what runs functions, by the name of the runtime; those that `find_runtime` has found.
    """

    def __init__(self, region: str, work: Path, alive: Callable[[], Iterable[Function]]) -> None:
        """Args: *alive* gives the configurations that instances still run."""
        self.region = region
        self.functions: dict[str, Function] = {}
        self.layers: dict[str, LayerVersion] = {}
        self.runtimes: dict[str, Runtime] = {}
        self._last_layers: dict[str, int] = {}  # numbers are not used again
        self._store = CodeStore(work)
        self._alive = alive
        self._lock = asyncio.Lock()

    def function(self, name: str) -> Function:
        found = self.functions.get(name)
        if found is None:
            raise not_found(function_arn(self.region, name))
        return found

    def is_current(self, function: Function) -> bool:
        """Whether this configuration can still be called."""
        return self.functions.get(function.name) is function

    def layer_arn(self, name: str, version: str | int) -> str:
        return f"arn:aws:lambda:{self.region}:{ACCOUNT}:layer:{name}:{version}"

    def publish(self, name: str, code: Code) -> LayerVersion:
        """Add the next version of a layer."""
        number = self._last_layers[name] = self._last_layers.get(name, 0) + 1
        version = LayerVersion(self.layer_arn(name, number), number, code)
        self.layers[version.arn] = version
        return version

    async def find_runtime(self, name: str) -> Runtime:
        """What runs functions of this runtime."""
        if name not in self.runtimes:
            try:
                self.runtimes[name] = await asyncio.to_thread(find, name)
            except SetUpFailed as error:
                raise invalid(f"{name} is not here, because {error.message} ({error.hint})") from error
        return self.runtimes[name]

    @contextlib.asynccontextmanager
    async def changing(self) -> AsyncIterator[None]:
        """One change at a time; afterwards what nobody needs any more is removed."""
        async with self._lock:
            try:
                yield
            finally:
                await self._collect()

    async def collect(self) -> None:
        """Remove the code that nobody needs any more: neither a function nor an instance that is still ending."""
        async with self._lock:
            await self._collect()

    async def unpacked(self, archive: bytes) -> Code:
        try:
            return await asyncio.to_thread(self._store.add, archive)
        except BadArchive as error:
            raise invalid(str(error)) from error

    async def merged(self, layers: tuple[LayerVersion, ...]) -> Path | None:
        """The folder in which these layers lie over each other."""
        try:
            return await asyncio.to_thread(self._store.merge, layers)
        except BadArchive as error:
            raise invalid(str(error)) from error

    async def _collect(self) -> None:
        used = {folder for function in (*self.functions.values(), *self._alive()) for folder in function.folders}
        used |= {version.code.folder for version in self.layers.values()}
        await asyncio.to_thread(self._store.remove_but, used)
