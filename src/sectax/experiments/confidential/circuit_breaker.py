"""Back-off for hosts and tests that hang, to save the run's time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

# After two hangs, back off for this multiple of the time waited: hangs take a tenth of a run at most.
BACK_OFF_FACTOR = 10.0


@dataclass
class CircuitBreaker:
    """Hangs since the last answer, and back-off times, by key."""

    clock: Callable[[], float] = time.monotonic
    _hangs: Counter[Hashable] = field(default_factory=Counter)
    _until: dict[Hashable, float] = field(default_factory=dict)

    def hung(self, key: Hashable, cost_s: float) -> None:
        """Note a hang that cost this time; the first one is retried at once."""
        self._hangs[key] += 1
        if self._hangs[key] > 1:
            self._until[key] = self.clock() + BACK_OFF_FACTOR * cost_s

    def answered(self, *keys: Hashable) -> None:
        """Forget the hangs of these keys."""
        for key in keys:
            self._hangs.pop(key, None)
            self._until.pop(key, None)

    def has_hung(self, key: Hashable) -> bool:
        """Whether it has hung since its last answer."""
        return key in self._hangs

    def back_off_s(self, *keys: Hashable) -> float:
        """Remaining back-off time of any of these keys; 0 for none."""
        now = self.clock()
        return max(0.0, *(self._until.get(key, 0.0) - now for key in keys))


CIRCUIT_BREAKER = CircuitBreaker()
