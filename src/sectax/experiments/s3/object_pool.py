"""Large objects that clients find, kept from one block to the next: storing them again takes longer than fetching them.

An object serves a few blocks and is then stored again, so that no treatment sits on a favoured place for a whole run.
"""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass, field, replace

from sectax.model.subject import Witnesses

# Clients that fetch one object, the one that stored it among them.
SERVES = 4


@dataclass(frozen=True)
class PooledObject:
    """An object: how its body is made again, where it is, and what was seen of it when it was stored.

    Attributes:
        seed: of its body, as clients/PROTOCOL.md has it. marker: its body begins with it.
        found: bucket and key; empty before it is stored.
        served: clients that had it.
    """

    seed: str = field(repr=False)
    marker: str = field(repr=False)
    found: tuple[str, ...] = ()
    witnesses: Witnesses = field(default_factory=dict)
    served: int = 0

    @property
    def stays(self) -> bool:
        """Whether it is left for another client after this one."""
        return self.served + 1 < SERVES


class ObjectPool:
    """The objects of one server, by the treatment that they are alike for. One that is in use is not here."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], list[PooledObject]] = {}

    def take(self, alike: tuple[object, ...]) -> PooledObject:
        """An object that is there, or one that is still to be stored."""
        objects = self._kept.get(alike)
        return (
            objects.pop(0)
            if objects
            else PooledObject(base64.b64encode(secrets.token_bytes(48)).decode(), secrets.token_hex(16))
        )

    def put(self, alike: tuple[object, ...], kept: PooledObject) -> None:
        """Back, after one more client has had it; one that has served is gone."""
        if kept.stays:
            self._kept.setdefault(alike, []).append(replace(kept, served=kept.served + 1))
