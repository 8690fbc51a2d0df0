"""What new connections cost: in requests, in processors, in bytes on a slow line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sectax.model.advice import Connection
from sectax.model.finding import Estimate
from sectax.model.plan import Plan
from sectax.reports.document import Block, grid, lines
from sectax.reports.words import names
from sectax.text import units

RATES_S = (100, 1_000, 10_000)
# The rate that a sentence is about, and the most setups that it names.
_USUAL_S, _NAMED = 1_000, 3
_SLOW_BIT_S = 1e6
# What a server sends before it must wait for an acknowledgement: RFC 6928, and an Ethernet's segment over IPv4.
_WINDOW = 10 * 1460


def sentences(plan: Plan, connections: Sequence[Connection]) -> Iterator[str]:
    """Whether connections are worth keeping, and what a rate of new ones takes of the server."""
    secure = [connection for connection in connections if connection.sent is not None or connection.requests is None]
    if not secure:
        return
    longest = [
        f"{_name(plan, connection)} {_number(times)}"
        for connection in secure[:_NAMED]
        if (times := connection.requests) and (times.low or times.point) > 1
    ]
    if longest:
        advice = "Keep connections open: a new one takes as long as several requests over an open one"
        yield f"{advice} ({', '.join(longest)})."
    cores = [f"{_name(plan, connection)} {_number(connection.server_cpu, _USUAL_S)}" for connection in secure]
    yield f"Server processors busy at {_USUAL_S:,} new connections a second: {', '.join(cores)}."


def tables(plan: Plan, connections: Sequence[Connection]) -> Iterator[Block]:
    """Time, requests and processors; then bytes, and what they mean on a slow line."""
    if not connections:
        return
    as_long = any(connection.requests for connection in connections)
    requests = ("requests",) if as_long else ()
    heads = (plan.control, "new, ms", *requests, "client CPU", "server CPU", *(f"{rate:,}/s" for rate in RATES_S))
    times = (
        (
            _name(plan, connection),
            _milliseconds(connection.new.point),
            *((_number(connection.requests) if connection.requests else "",) if as_long else ()),
            _milliseconds(connection.client_cpu.point),
            _milliseconds(connection.server_cpu.point),
            *(f"{connection.server_cpu.point * rate:.2g}" for rate in RATES_S),
        )
        for connection in connections
    )
    yield grid("", heads, times)
    about = "CPU in ms; /s: server processors busy at this rate of new connections"
    if as_long:
        about = f"requests: how many over an open connection take as long; {about}"
    yield from lines((about,), long=True)
    sizes = [
        (
            _name(plan, connection),
            f"{sent.point:,.0f}",
            f"{received.point:,.0f}",
            f"{_milliseconds((sent.point + received.point) * 8 / _SLOW_BIT_S)} ms",
            str(more_trips(received.point)),
        )
        for connection in connections
        if (sent := connection.sent) is not None and (received := connection.received) is not None
    ]
    if sizes:
        yield grid("", (plan.control, "sent B", "received B", "at 1 Mbit/s", "round trips more"), sizes)
        about = (
            "computed from the measured bytes: without TCP's headers; a server that begins sends 10 segments at once"
        )
        yield from lines((about,), long=True)


def more_trips(received: float) -> int:
    """Round trips that the server's part needs beyond one, since its window begins small and doubles."""
    return max(0, math.ceil(math.log2(received / _WINDOW + 1)) - 1) if received > 0 else 0


def _name(plan: Plan, connection: Connection) -> str:
    return names.in_cell(plan, connection.cell, connection.treatment)


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.3g}"


def _number(estimate: Estimate, times: float = 1.0) -> str:
    """A figure with its interval."""
    if estimate.low is None or estimate.high is None:
        return f"{estimate.point * times:.2g}"
    return units.span(estimate.low * times, estimate.high * times)
