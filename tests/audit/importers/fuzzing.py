"""Damaged outputs of a tool, a hundred thousand of them in a minute: what happens to files, and what people put in."""

from __future__ import annotations

import copy
import gc
import json
import marshal
import random
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any
from unittest import mock

import numpy as np

# Checks bring these when they first need them, which is not the time of the input that they look at then.
import sectax.stats.diagnostics
import sectax.stats.single_values  # noqa: F401
from sectax.audit.importers import own_lines
from sectax.audit.importers.columns import Columns
from sectax.audit.importers.parts import Importer
from sectax.audit.importers.registry import choose, read
from sectax.audit.registry import review
from sectax.formats.bad_input import BadInput
from tests.audit.importers.samples import FILES, sample

NUMBER = re.compile(r"\d+(?:\.\d+)?")
ODD = ("0", "-1", "1e308", "9" * 400, "nan", "-nan", "inf", "", "1,5", "0.0", "1e-320", "x", "1_000", "٣", "00")
PIECES = (
    " ",
    "\t",
    "\n",
    "\0",
    "\x1b[31m",
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    ",",
    ";",
    "%",
    "µ",
    "é",
    "😀",
    "=",
    "/",
    ":",
)
# Longer inputs show no more, and take longer.
LONGEST = 4000
# How much a check may be asked of each input: all of them in one of so many.
CHECKED = 20
# Of processor time: of 1 MB, and what a busy machine adds to any input.
SECONDS_PER_MB, SECONDS_OF_ANY = 1.0, 0.5

# What stands in a JSON in place of a value, at any depth.
VALUES = (None, True, 0, -1, 1.5, 1e308, 10**30, "", "x", "1", [], {}, [1, "x"], {"a": None})

COLUMNS = Columns(value="elapsed", unit="ms", by=("arm",))
TABLE = "arm,host,elapsed\n" + "".join(f"{'ab'[at % 2]},h{at % 3},{1 + at % 7 / 10}\n" for at in range(60))


def texts(format_: str) -> list[str]:
    """The samples of a format; long ones in two parts."""
    if format_ == "csv":
        return [TABLE, TABLE.replace(",", ";"), f"# sectax: value=elapsed unit=ms by=arm\n{TABLE}"]
    kinds = {"lambda": ("lambda",), "openssl-speed": ("openssl",), "go-bench": ("go",), "hey": ("hey", "oha")}.get(
        format_, (format_,)
    )
    found = [sample(name) for name in FILES if name.startswith(kinds)]
    # A part of a JSON is none: what is damaged would be refused before it was read.
    return [
        part
        for text in found
        for part in ([text] if text.lstrip()[:1] in ("{", "[") else sorted({text[:LONGEST], text[-LONGEST:]}))
    ]


def damaged(rng: random.Random, of: list[str]) -> str:
    """One of these texts to which one to five things have happened.

    Of JSON nearly every damage to the text ends in the same refusal, so every second one is damaged as a tree.
    """
    text = rng.choice(of)
    if text.startswith("{") and rng.random() < 0.5:
        return _other_tree(rng, text)
    for _ in range(rng.randint(1, 5)):
        text = _damage(rng, text, of)
    return text[: 4 * LONGEST]


def _damage(rng: random.Random, text: str, of: list[str]) -> str:
    at = rng.randrange(len(text) + 1)
    match rng.randrange(9):
        case 0:
            return text[:at]
        case 1:
            return text[:at] + rng.choice(PIECES) * rng.choice((1, 1, 2, 50, 2000)) + text[at:]
        case 2:
            return text[:at] + text[at + rng.randint(1, 40) :]
        case 3:
            return text[:at] + chr(rng.randrange(1, 0x3000)) + text[at + 1 :]
        case 4 | 5:
            one = _number(rng, text)
            if one is None:
                return text
            other = None if rng.random() < 0.5 else _number(rng, text)
            return text[: one.start()] + (rng.choice(ODD) if other is None else other[0]) + text[one.end() :]
        case 6:
            lines = text.split("\n")
            one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[one] = lines[other] if rng.random() < 0.5 else lines[one] + lines[other]
            return "\n".join(lines)
        case 7:
            return text + rng.choice(of)[-at:]
        case _:
            lines = text.split("\n")
            del lines[rng.randrange(len(lines))]
            return "\n".join(lines)


def _number(rng: random.Random, text: str) -> re.Match[str] | None:
    """A number of a text, or the end of one: the first behind some place. To look for all of them takes longer."""
    return NUMBER.search(text, rng.randrange(len(text) + 1)) or NUMBER.search(text)


@cache
def _tree(text: str) -> bytes:
    """The tree of a JSON, as it is read again soonest."""
    return marshal.dumps(json.loads(text))


def _other_tree(rng: random.Random, text: str) -> str:
    """The JSON with one to five members exchanged, removed, or replaced by something else."""
    tree = marshal.loads(_tree(text))  # noqa: S302 - it was written here
    for _ in range(rng.randint(1, 5)):
        inside, key = _place(rng, tree)
        match rng.randrange(3):
            case 0:
                del inside[key]
            case 1:
                inside[key] = copy.deepcopy(rng.choice(VALUES))
            case _:
                other, its = _place(rng, tree)
                inside[key] = copy.deepcopy(other[its])
        if not tree:
            break
    return json.dumps(tree)


def _place(rng: random.Random, tree: Any) -> tuple[Any, Any]:
    """A list or object of a JSON, and one of its keys: from the top down, as far as chance goes."""
    while True:
        key = rng.choice(list(tree)) if isinstance(tree, dict) else rng.randrange(len(tree))
        below = tree[key]
        if not isinstance(below, dict | list) or not below or rng.random() < 0.2:
            return tree, key
        tree = below


@dataclass
class Fuzzed:
    """What came of damaged inputs: how many were read and how many refused in words, and what was wrong."""

    read: int = 0
    refused: int = 0
    checked: int = 0
    faults: list[str] = field(default_factory=list)


@contextmanager
def rarely_collected() -> Iterator[None]:
    """What the modules hold is looked through for garbage every few hundred inputs, which takes a fifth of the time."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def fuzzed(format_: str, numbers: Iterable[int]) -> Fuzzed:
    """How damaged inputs are answered, each drawn by its number alone.

    An error that is no `BadInput`, or too much time, is a fault.
    """
    # Whether a line is of some tool is asked of the same lines of the same samples again and again.
    known = mock.patch.object(own_lines, "is_known", lru_cache(10_000)(own_lines.is_known))
    with rarely_collected(), known:
        return _fuzzed(format_, numbers)


def _fuzzed(format_: str, numbers: Iterable[int]) -> Fuzzed:
    of = texts(format_)
    importer: Importer = choose("", format_, COLUMNS if format_ == "csv" else Columns())
    made = Fuzzed()
    for number in numbers:
        text = damaged(random.Random(number), of)
        checked = number % CHECKED == 0
        # Processor time takes longer to read than many an input. So it is read where a cheap clock saw too much.
        allowed_s = SECONDS_OF_ANY + SECONDS_PER_MB * len(text) / 1e6
        began = time.perf_counter()
        answer = _answer(importer, text, checked=checked)
        if time.perf_counter() - began > allowed_s:
            began = time.process_time()
            answer = _answer(importer, text, checked=checked)
            took = time.process_time() - began
            if took > allowed_s:
                made.faults.append(f"input {number}: {took:.2f} s for {len(text)} characters")
        if answer is None:
            made.read += 1
            made.checked += checked
        elif isinstance(answer, BadInput):
            made.refused += 1
            if not answer.message:
                made.faults.append(f"input {number}: refused without a word")
        else:
            made.faults.append(f"input {number}: {type(answer).__name__}: {answer}")
    return made


def _answer(importer: Importer, text: str, *, checked: bool) -> Exception | None:
    """What an input is refused with, or fails with; None where it is read and, if that is asked for, checked."""
    try:
        importer.recognises(text)
        evidence = importer.read(text.split("\n")) if importer.streams else read(text, importer)
        if checked:
            with np.errstate(all="ignore"):
                review(evidence)
    except Exception as error:
        return error
    return None
