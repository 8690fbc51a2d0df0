"""Amounts of work that names and levels tell, and figures that differ in nothing but these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure, Moves, Quantity
from sectax.audit.grouping import seconds_per_operation

# Of the time of less work, that more of it may take: of twice as much, and of a tenth more.
FALLS_OF_TWICE, FALLS_OF_MORE, A_TENTH_MORE = 0.8, 0.6, 1.1
# So many times the work in the same time is none, where operations are not of those that need no longer.
FLAT_OVER, SAME = 1000.0, 1.1
# So many times, where the user says that it is the size.
FLAT_OVER_SIZES = 10.0
# Names without a word for an amount must go through so many times, in three steps, that no other number does.
SPAN_OF_BARE_NAMES = 100.0

_NUMBER = re.compile(r"\d{1,12}(?:[_,]\d{3})*")
_THOUSANDS = {"k": 1e3, "m": 1e6}
# Factors that importers make of parts of a name.
_OF_A_NAME = re.compile(r"(?:sub\d+|function|name|benchmark|type|command|test)$")
# Numbers that are no amount of work, and amounts that are to make it faster.
_NO_AMOUNT = re.compile(
    r"(?i)thread|worker|client|core|host|node|conn|proc|cpu|parallel|concurr|routine|batch|buf|cache|block|chunk|pool"
    r"|capacity|shard|part|page|window|depth|level|limit|timeout|interval|rate|ratio|percent|seed|replica|fan|bit|sha"
    r"|aes|rsa|blake|md5|crc|curve|ed25519|simd|sse|avx|base|utf|float|version|year|stride|step|unroll|order|mod|hit"
    r"|miss|prob|dens|spars|max|min|gap|delay|sleep|user|unit|width|prefix|suffix|trial|run|iter|seq|round|(?:id|per)(?![a-z])"
)
_AMOUNT = re.compile(
    r"(?i)(?:^|[^a-z])(?:n|size|sizes|len|length|rows?|count|bytes?|[kmg]i?b|elements?|elems?|items?|entries|records?"
    r"|lines?|digits|points|list|array|input|msg|messages?|payload|num|numbers?|vertices|edges|keys|values|words?|chars?"
    r"|files?|objects?|docs|documents|fields|cols|columns|tokens|nodes)(?:[^a-z]|$)"
)
# Operations that take no longer in a larger structure.
_CONSTANT = re.compile(
    r"(?i)get|set|lookup|find|search|contain|has(?!h)|exist|push|pop|insert|put|add|append|peek|len|index|hash|access"
    r"|next|alloc|new|init|lock|read|write|load|store|delete|remove|update|query|rand|connect|open|close|select"
)


@dataclass(frozen=True)
class Amount:
    """A figure, and how much work a level of it tells; in *factor*, whose level is otherwise *stem*."""

    figure: Figure
    amount: float
    factor: str
    stem: str

    @property
    def seconds(self) -> float:
        return seconds_per_operation(self.figure) or 0.0


def rising(evidence: Evidence) -> Iterator[list[Amount]]:
    """Figures that differ in one amount of work alone, two or more of it, rising."""
    told = [
        amount
        for figure in evidence.printed
        if figure.quantity in (Quantity.TIME, Quantity.RATE)
        and figure.statistic in (None, "mean", "median", "rate")
        and figure.circumstances.moves is not Moves.METADATA
        and (seconds_per_operation(figure) or 0.0) > 0
        for amount in _amounts(figure)
    ]

    def rest(each: Amount) -> tuple[object, ...]:
        of = each.figure
        others = frozenset(item for item in of.levels.items() if item[0] != each.factor)
        return of.table, of.metric, of.statistic, others, each.factor, each.stem

    groups: dict[object, list[Amount]] = {}
    for each in told:
        groups.setdefault(rest(each), []).append(each)
    for group in groups.values():
        amounts = {each.amount for each in group}
        bare = not _AMOUNT.search(_apart(f"{group[0].factor} {group[0].stem}")) and bool(group[0].stem)
        if len(amounts) < 2 or (bare and (len(amounts) < 3 or max(amounts) < SPAN_OF_BARE_NAMES * min(amounts))):
            continue
        yield sorted(group, key=lambda each: each.amount)


def _amounts(figure: Figure) -> Iterator[Amount]:
    for factor, level in figure.levels.items():
        numbers = list(_NUMBER.finditer(level[:200]))
        if len(numbers) != 1 or factor == "procs":
            continue
        found = numbers[0]
        before, after = level[: found.start()], level[found.end() :]
        if (before.endswith((".", "-")) and before[-2:-1].isdigit()) or after.startswith("."):
            continue
        scale = 1.0
        if after[:1].lower() in _THOUSANDS and not after[1:2].isalpha():
            scale, after = _THOUSANDS[after[0].lower()], after[1:]
        stem = f"{before} {after}".strip()
        named = "" if _OF_A_NAME.match(factor) else factor
        # What the number is of stands in its factor, beside it, or in the rest of the name.
        near = _apart(f"{named} {stem}")
        if _NO_AMOUNT.search(near) or (not _AMOUNT.search(near) and _NO_AMOUNT.search(figure.id)):
            continue
        if named and not _AMOUNT.search(_apart(named)):
            continue
        amount = scale * float(re.sub(r"[_,]", "", found[0]))
        if amount > 0:
            yield Amount(figure, amount, factor, stem)


def _apart(name: str) -> str:
    """A name whose words are told by capitals, with blanks between them."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)


def falls(group: list[Amount]) -> tuple[Amount, Amount] | None:
    """Less work and more of it in clearly less time, where that falls most; None where it does not."""
    worst: tuple[float, Amount, Amount] | None = None
    for least, most in ((2.0, FALLS_OF_TWICE), (A_TENTH_MORE, FALLS_OF_MORE)):
        slowest: Amount | None = None
        at = 0
        for many in group:
            while group[at].amount * least <= many.amount:
                slowest = group[at] if slowest is None or group[at].seconds > slowest.seconds else slowest
                at += 1
            if slowest is None or many.seconds > most * slowest.seconds or overlap(slowest.figure, many.figure):
                continue
            share = many.seconds / slowest.seconds
            if worst is None or share < worst[0]:
                worst = share, slowest, many
    return None if worst is None else worst[1:]


def overlap(slow: Figure, fast: Figure) -> bool:
    """Whether single values of a slower and a faster figure are not apart."""
    if len(slow.values) < 2 or len(fast.values) < 2:
        return False
    if slow.quantity is Quantity.RATE:
        slow, fast = fast, slow
    return min(slow.values) <= max(fast.values)


def is_flat(group: list[Amount]) -> bool:
    """Whether a thousand times the work take the same time, of an operation that must take longer for more.

    Where the user says that it is the size, ten times are enough, and the least sizes may be the flat ones.
    """
    few = group[0]
    told = all(each.figure.circumstances.size_bytes is not None for each in group)
    flat = [
        at
        for at in range(1, len(group))
        if (told or at == len(group) - 1)
        and max(each.seconds for each in group[: at + 1]) <= SAME * min(each.seconds for each in group[: at + 1])
    ]
    over = FLAT_OVER_SIZES if told else FLAT_OVER
    return bool(flat) and group[flat[-1]].amount >= over * few.amount and not _CONSTANT.search(few.figure.id)
