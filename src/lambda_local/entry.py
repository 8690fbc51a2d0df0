"""Everything that stands under the name of one function: versions, aliases, and what is set for all of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from lambda_local.function import LATEST, Function


@dataclass(frozen=True)
class Alias:
    """A name for a version, and the share of events that goes to another one."""

    name: str
    version: str
    description: str
    revision: str
    weights: dict[str, float] = field(default_factory=dict)

    def chosen(self) -> str:
        """The version for one event."""
        at = random.random()
        for version, weight in self.weights.items():
            if at < weight:
                return version
            at -= weight
        return self.version


@dataclass(frozen=True)
class EventSettings:
    """How `Event` invocations are repeated; None is Lambda's default. `modified` in seconds since 1970."""

    attempts: int | None
    age_s: int | None
    modified: float


BUFFERED, RESPONSE_STREAM = "BUFFERED", "RESPONSE_STREAM"


@dataclass(frozen=True)
class Url:
    """A function URL: an address of its own on this machine.

    Attributes:
        auth: AWS_IAM or NONE. mode: BUFFERED or RESPONSE_STREAM.
    """

    port: int
    auth: str
    created: str
    modified: str
    mode: str = BUFFERED


@dataclass(frozen=True, eq=False)
class Entry:
    """One function. A change makes a new entry.

    Attributes:
        last_version: the highest number that was ever published.
        events, urls: by qualifier, $LATEST for the function itself.
        reserved: the most instances that it may have busy at once, kept for it alone; None without such a limit.
    """

    latest: Function
    versions: dict[str, Function] = field(default_factory=dict)
    last_version: int = 0
    aliases: dict[str, Alias] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    reserved: int | None = None
    events: dict[str, EventSettings] = field(default_factory=dict)
    urls: dict[str, Url] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The function's."""
        return self.latest.name

    def functions(self) -> Iterator[Function]:
        """$LATEST, then every version."""
        yield self.latest
        yield from self.versions.values()

    def version(self, qualifier: str) -> Function | None:
        """The configuration with this version; not that of an alias."""
        return self.latest if qualifier == LATEST else self.versions.get(qualifier)

    def published(self, description: str | None) -> tuple[Entry, Function]:
        """A new version of $LATEST, unless nothing has changed since the last one: then that.

        Returns:
            The entry afterwards, and the version.
        """
        last = self.versions.get(str(self.last_version))
        if last is not None and _same(last, self.latest):
            return self, last
        number = self.last_version + 1
        made = self.latest.changed(version=str(number), arn=f"{self.latest.arn}:{number}")
        if description is not None:
            made = replace(made, description=description)
        return replace(self, versions={**self.versions, str(number): made}, last_version=number), made


def _same(one: Function, other: Function) -> bool:
    """Whether code and configuration are the same."""

    def settings(function: Function) -> tuple[object, ...]:
        return (
            function.runtime, function.handler, function.role, function.code.sha256, function.timeout, function.memory,
            function.tmp, function.environment, function.layers, function.tracing, function.log_group,
        )  # fmt: skip

    return settings(one) == settings(other)
