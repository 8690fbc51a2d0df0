"""Load of a service: concurrency, and a closed loop or a schedule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sectax.experiments.interface import Option
from sectax.model.errors import WrongUse

# A closed loop: an operation begins when the one before ended. Other levels of the factor are rates.
CLOSED = "closed"
# A batch of concurrent operations is this many times the concurrency, plus a ramp of one more at either end.
GENERATIONS = 10
# Default limit on concurrent operations of a schedule.
OPEN_CONCURRENCY = "16"
# Batches of overlapping operations must be long enough for many of them.
OVERLAPPING_S = 0.05

CLIENTS = Option("clients", "share the load among N client processes, here or on the workers of --on", "N")

_MOST_AT_ONCE = 256
_MOST_CLIENTS = 64
_RATE = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)/s", re.ASCII)
_FASTEST = 100_000.0


def concurrency_levels(requested: tuple[str, ...]) -> tuple[str, ...]:
    """Parse levels of the factor concurrency. Raises `WrongUse`."""
    for text in requested:
        if not (text.isdecimal() and text.isascii() and 1 <= int(text) <= _MOST_AT_ONCE):
            raise WrongUse(
                f"the factor concurrency has no level {text!r}", f"give a whole number from 1 to {_MOST_AT_ONCE}"
            )
    return tuple(sorted({str(int(text)) for text in requested}, key=int))


def target_rate(level: str) -> float:
    """Operations per second of `50/s`; 0 for a closed loop. Raises `WrongUse`."""
    if level == CLOSED:
        return 0.0
    match = _RATE.fullmatch(level)
    rate = float(match[1]) if match else 0.0
    if not 0 < rate <= _FASTEST:
        raise WrongUse(
            f"the factor load has no level {level!r}",
            f"give {CLOSED} (each operation begins when the last one ended), or a rate such as 50/s",
        )
    return rate


def load_levels(requested: tuple[str, ...]) -> tuple[str, ...]:
    """Parse levels of the factor load, the closed loop first. Raises `WrongUse`."""
    return tuple(sorted(dict.fromkeys((CLOSED,) if requested == ("all",) else requested), key=target_rate))


def client_count(options: Mapping[str, tuple[str, ...]]) -> int:
    """Number of client processes, by default one. Raises `WrongUse`."""
    (text,) = options.get(CLIENTS.name, ("1",))[-1:]
    if not (text.isdecimal() and text.isascii() and 1 <= int(text) <= _MOST_CLIENTS):
        raise WrongUse(f"--clients {text} is not a valid number", f"give a whole number from 1 to {_MOST_CLIENTS}")
    return int(text)


def check_shares(clients: int, concurrency: Sequence[str], load: Sequence[str]) -> None:
    """Reject a load that the clients cannot share equally. Raises `WrongUse`."""
    least = clients if any(map(target_rate, load)) else 2 * clients
    if clients > 1 and (uneven := [level for level in concurrency if int(level) % clients or int(level) < least]):
        raise WrongUse(
            f"{clients} clients cannot share a concurrency of {uneven[0]} equally",
            f"--level concurrency={2 * clients} gives each client 2",
        )


def clients_note(clients: int) -> str:
    """Scope sentence for several clients; empty for one."""
    return f" The {clients} clients share the load, and those on one machine its processors." if clients > 1 else ""


def in_flight(levels: Mapping[str, str]) -> int:
    """Operations always in flight in a closed loop; 1 on a schedule."""
    return int(levels["concurrency"]) if levels["load"] == CLOSED else 1
