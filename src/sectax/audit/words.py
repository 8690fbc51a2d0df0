"""Figures and amounts in few words: a table of a hundred figures gets one warning, not a hundred."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sectax.audit.figure import Figure

# The subject of what concerns the source as a whole.
EVERYTHING = "all figures"

_MOST_NAMED = 3
_MOST_TABLES = 4
_MOST_BLOCKS = 6


def ids(figures: Iterable[Figure]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(figure.id for figure in figures))


def subject(figures: Iterable[Figure]) -> str:
    """The tables that the figures are of, where they are few."""
    tables = dict.fromkeys(figure.table for figure in figures)
    return ", ".join(tables) if len(tables) <= _MOST_TABLES else EVERYTHING


def named(figures: Iterable[Figure]) -> str:
    """A few of the figures by name, and how many more there are. Where all are of one table, it goes without saying."""
    every = list(figures)
    tables = {figure.table for figure in every}
    table = f"{tables.pop()}: " if len(tables) == 1 else ""
    names = [each.removeprefix(table) for each in ids(every)]
    more = len(names) - _MOST_NAMED
    return "; ".join(names[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")


def first_of(figures: Iterable[Figure]) -> str:
    """The first by name, and how many more there are."""
    first, *others = ids(figures)
    return f"{first}; and {len(others)} more" if others else first


def number(value: float) -> str:
    """Three significant digits."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:g}"


def percent(log_ratio: float) -> str:
    """A change in logs, in per cent."""
    return f"{100 * math.expm1(min(log_ratio, 100)):+.2g} %"


def bandwidth(bytes_s: float) -> str:
    return f"{number(bytes_s / 1e9)} GB/s"


def plural(unit: str) -> str:
    """'process or host' as 'processes or hosts', 'pair of VMs' as 'pairs of VMs'."""
    if " or " in unit:
        return " or ".join(plural(each) for each in unit.split(" or "))
    head, of, rest = unit.partition(" of ")
    return f"{head}{'es' if head.endswith(('s', 'x', 'ch', 'sh')) else 's'}{of}{rest}"


def blocks_named(blocks: Iterable[int]) -> str:
    """'block 3', 'blocks 1 to 4, 7 and 9': neighbours together."""
    numbers = sorted(set(blocks))
    runs: list[list[int]] = []
    for each in numbers:
        if runs and each == runs[-1][-1] + 1:
            runs[-1].append(each)
        else:
            runs.append([each])
    parts = [part for run in runs for part in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    more = len(parts) - _MOST_BLOCKS
    shown = [*parts[:_MOST_BLOCKS], f"{more} more"] if more > 1 else parts
    listed = f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)
    return f"block{'' if len(numbers) == 1 else 's'} {listed}"
