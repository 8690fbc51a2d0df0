"""The functions and layers that there are. Plain data in memory; files are the code store's matter."""

from __future__ import annotations

from sectax.stack.lambda_service.function import Function, LayerVersion


class Registry:
    """Functions by name, layers by name and version."""

    def __init__(self, region: str, account: str) -> None:
        self._prefix = f"arn:aws:lambda:{region}:{account}"
        self._functions: dict[str, Function] = {}
        self._layers: dict[str, list[LayerVersion]] = {}

    def function_arn(self, name: str) -> str:
        """The ARN that a function of this name has."""
        return f"{self._prefix}:function:{name}"

    def functions(self) -> list[Function]:
        """All functions, in the order of their names."""
        return [self._functions[name] for name in sorted(self._functions)]

    def find(self, name: str) -> Function | None:
        """The present configuration of a function."""
        return self._functions.get(name)

    def put(self, function: Function) -> None:
        """Make this the present configuration."""
        self._functions[function.name] = function

    def remove(self, name: str) -> None:
        """Forget a function."""
        del self._functions[name]

    def is_current(self, function: Function) -> bool:
        """Whether this configuration is still the present one."""
        return self._functions.get(function.name) is function

    def next_layer(self, name: str) -> tuple[str, int]:
        """ARN and number of the version that would be published next."""
        number = len(self._layers.get(name, ())) + 1
        return f"{self._prefix}:layer:{name}:{number}", number

    def add_layer(self, name: str, version: LayerVersion) -> None:
        """Publish a version."""
        self._layers.setdefault(name, []).append(version)

    def layer(self, arn: str) -> LayerVersion | None:
        """The layer version with this ARN."""
        return next((each for versions in self._layers.values() for each in versions if each.arn == arn), None)
