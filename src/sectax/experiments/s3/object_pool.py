"""Large objects reused by several blocks, since storing is slow.

Each is replaced after a few blocks, so that no treatment has a favourable place on the disk for a whole run.
"""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass, field, replace

from sectax.model.subject import Witnesses

# Clients that use an object, including the one that stored it.
SERVES = 4


@dataclass(frozen=True)
class PooledObject:
    """A stored object.

    Attributes:
        seed: of its body (clients/PROTOCOL.md).
        marker: beginning of its body.
        found: bucket and key; empty before it is stored.
        witnesses: noted when it was stored.
        served: number of earlier clients.
    """

    seed: str = field(repr=False)
    marker: str = field(repr=False)
    found: tuple[str, ...] = ()
    witnesses: Witnesses = field(default_factory=dict)
    served: int = 0

    @property
    def stays(self) -> bool:
        """Whether another client will use it."""
        return self.served + 1 < SERVES


class ObjectPool:
    """Unused objects of one server, by `S3Spec.pool_key`."""

    def __init__(self) -> None:
        self._objects: dict[tuple[object, ...], list[PooledObject]] = {}

    def take(self, key: tuple[object, ...]) -> PooledObject:
        """Take a stored object, or a new one to be stored."""
        if objects := self._objects.get(key):
            return objects.pop(0)
        return PooledObject(base64.b64encode(secrets.token_bytes(48)).decode(), secrets.token_hex(16))

    def put(self, key: tuple[object, ...], used: PooledObject) -> None:
        """Return an object after use, unless it has served enough clients."""
        if used.stays:
            self._objects.setdefault(key, []).append(replace(used, served=used.served + 1))
