"""Leaves alone for a while what has hung: a host that hangs must not cost the others their time again and again."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

# What hung for so long is asked again after so many times as long: it can cost a tenth of a run at most.
RESTS_FOR = 10.0


@dataclass
class Patience:
    """What has hung in this session, and until when it is left alone."""

    clock: Callable[[], float] = time.monotonic
    _until: dict[Hashable, float] = field(default_factory=dict)

    def hung(self, what: Hashable, cost_s: float) -> None:
        """It was waited for in vain for so many seconds."""
        self._until[what] = max(self._until.get(what, 0.0), self.clock() + RESTS_FOR * cost_s)

    def rests_s(self, *whats: Hashable) -> float:
        """For how many more seconds one of them is left alone; 0 where none is."""
        now = self.clock()
        return max(0.0, *(self._until.get(what, 0.0) - now for what in whats))


PATIENCE = Patience()
