"""What there is: functions, layers, their code and their runtimes; and the one way in which any of it changes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from pathlib import Path

from lambda_local.api.errors import ApiError, invalid, not_found
from lambda_local.api.requests import CodeLocation, malformed
from lambda_local.code import BadArchive, CodeStore
from lambda_local.code.upload import Places, Upload, kept, take
from lambda_local.entry import Entry
from lambda_local.function import LATEST, Code, Function, LayerVersion
from lambda_local.instances.programs import Runtime
from lambda_local.registry import Layer, Registry
from lambda_local.runtimes.found import RuntimeMissing, find
from lambda_local.settings import ACCOUNT
from lambda_local.state import State


class Catalogue:
    """Looking may be done at any time, changing only inside `changing`. Every method may raise `ApiError`.

    Attributes:
        runtimes: what runs functions, by the name of the runtime; those that `find_runtime` has found.
    """

    def __init__(self, region: str, work: Path, state: State | None, alive: Callable[[], Iterable[Function]]) -> None:
        """Args: *alive* gives the configurations that instances still run."""
        self.registry = Registry(region, ACCOUNT)
        self._store = CodeStore(work)
        self._places = Places(str(work), "" if state is None else str(state.folder))
        self._state = state
        self._alive = alive
        self.runtimes: dict[str, Runtime] = {}
        self._lock = asyncio.Lock()

    def restore(self) -> None:
        """Take in what the state has kept; blocks while everything is unpacked.

        Raises:
            WrongUse: something in it cannot be read.
            OSError: there is no room for it.
        """
        if self._state is None:
            return
        for name, layer in self._state.layers().items():
            versions = {number: self._restored_layer(each) for number, each in layer.versions.items()}
            self.registry.put_layer(name, replace(layer, versions=versions))
        for entry in self._state.functions():
            functions = {number: self._restored(each) for number, each in entry.versions.items()}
            self.registry.put(replace(entry, latest=self._restored(entry.latest), versions=functions))
        self._state.remove_archives_but(self.registry.archives())

    def entry(self, name: str, qualifier: str | None = None) -> Entry:
        """The function of this name; the qualifier is for the words of the error."""
        entry = self.registry.find(name)
        if entry is None:
            raise not_found(self.registry.function_arn(name, qualifier))
        return entry

    def function(self, name: str, qualifier: str | None) -> Function:
        """The configuration that is meant, with the ARN that it was asked for under; an alias's own version."""
        entry = self.entry(name, qualifier)
        if qualifier is None:
            return entry.latest
        alias = entry.aliases.get(qualifier)
        found = entry.version(qualifier if alias is None else alias.version)
        if found is None:
            raise not_found(self.registry.function_arn(name, qualifier))
        return replace(found, arn=self.registry.function_arn(name, qualifier))

    def called(self, name: str, qualifier: str | None) -> Function:
        """The configuration that one event goes to: its identity says which instances may take it."""
        entry = self.entry(name, qualifier)
        alias = entry.aliases.get(qualifier or LATEST)
        found = entry.version(alias.chosen() if alias else qualifier or LATEST)
        if found is None:
            raise not_found(self.registry.function_arn(name, qualifier))
        return found

    async def find_runtime(self, name: str) -> None:
        """Find what runs functions of this runtime."""
        if name not in self.runtimes:
            try:
                self.runtimes[name] = await asyncio.to_thread(find, name)
            except RuntimeMissing as error:
                raise invalid(str(error)) from error

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

    async def keep(self, entry: Entry) -> None:
        """Make this what stands under its name."""
        if self._state is not None:
            await self._written(self._state.keep_function, entry)
        self.registry.put(entry)

    async def forget(self, name: str) -> None:
        """Remove a function with everything."""
        if self._state is not None:
            await self._written(self._state.remove_function, name)
        self.registry.remove(name)

    async def keep_layer(self, name: str, layer: Layer) -> None:
        """Make these the versions of the layer."""
        if self._state is not None:
            await self._written(self._state.keep_layer, name, layer)
        self.registry.put_layer(name, layer)

    async def take(self, parts: list[bytes]) -> Upload:
        """Take in the body of a request that may bring an archive. The archive itself may be refused by `code_of`."""
        upload = await asyncio.to_thread(take, parts, self._places, self._store)
        if upload.malformed:
            raise malformed(upload.malformed)
        return upload

    def code_of(self, upload: Upload, location: CodeLocation) -> Code:
        """The code that came with a request, which says where it is."""
        if upload.failed:
            raise ApiError(500, "ServiceException", upload.failed)
        if upload.refused:
            raise invalid(upload.refused)
        if upload.code is None or location.elsewhere:
            raise invalid("code must be given as ZipFile: S3 and container images are not here")
        return upload.code

    async def merged(self, layers: tuple[LayerVersion, ...]) -> Path | None:
        """The folder in which these layers lie over each other."""
        try:
            return await asyncio.to_thread(self._store.merge, layers)
        except BadArchive as error:
            raise invalid(str(error)) from error

    async def _collect(self) -> None:
        used = self.registry.folders() | {folder for function in self._alive() for folder in function.folders}
        await asyncio.to_thread(self._store.remove_but, used)
        if self._state is not None:
            await asyncio.to_thread(self._state.remove_archives_but, self.registry.archives())

    async def _written(self, write: Callable[..., None], *what: object) -> None:
        try:
            await asyncio.to_thread(write, *what)
        except OSError as error:
            words = f"the change cannot be written to the state folder: {error.strerror}"
            raise ApiError(500, "ServiceException", words) from error

    def _restored(self, function: Function) -> Function:
        layers = tuple(self._restored_layer(each) for each in function.layers)
        return replace(function, code=self._unpacked(function.code), layers=layers, opt=self._store.merge(layers))

    def _restored_layer(self, version: LayerVersion) -> LayerVersion:
        return replace(version, code=self._unpacked(version.code))

    def _unpacked(self, code: Code) -> Code:
        assert self._state is not None
        return kept(self._state.archive(code.sha256), self._places, self._store)
