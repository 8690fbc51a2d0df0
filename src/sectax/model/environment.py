"""Where a run took place: what must be equal for two sets of blocks to belong to one run."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Environment:
    """The machine and the software of one session, as flat names and values.

    `identity` may not change within a run (CPU model, kernel, runtimes, libraries); `circumstances` may
    (load, free memory, the governor's current frequency) and are only recorded.
    """

    identity: dict[str, str]
    circumstances: dict[str, str] = field(default_factory=dict)
