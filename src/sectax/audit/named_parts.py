"""Operations that hold another by their names: 'push and pop' and 'push', `EncodeDecode` and `Encode`, 'hash+sign'."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure, Quantity
from sectax.audit.grouping import seconds_per_operation

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|\+")
_AND = frozenset({"and", "then", "plus", "+"})
# Of these the second undoes the first: who names both does one after the other. Reads and writes may be a mixture.
_UNDONE_BY = {
    "push": "pop",
    "enqueue": "dequeue",
    "encode": "decode",
    "marshal": "unmarshal",
    "serialize": "deserialize",
    "encrypt": "decrypt",
    "compress": "decompress",
    "sign": "verify",
    "seal": "open",
    "lock": "unlock",
    "acquire": "release",
    "alloc": "free",
    "create": "destroy",
    "open": "close",
    "pack": "unpack",
    "wrap": "unwrap",
    "send": "receive",
}
_ROUND = ("round", "trip")
# More words make no name of an operation.
_MOST_WORDS = 20


def named_parts(evidence: Evidence) -> Iterator[tuple[Figure, Figure]]:
    """Figures of a whole and of a part of it by their names, which differ in nothing else."""
    found: dict[object, Figure] = {}
    wholes: list[tuple[Figure, str, list[tuple[str, ...]]]] = []
    for figure in evidence.printed:
        if figure.quantity not in (Quantity.TIME, Quantity.RATE) or not (seconds_per_operation(figure) or 0.0) > 0:
            continue
        if figure.statistic not in (None, "mean", "median", "rate"):
            continue
        for factor, level in figure.levels.items():
            words = tuple(word.lower() for word in _WORD.findall(level[:200]))[:_MOST_WORDS]
            found.setdefault(_key(figure, factor, words), figure)
            if parts := _parts(words):
                wholes.append((figure, factor, parts))
    for whole, factor, parts in wholes:
        for words in parts:
            part = found.get(_key(whole, factor, words))
            if part is not None and part is not whole:
                yield whole, part


def _key(figure: Figure, factor: str, words: tuple[str, ...]) -> object:
    others = frozenset(item for item in figure.levels.items() if item[0] != factor)
    return figure.table, figure.metric, figure.statistic, factor, others, words


def _parts(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The names of the parts of what has this name; none where it is no whole by its name."""
    found = []
    for at, word in enumerate(words):
        before, after = words[:at], words[at + 1 :]
        if word in _AND and before and after:
            # 'get and set', 'list push and pop': what stands before may be of both.
            found += [before, after, (*before[:-1], *after)]
        elif after and _UNDONE_BY.get(word) == after[0]:
            found += [(*before, word, *after[1:]), (*before, *after)]
        elif (word, *after[:1]) == _ROUND or word == "roundtrip":
            rest = after[1:] if word == _ROUND[0] else after
            for first, second in _UNDONE_BY.items():
                found += [(*before, each, *rest) for each in (first, second)]
    return [each for each in found if each]
