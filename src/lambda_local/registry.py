"""The functions and layers that there are. Plain data in memory; files are the code store's matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lambda_local.entry import Entry
from lambda_local.function import Function, LayerVersion


@dataclass(frozen=True)
class Layer:
    """A layer's versions that are not deleted, and the number of the last one that was published."""

    versions: dict[str, LayerVersion] = field(default_factory=dict)
    last: int = 0


class Registry:
    """Functions by name, layers by name and version.

    Attributes:
        reserved: by the name of a function, how many instances are kept for it alone; those without are not in it.
    """

    def __init__(self, region: str, account: str) -> None:
        self.region = region
        self._prefix = f"arn:aws:lambda:{region}:{account}"
        self.reserved: dict[str, int] = {}
        self._entries: dict[str, Entry] = {}
        self._layers: dict[str, Layer] = {}

    def function_arn(self, name: str, qualifier: str | None = None) -> str:
        """The ARN of the function of this name, or of its version or alias."""
        return f"{self._prefix}:function:{name}" + (f":{qualifier}" if qualifier else "")

    def layer_arn(self, name: str, version: int | None = None) -> str:
        """The ARN of a layer, or of one of its versions."""
        return f"{self._prefix}:layer:{name}" + (f":{version}" if version else "")

    def entries(self) -> list[Entry]:
        """All functions, in the order of their names."""
        return [self._entries[name] for name in sorted(self._entries)]

    def find(self, name: str) -> Entry | None:
        """The function of this name."""
        return self._entries.get(name)

    def put(self, entry: Entry) -> None:
        """Make this what stands under its name."""
        self._entries[entry.name] = entry
        self.reserved.pop(entry.name, None)
        if entry.reserved:
            self.reserved[entry.name] = entry.reserved

    def remove(self, name: str) -> None:
        """Forget a function."""
        del self._entries[name]
        self.reserved.pop(name, None)

    def is_current(self, function: Function) -> bool:
        """Whether this configuration can still be called."""
        entry = self._entries.get(function.name)
        return entry is not None and entry.version(function.version) is function

    def layers(self) -> list[tuple[str, Layer]]:
        """All layers, in the order of their names."""
        return sorted(self._layers.items())

    def layer(self, name: str) -> Layer:
        """The layer of this name; an empty one where there is none."""
        return self._layers.get(name, Layer())

    def put_layer(self, name: str, layer: Layer) -> None:
        """Make these the versions of the layer."""
        self._layers[name] = layer

    def layer_version(self, arn: str) -> LayerVersion | None:
        """The layer version with this ARN."""
        name, _, version = arn.removeprefix(f"{self._prefix}:layer:").rpartition(":")
        return self.layer(name).versions.get(version) if arn == f"{self._prefix}:layer:{name}:{version}" else None

    def folders(self) -> set[Path]:
        """The folders of all code that can still be called or put to use."""
        return {folder for each in self._functions() for folder in each.folders} | {
            version.code.folder for layer in self._layers.values() for version in layer.versions.values()
        }

    def archives(self) -> set[str]:
        """The hashes of all code that `folders` come from."""
        return {each.code.sha256 for each in self._functions()} | {
            version.code.sha256
            for versions in (
                *(layer.versions.values() for layer in self._layers.values()),
                *(function.layers for function in self._functions()),
            )
            for version in versions
        }

    def _functions(self) -> Iterator[Function]:
        for entry in self._entries.values():
            yield from entry.functions()
