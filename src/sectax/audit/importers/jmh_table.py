"""Rows of the table that JMH prints at its end, and its numbers: '12,345' is twelve in half of the world."""

from __future__ import annotations

import re

from sectax.audit.figure import Quantity
from sectax.audit.importers.jmh_results import MODES, Row
from sectax.audit.importers.microbench import per_operation
from sectax.formats.numbers import number

HEADER = re.compile(r"\s*+Benchmark\s.*\bMode\s++(?:Thr\s++)?(?:Cnt|Samples)\s")
WITHOUT_HEADER = re.compile(
    r"\s*+[A-Za-z]\S{1,400}+((?:\s{1,200}+\S{1,200}+){0,6}?)\s{1,200}+(?:thrpt|avgt|sample|ss)\s{1,200}+(?:\d++\s++)?"
    r"[\d≈][\d.,]*+\s.{0,400}/(?:op|ns|us|ms|s|min)$"
)
PARAMETER = re.compile(r"\(([^()]{1,100})\)")
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
# Of the three digits behind the point the last alone is not 0.
_ONE_DIGIT = re.compile(r"0[.,]00[1-9]")


def is_number(text: str | None) -> bool:
    """Whether a word is a number of JMH, in whichever locale."""
    return text is not None and re.fullmatch(r"\d[\d.,]*+(?:[Ee]-?\d++)?", text) is not None


def number_of(text: str, place: int) -> float:
    """Three digits after the point, which is a comma in half of the world."""
    return number(text.replace(",", "."), line=place)


def row_of(line: str, table: int, parameters: list[str], place: int) -> Row | None:
    """A row of the table that begins in line *table* and has these parameters; None of a line that is none."""
    words = line.split()
    at = next((at for at in range(len(words) - 1, 0, -1) if words[at] in MODES), None)
    if at is None or len(words) - at < 3:
        return None
    name, given, rest = words[0], words[1:at], words[at + 1 :]
    if len(parameters) == 1 and len(given) > 1:
        given = [" ".join(given)]
    if len(given) != len(parameters):
        return None
    unit, numbers = rest[-1], rest[:-1]
    error, numbers = _error(numbers, place)
    if "≈" in numbers:
        score, is_rough = power(numbers[-1]), True
        numbers = numbers[: numbers.index("≈")]
    elif numbers and is_number(numbers[-1]):
        score = number_of(numbers[-1], place)
        is_rough = _ONE_DIGIT.fullmatch(numbers[-1]) is not None
        numbers = numbers[:-1]
    else:
        return None
    if score is None:
        return None
    # Without a number it is of a single iteration.
    count = (
        int(numbers[-1]) if numbers and numbers[-1].isascii() and numbers[-1].isdigit() and len(numbers[-1]) < 10 else 1
    )
    levels = dict(zip(parameters, given, strict=True))
    return Row(name, levels, words[at], count, score, error, unit, place, is_rough, table)


def _error(words: list[str], place: int) -> tuple[float | None, list[str]]:
    """The error, and the words before it. A terminal that does not know '±' prints another sign in its place.

    Of old versions, and of those that print their own tables, it stands there without a sign.
    """
    if len(words) >= 2 and all(is_number(each) and not each.isdigit() for each in words[-2:]):
        return number_of(words[-1], place), words[:-1]
    if len(words) >= 3 and is_number(words[-1]) and not is_number(words[-2]) and words[-2] != "≈":
        return number_of(words[-1], place), words[:-2]
    return None, words


def power(text: str) -> float | None:
    """`10⁻³` as 0.001."""
    exponent = text.removeprefix("10").translate(_SUPERSCRIPTS)
    if text == "0":
        return 0.0
    return float(f"1e{exponent}") if re.fullmatch(r"-?\d{1,2}", exponent) else None


def is_speed(row: Row) -> bool:
    """Whether it is of the benchmark itself, and not of what a profiler counted."""
    return per_operation(row.unit)[0] is not Quantity.OTHER
