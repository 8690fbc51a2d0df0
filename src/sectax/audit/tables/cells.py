"""Numbers in cells: '12,5', '1,234.5 µs', '**3.1 ms** (1.2x)', '54 ± 2 %', '1m 23s'."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sectax.audit.form import Quantity
from sectax.audit.reading.printed import KINDS, Number, plain_number, read
from sectax.audit.reading.units import Unit, base_unit
from sectax.formats.numbers import LARGEST

# Written where there is no value. 'OOM' and 'timeout' are none of these: a failed measurement is reported.
MISSING = re.compile(r"(?:[-‐-―−~?./\s]*+|(?:n/?a|nan|null|none|nil|tbd|unknown|missing)\.?)", re.IGNORECASE)
# Nor is it a number where a measurement failed.
_FAILED = re.compile(r"oom|time(?:d )?-?out|err(?:or)?|fail(?:ed)?|crash(?:ed)?|killed|dnf|unsupported", re.IGNORECASE)
_LONGEST = 100
_DIGIT = re.compile(r"\d")
_MARK = re.compile(r"[\\*`~_\[<]")
_TAG = re.compile(r"</?[a-z]{1,10}[^<>]{0,60}>")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")
_LINK = re.compile(r"\[([^\[\]]{1,100})\]\([^()\s]{1,500}\)")
_PAIRED = re.compile(r"(~~|__?)(?=\S)(.{1,200})(?<=\S)\1")
# Emoji and arrows around a number, footnotes behind it, and remarks in parentheses.
_BEFORE = re.compile(r"^(?:[^\w\s+\-.,<>~≈≤≥(±%]|:[a-z_]{2,30}:|\s)+(?=[\d+\-.<>~≈≤≥])")
_BEHIND = re.compile(
    r"(?:[^\w\s%)\].'\"]|[¹²³⁰⁴-⁹]|:[a-z_]{2,30}:|\s|\s\[[^\[\]]{0,60}\]|\[\^?\d{1,2}\]|\([^()±]{0,60}\))$"
)
_IN_PARENTHESES = re.compile(r"\((\s*(?:±|\+/?-)[^()]{1,30})\)")
_DIGITS = r"(?:\d{1,3}(?:[ '’]\d{3})+(?!\d)|\d{1,20}(?:[.,]\d{3}){0,6})(?:[.,]\d{0,20})?|[.,]\d{1,20}"
_SIGNED = rf"[+-]?(?:{_DIGITS})(?:[eE][+-]?\d{{1,4}})?"
_UNIT = r"[A-Za-zµμ%×/#](?:[A-Za-zµμ/%. ]{0,30}[A-Za-zµμ%])?"
_CELL = re.compile(
    rf"(?P<bound>[<>≤≥]=?)?(?:[~≈∼]|ca\.|about )?\s*(?P<number>{_SIGNED})\s*(?P<unit>{_UNIT})?"
    rf"(?:\s*(?:±|\+/-|\+-)\s*(?P<error>{_SIGNED})\s*(?P<of_error>{_UNIT})?)?"
)
_DURATION = re.compile(KINDS["t"][0])
_WITH_UNIT = re.compile(r"([+-]?\d{1,20}(?:\.\d{0,20})?(?:[eE][+-]?\d{1,4})?) ?([A-Za-zµμ/%]{0,20})")
_DECIMAL = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d*),\d+")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
_DOTS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?")
_FACTOR = re.compile(r"[x×X](?: ?[a-z]+)*")
_PREFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
_NO_UNIT = (Quantity.OTHER, 1.0)


class Cell(NamedTuple):
    """The parts of a cell with a number, as written."""

    number: str
    unit: str = ""
    error: str = ""  # behind ±
    of_error: str = ""  # its unit, often '%'
    bound: str = ""  # '<' in '<1 ms', which is not a number


def unmarked(text: str) -> str:
    """Remove Markdown's marks: bold, code, strikethrough, links and escapes."""
    text = text.strip()
    if len(text) < _LONGEST and _MARK.search(text):
        text = _LINK.sub(r"\1", _ESCAPED.sub(r"\1", _TAG.sub(" ", text))).strip(" *`")
        while (inner := _PAIRED.fullmatch(text)) is not None:
            text = inner[2].strip(" *`")
    return text


def parse_cell(text: str) -> Cell | None:
    """Split a cell with a number into its parts; None for others."""
    if len(text) > _LONGEST or not _DIGIT.search(text):
        return None
    if (match := _WITH_UNIT.fullmatch(text)) is not None:
        return Cell(match[1], match[2])
    text = _BEFORE.sub("", _IN_PARENTHESES.sub(r"\1", unmarked(text).replace("−", "-")))
    while (shorter := _BEHIND.sub("", text)) != text:
        text = unmarked(shorter)
    match = _CELL.fullmatch(text)
    if match is None:
        return None
    parts = {name: part.strip() if part else "" for name, part in match.groupdict().items()}
    # '12.3 ± 0.4 ms': the unit is of both.
    parts["unit"] = parts["unit"] or parts["of_error"].replace("%", "")
    return Cell(**parts)


def _seconds(text: str) -> Number | None:
    """Parse a duration of several units: '1m 23s', '2h5m'."""
    text = unmarked(text)
    duration = read("t", text) if len(text) <= _LONGEST and _DURATION.fullmatch(text) else None
    return duration if isinstance(duration, Number) else None


class Cells:
    """The number format of a table."""

    def __init__(self, separator: str, texts: Sequence[str] = ()) -> None:
        numbers = [cell.number for text in texts if "," in text and (cell := parse_cell(text.strip())) is not None]
        commas = any(_DECIMAL.fullmatch(text) and not _GROUPED.fullmatch(text) for text in numbers)
        # '1,234' is ambiguous: the comma is decimal if semicolons separate fields, or if it is in any other cell.
        self.decimal_comma = separator == ";" or commas
        # So is '1.234' where a comma is decimal, but for tables with both signs.
        pointed = (cell for text in texts if commas and "." in text and (cell := parse_cell(text.strip())))
        self._dots = commas and all(_DOTS.fullmatch(cell.number) for cell in pointed)
        self.read_commas = self.decimal_comma and bool(numbers)

    def number(self, text: str, unit: Unit | None = None) -> Number | None:
        """Return a cell's number in base units; a unit in the cell takes precedence."""
        text, unit = text.strip(), unit or _NO_UNIT
        if (plain := None if "," in text or self._dots else plain_number(text, unit[1])) is not None:
            return plain
        if (cell := parse_cell(text)) is None:
            duration = _seconds(text)
            return duration if unit[0] is Quantity.TIME else None
        own, scale = self._unit(cell.unit, unit)
        if own is None or own[0] is not unit[0] or cell.bound:
            return None
        return plain_number(self._plain(cell.number), own[1] * scale)

    def numbers(self, texts: Sequence[str], unit: Unit) -> list[float | None]:
        """Return the numbers of a column, with a fast path for plain ones."""
        try:
            numbers, together = [float(text) * unit[1] for text in texts], "".join(texts)
            # float() also reads 1_000, nan, inf, and digits of other scripts.
            signs = "_nN"
            plain = together.isascii() and not any(sign in together for sign in signs) and not self._dots
            if plain and max(map(abs, numbers)) <= LARGEST:
                return [*numbers]
        except ValueError:
            pass
        return [number and number.value for number in (self.number(text, unit) for text in texts)]

    def error(self, text: str, unit: Unit) -> Number | None:
        """Return the number after ± in a cell; a percentage is of its value."""
        cell = parse_cell(text.strip())
        if cell is None or not cell.error:
            return None
        if cell.of_error == "%":
            value, share = self.number(text, unit), plain_number(self._plain(cell.error), 0.01)
            return Number(value.value * share.value, value.value * share.step) if value and share else None
        own, scale = self._unit(cell.of_error or cell.unit, unit)
        return plain_number(self._plain(cell.error), own[1] * scale) if own else None

    def unit(self, texts: Iterable[str]) -> Unit | None:
        """Return the unit of the cells, if all have one of the same quantity."""
        units: list[Unit | None] = []
        for text in texts:
            if (cell := parse_cell(text.strip())) is not None:
                units.append(self._unit(cell.unit, _NO_UNIT)[0] if cell.unit else None)
            elif _seconds(text) is not None:
                units.append((Quantity.TIME, 1.0))
        known = units[0] if len({unit and unit[0] for unit in units}) == 1 else None
        return None if known == _NO_UNIT else known

    def are_ratios(self, texts: Sequence[str]) -> bool:
        """Whether most numbers are percentages or factors such as '1.2x', which are derived."""
        cells = [cell for text in texts if (cell := parse_cell(text.strip())) is not None]
        return 2 * sum(cell.unit == "%" or bool(_FACTOR.fullmatch(cell.unit)) for cell in cells) > len(cells)

    def are_numbers(self, texts: Sequence[str], unit: Unit | None) -> bool:
        """Whether more than half of the cells with a value are numbers."""
        values = [text for text in map(str.strip, texts) if not MISSING.fullmatch(text) and not _FAILED.fullmatch(text)]
        return 2 * sum(self.number(text, unit) is not None for text in values) > len(values) - (not values)

    def _unit(self, word: str, unit: Unit) -> tuple[Unit | None, float]:
        """Return a unit in a cell, or that of its column, and the scale of a prefix."""
        if not word or (word in _PREFIXES and unit[0] not in (Quantity.TIME, Quantity.MEMORY)):
            return unit, _PREFIXES.get(word, 1.0)
        if word == "%" or _FACTOR.fullmatch(word):
            return _NO_UNIT, 1.0
        return base_unit(word) or base_unit(word.replace(" ", "")), 1.0

    def _plain(self, number: str) -> str:
        """Write a number with a decimal point, and without separators of thousands."""
        number = re.sub("[ '’]", "", number)
        decimal = (self.decimal_comma and _DECIMAL.fullmatch(number)) or number.rfind(",") > number.rfind(".") > 0
        if decimal or number.count(".") > 1 or (self._dots and _DOTS.fullmatch(number)):
            return number.replace(".", "").replace(",", ".")
        # A comma that separates no thousands is not read.
        return number.replace(",", "") if _GROUPED.fullmatch(re.sub("[eE].*", "", number)) else number.replace(",", "?")
