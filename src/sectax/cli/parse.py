"""Parse option values: shares, durations, levels, conditions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sectax.model.condition import SHARE, Condition
from sectax.model.errors import WrongUse
from sectax.model.plan import FIRST_LOOK, Stopping, Until
from sectax.text.near import did_you_mean
from sectax.text.spans import seconds

# Below this margin no shared machine can measure; above the largest, everything would be equal.
SMALLEST_MARGIN = 0.001
LARGEST_MARGIN = 0.5
LARGEST_LIMIT = 100.0
MOST_BLOCKS = 10_000


def replaced(word: str, by: Mapping[str, str]) -> str:
    """Replace texts in a word."""
    for text, other in by.items():
        word = word.replace(text, other)
    return word


def margin(text: str) -> float:
    """Parse `2%` as 0.02."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*", text)
    if match is None:
        raise WrongUse(f"--margin {text!r} is not a percentage", "write --margin 2%")
    value = float(match[1]) / 100
    if value and not match[2]:
        shares = [f"{100 * share:g}%" for share in (value, 100 * value) if SMALLEST_MARGIN <= share <= LARGEST_MARGIN]
        hint = f"write --margin {' or --margin '.join(shares or ['2%'])}"
        raise WrongUse(f"--margin {text.strip()} has no %: it is a percentage", hint)
    if not SMALLEST_MARGIN <= value <= LARGEST_MARGIN:
        raise WrongUse(
            f"--margin {text.strip()} is not between {SMALLEST_MARGIN:.1%} and {LARGEST_MARGIN:.0%}",
            "it is the smallest cost that matters to you; 2% is the default",
        )
    return value


def rate(text: str) -> float:
    """Parse `1000/s`, `1,000/s` or `1000` as a rate per second."""
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,6})?)\s*(?:/\s*s(?:ec)?)?\s*", plain)
    if match is None or float(match[1]) == 0:
        raise WrongUse(f"--rate {text!r} is not a rate per second", "write --rate 1000/s")
    return float(match[1])


def counts(options: Mapping[str, float | None]) -> dict[str, float]:
    """The number of each operation, all or none given. Raises `WrongUse`."""
    named = {name: number for name, number in options.items() if number is not None}
    if missing := [f"--{name}" for name in options if named and name not in named]:
        raise WrongUse(f"{', '.join(missing)} is missing", f"give a number, as in {missing[0]} 20, or 0")
    if named and not any(named.values()):
        raise WrongUse(f"--{' and --'.join(named)} are all 0", "give numbers, as in --sign 1 --verify 20")
    return named


def levels(texts: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Parse `factor=a,b` as factor -> levels."""
    chosen: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, separator, values = text.partition("=")
        names = tuple(value.strip() for value in values.split(",") if value.strip())
        if not separator or not name.strip() or not names:
            raise WrongUse(f"--level {text!r} is not FACTOR=LEVEL,LEVEL", "write --level algorithm=RS256,EdDSA")
        if name.strip() in chosen:
            raise WrongUse(f"--level {name.strip()} was given twice", "list its levels in one, separated by commas")
        twice = next((level for at, level in enumerate(names) if level in names[:at]), None)
        if twice is not None:
            raise WrongUse(f"--level {name.strip()} names {twice} twice", "name each level once")
        chosen[name.strip()] = names
    return chosen


_COSTLIER = {"slower": True, "costlier": True, "larger": True, "faster": False, "cheaper": False, "smaller": False}
# Unit of a limit -> its size in the base unit, and the base unit.
_UNITS = {
    **{name: (size, "s") for name, size in (("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0))},
    **{name: (size, "B") for name, size in (("B", 1.0), ("kB", 1e3), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9))},
    **{f"{prefix}iB": (1024.0**power, "B") for power, prefix in enumerate("KMG", 1)},
}
_UNITS |= {
    **{f"{name}/s": (size, "B/s") for name, (size, base) in _UNITS.items() if base == "B"},
    "/s": (1.0, "operations/s"),
    "USD": (1.0, "USD"),
    "": (1.0, ""),
}
# [about what] slower > 5 %, [about what] metric > +12 ms; --fail-if, --limit and files of limits share it.
CONDITION = (
    r"(?P<words>[^<>]*[^<>\s:])\s*:?\s*(?P<sign>[<>])\s*(?P<more>\+?)\s*(?P<number>\d+(\.\d+)?)"
    r"\s*(?P<unit>%|[A-Za-zµ]*(/\s*s)?)(\s+(a|per) million)?"
)


def condition(text: str, option: str = "--fail-if") -> Condition:
    """Parse a condition, such as `cpu:slower>5%`, `p99 > 12 ms` or `bill > 2 USD`.

    Args:
        option: the option or file that it is from.
    """
    match = re.fullmatch(CONDITION, text.strip())
    *about, word = re.split(r"[\s:]+", match["words"].strip()) if match else [""]
    unit = re.sub(r"\s", "", match["unit"] or "") if match else ""
    costlier, more = _COSTLIER.get(word.lower()), match is not None and bool(match["more"])
    is_share = unit == SHARE
    if match is None or (unit not in _UNITS and not is_share) or (is_share and costlier is None and not more):
        hint = "write 'slower>5%', 'memory > +10%' or 'cpu > 12ms', one condition each"
        if match is not None and is_share:
            hint = f"an increase of a metric is written with +: '{word} > +{match['number']}%'"
            hint = did_you_mean(word, _COSTLIER, "") or hint
        raise WrongUse(f"{option} {text!r} is not a condition", hint)
    number = float(match["number"])
    if not is_share:
        if costlier is not None or (number == 0 and match["sign"] == "<"):
            raise WrongUse(f"{option} {text.strip()} has no %", "write 'slower>5%'")
        size, base = _UNITS[unit]
        # A limit of 0 is about the increase over the baseline.
        return Condition(
            match["sign"] == ">", number * size, word, text.strip(), tuple(about), base, growth=more or not number
        )
    limit = number / 100
    if match["sign"] == "<":
        raise WrongUse(
            f"{option} {text.strip()}: a limit is a maximum",
            f"write it with >, as in '{text.strip().replace('<', '>')}'",
        )
    if not SMALLEST_MARGIN <= limit <= LARGEST_LIMIT:
        raise WrongUse(
            f"{option} {text.strip()}: {match['number']}% is not between {SMALLEST_MARGIN:.1%} and {LARGEST_LIMIT:.0%}",
            "write a limit such as 'slower>5%'",
        )
    if costlier is None:
        about, costlier = [*about, word], True
    return Condition(costlier, limit, about.pop() if about else "", text.strip(), tuple(about))


def stopping(
    margin_text: str,
    budget: str | None,
    blocks: int | None,
    max_blocks: int | None,
    until: str | None,
    precise: bool,
) -> Stopping:
    """The stopping rule. Raises `WrongUse` for contradicting options."""
    if blocks is not None and (budget is not None or max_blocks is not None):
        raise WrongUse(
            "--blocks fixes the number of blocks, and excludes --budget and --max-blocks",
            "leave one of them out",
        )
    for option, number in (("--blocks", blocks), ("--max-blocks", max_blocks)):
        if number is not None and not FIRST_LOOK <= number <= MOST_BLOCKS:
            longer = "--precise --budget 1h continues until the intervals are narrow"
            hint = "fewer blocks give no verdict" if number < FIRST_LOOK else longer
            raise WrongUse(f"{option} {number} is not between {FIRST_LOOK} and {MOST_BLOCKS}", hint)
    rules = Stopping(
        margin=margin(margin_text),
        max_blocks=max_blocks if blocks is None else blocks,
        fixed_blocks=blocks,
        budget_s=seconds(budget, "--budget") if budget is not None else None,
        until=Until.PRECISE if precise else Until(until or Until.VERDICT),
    )
    if precise and until is not None:
        raise WrongUse(f"--precise and --until {until} are two stopping rules", "leave one of them out")
    if blocks is not None and (precise or until is not None):
        named = "--precise" if precise else f"--until {until}"
        raise WrongUse(f"--blocks fixes the number of blocks, and excludes {named}", "leave one of them out")
    return rules
