"""How requests are sent: how many at once, and whether one after the other or on schedule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sectax.experiments.interface import Option
from sectax.model.errors import WrongUse

# Each operation begins when one before it ended; any other level of the factor is a rate at which they are sent.
CLOSED = "closed"
# Of as many operations as run at once, so many follow each other in a batch; before and after them one more each.
GENERATIONS = 10
# Where operations are sent on schedule and nobody says how many may run at once.
OPEN_CONCURRENCY = "16"
# A turn has to hold many of operations that overlap.
OVERLAPPING_S = 0.05

CLIENTS = Option("clients", "share the load among N client processes, here or on the workers of --on", "N")

_MOST_AT_ONCE = 256
_MOST_CLIENTS = 64
_RATE = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)/s", re.ASCII)
_FASTEST = 100_000.0


def concurrency_levels(requested: tuple[str, ...]) -> tuple[str, ...]:
    """The numbers of operations at once that were asked for. Raises `WrongUse`."""
    for text in requested:
        if not (text.isdecimal() and text.isascii() and 1 <= int(text) <= _MOST_AT_ONCE):
            raise WrongUse(
                f"the factor concurrency has no level {text!r}", f"how many operations at once: 1 to {_MOST_AT_ONCE}"
            )
    return tuple(sorted({str(int(text)) for text in requested}, key=int))


def target_rate(level: str) -> float:
    """Operations per second of a level as in `50/s`; 0 of a closed loop. Raises `WrongUse`."""
    if level == CLOSED:
        return 0.0
    match = _RATE.fullmatch(level)
    rate = float(match[1]) if match else 0.0
    if not 0 < rate <= _FASTEST:
        raise WrongUse(
            f"the factor load has no level {level!r}",
            f"it is {CLOSED} (each operation begins when the last one ended), or a rate as in 50/s",
        )
    return rate


def load_levels(requested: tuple[str, ...]) -> tuple[str, ...]:
    """The loads that were asked for, the closed loop first. Raises `WrongUse`."""
    return tuple(sorted(dict.fromkeys((CLOSED,) if requested == ("all",) else requested), key=target_rate))


def client_count(options: Mapping[str, tuple[str, ...]]) -> int:
    """The client processes that share the load; one where nothing is said. Raises `WrongUse`."""
    (text,) = options.get(CLIENTS.name, ("1",))[-1:]
    if not (text.isdecimal() and text.isascii() and 1 <= int(text) <= _MOST_CLIENTS):
        raise WrongUse(f"--clients {text} is not a number of clients", f"give a whole number from 1 to {_MOST_CLIENTS}")
    return int(text)


def check_shares(clients: int, concurrency: Sequence[str], load: Sequence[str]) -> None:
    """Refuse a load that several clients cannot share equally. Raises `WrongUse`."""
    least = clients if any(map(target_rate, load)) else 2 * clients
    if clients > 1 and (uneven := [level for level in concurrency if int(level) % clients or int(level) < least]):
        raise WrongUse(
            f"{clients} clients cannot share {uneven[0]} request{'' if uneven[0] == '1' else 's'} at once equally",
            f"--level concurrency={2 * clients} gives each of them 2",
        )


def of_clients(clients: int) -> str:
    """What several clients mean for what a run says; empty for one."""
    return f" The {clients} clients share the load, and those of one machine its processors." if clients > 1 else ""


def in_flight(levels: Mapping[str, str]) -> int:
    """How many operations are always under way; on a schedule none has to wait for another."""
    return int(levels["concurrency"]) if levels["load"] == CLOSED else 1
