"""Short wording for figures, amounts and lists of names."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sectax.text import units

# The subject of remarks on the source as a whole.
EVERYTHING = "all figures"
_MOST_PER_CENT = 1_000_000
_COUNTED = 1000
# The longest name printed in a list.
_LONGEST = 100
# From this ratio on, 'times as slow' is easier to read than per cent.
_TIMES = 3.0


def named(names: Iterable[str], most: int = 3) -> str:
    """List a few names and count the rest; a shared prefix is printed once."""
    every = list(dict.fromkeys(names))
    heads = {name.rpartition(": ")[0] for name in every}
    shared = f"{heads.pop()}: " if len(every) > 1 and len(heads) == 1 and "" not in heads else ""
    plain = [name.removeprefix(shared) for name in every[:most]]
    # A level may be a whole sentence.
    shown = [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in plain]
    more = [f"and {len(every) - len(shown)} more"] if len(shown) < len(every) else []
    return shared + "; ".join([*shown, *more])


def tables_subject(tables: Iterable[str]) -> str:
    """Name the tables that a remark is about."""
    different = dict.fromkeys(tables)
    return ", ".join(different) if len(different) <= 4 else EVERYTHING


def counted(number: float, noun: str) -> str:
    """'1 value', '12 values'."""
    return f"{number:,.0f} {noun if number == 1 else plural(noun)}"


def number(value: float) -> str:
    """Format with three significant digits, or as a whole number from 1,000."""
    if abs(value) >= _COUNTED:
        return f"{value:,.0f}"
    return units.digits(value, 12 if float(value).is_integer() else 3)


def percent(log_ratio: float) -> str:
    """Format a log ratio as a change in per cent: '+5.3 %', '+1,600 %'."""
    return f"{'+' if log_ratio >= 0 else '-'}{share(abs(math.expm1(min(log_ratio, 100))))}"


def share(part: float) -> str:
    """Format a non-negative share in per cent with two significant digits."""
    hundredths = float(f"{100 * part:.2g}")
    if hundredths > _MOST_PER_CENT:
        return f"over {_MOST_PER_CENT:,} %"
    return f"{hundredths:,.0f} %" if hundredths >= 10 else f"{hundredths:g} %"


def slower(log_ratio: float) -> str:
    """Compare a slower time: '5.3 % slower than', '170 times as slow as'."""
    ratio = math.exp(min(log_ratio, 100))
    return f"{share(ratio - 1)} slower than" if ratio < _TIMES else f"{number(ratio)} times as slow as"


def duration(seconds: float) -> str:
    """Format a time in its natural unit: '12 µs', '1.5 ms', '3.09 s'."""
    if seconds < 0:
        return f"-{duration(-seconds)}"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{number(seconds / scale)} {unit}"
    return f"{number(seconds / 1e-9)} ns" if seconds > 0 else "0 s"


def bandwidth(bytes_s: float) -> str:
    return f"{number(bytes_s / 1e9)} GB/s"


def plural(unit: str) -> str:
    """'process or host' as 'processes or hosts', 'pair of VMs' as 'pairs of VMs'."""
    if " or " in unit:
        return " or ".join(plural(noun) for noun in unit.split(" or "))
    head, separator, rest = unit.partition(" of ")
    return f"{head}{'es' if head.endswith(('s', 'x', 'ch', 'sh')) else 's'}{separator}{rest}"
