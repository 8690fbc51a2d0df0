"""Grammars of tool outputs: lines or paths, their claims, and relations.

A place in a line is written `{name:kind}`; everything else is a regular expression in which one space matches any
whitespace. The kinds are those of `printed.KINDS`: n a number, r a rate of operations, t a time with its unit, s ms us
ns a time in that unit, clock h:m:s, b an amount of bytes (B: with KB as 1024), b/s and B/s the same per second, bit/s
bits, % a percentage, q a percentile, w a word, text the rest, flag nothing (the field records that the line is there).

The name decides the meaning:

- `latency.mean`: the mean of the metric `latency`. `latency.values`: single values. `latency.@` behind a
  `{latency.p:q}`: the percentile that is printed there. Its quantity follows from the kind, or from `quantities`.
- `rate`, `bandwidth`, `total_time`: claims of the whole trial.
- a field of `form.Work` or `form.Setting`: that; `failed.KIND`: failures of that kind; `option.NAME`: an option.
- `name`: the name of the run, or else its levels; `level.FACTOR`: a level.
- anything else: for relations and the `shape` of the grammar.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from sectax.audit.form import BrokenPromise, Quantity, Trouble, quantile_share
from sectax.audit.reading.printed import KINDS, Number, percentile_name, read

_PLACE = re.compile(r"\{([a-zA-Z_][\w.@]*):([a-zA-Z%/]+)\}")
# Before a name that begins a line: what pasting adds is no part of it.
UNMARKED = (
    r"(?=.{1,400}$)(?!\d{1,7}(?:[:|\t]|\s\s)|\d{4}-\d\d|\[|[>#+|*]|\w[\w.-]{0,80}\s*\||(?:INFO|WARN|DEBUG|TRACE)\b)"
)
# Letters that a pattern must contain to identify its tool.
_TELLING = 4

Fields = dict[str, list[Number | str]]


@dataclass
class Record:
    """The printed fields of one run; a name may occur several times."""

    line: int
    fields: Fields = field(default_factory=dict)
    begun: bool = True  # whether its first line was present
    ended: bool = False
    troubles: list[Trouble] = field(default_factory=list)  # problems found in its numbers, in addition to printed ones

    def add(self, name: str, value: Number | str) -> None:
        self.fields.setdefault(name, []).append(value)

    def put(self, fields: Mapping[str, Number | str | None], levels: Mapping[str, str] | None = None) -> None:
        """Set fields that are known, and levels."""
        values = dict(fields) | {f"level.{factor}": level for factor, level in (levels or {}).items()}
        self.fields |= {name: [value] for name, value in values.items() if value is not None}

    def number(self, name: str) -> Number | None:
        """Return the last number of this name."""
        return next((value for value in reversed(self.fields.get(name, ())) if isinstance(value, Number)), None)

    def keep_supported(self, count: Number | None) -> None:
        """Drop the quantiles of a tool that prints them all, where *count* is too small."""
        from sectax.stats.quantiles import observations_needed

        for name in [name for name in self.fields if name.startswith("latency.p")]:
            share = quantile_share(name.removeprefix("latency."))
            if count is not None and share and share < 1 and count.value < observations_needed(share):
                del self.fields[name]

    def text(self, name: str) -> str | None:
        return next((value for value in reversed(self.fields.get(name, ())) if isinstance(value, str)), None)

    def numbers(self, name: str) -> list[Number]:
        return [value for value in self.fields.get(name, ()) if isinstance(value, Number)]


class Pattern:
    """One line of a grammar."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.names: list[tuple[str, str]] = []

        def place(match: re.Match[str]) -> str:
            self.names.append((match[1], match[2]))
            return f"(?P<_{len(self.names) - 1}>{KINDS[match[2]][0]})"

        spaced = _spaced(source)
        self._named = _PLACE.sub(place, spaced)
        self.plain = _PLACE.sub(lambda match: f"(?:{KINDS[match[2]][0]})", spaced)

    @cached_property
    def regex(self) -> re.Pattern[str]:
        # Compiled on first use: a file is from one tool, and compiling all takes 0.2 s.
        return re.compile(self._named)

    @property
    def telling(self) -> bool:
        """Whether a matching line is certainly from its tool."""
        return _letters(_PLACE.sub("", self.source)) >= _TELLING

    @cached_property
    def beginning(self) -> str:
        """The words before its first field; empty where they are too few, or vary."""
        words = _PLACE.split(self.source, maxsplit=1)[0].rstrip()
        fixed = re.fullmatch(r"(?:[^\\.\[*+{)]|\\[^A-Za-z0-9]|\)(?!\?))*", words) is not None
        whole = words.count("(") == words.count(")")
        return _spaced(words) if self.names and fixed and whole and _letters(words) >= _TELLING - 1 else ""

    def match(self, line: str) -> list[tuple[str, Number | str | None]] | None:
        """Return the fields of a line, or None; a field is None if not a number."""
        hit = self.regex.match(line)
        if hit is None:
            return None
        fields: list[tuple[str, Number | str | None]] = []
        percentile = ""
        for at, (name, kind) in enumerate(self.names):
            text = hit[f"_{at}"]
            if text is None:
                continue
            if kind == "q":
                percentile = percentile_name(text)
                continue
            fields.append((name.replace("@", percentile), read(kind, text)))
        return fields


def _letters(source: str) -> int:
    """Count the letters that a regular expression requires, roughly."""
    return len(re.findall(r"[A-Za-z]", re.sub(r"\\[a-zA-Z]|\(\?:|\[[^\]]*\]", "", _without_lookarounds(source))))


def _spaced(source: str) -> str:
    """Let a blank match any white space; without backtracking, unless it is repeated itself."""
    return re.sub(r" +(?![?*+{])", r"\\s++", source).replace(" ", r"\s+")


def _without_lookarounds(source: str) -> str:
    """Remove lookarounds and groups from a regular expression."""
    before, pattern = "", re.sub(r"\\[()]", "", source)
    while pattern != before:
        before, pattern = (
            pattern,
            re.sub(r"\((\?<?[!=])?([^()]*)\)", lambda match: "" if match[1] else match[2], pattern),
        )
    return pattern


@dataclass(frozen=True)
class Promise:
    """A relation between printed numbers, such as `operations / duration_s = rate`."""

    relation: str  # sums, products and quotients of names with `=` or `<=` between; `sum(name)` adds up all of a name
    within: float = 0.005  # tolerance as a share, in addition to rounding
    fatal: bool = True  # whether a difference has no legitimate reason


@dataclass(frozen=True)
class Grammar:
    """The common part of all grammars."""

    name: str  # as --format takes it
    title: str  # in messages: "wrk's output"
    means: str = ""  # what its figures mean, where that is not obvious; for docs/audit.md
    quantities: Mapping[str, Quantity] = field(default_factory=dict)  # of metrics whose kind does not show it
    fixed: Mapping[str, Any] = field(default_factory=dict)  # fields that every record has, such as `ends_by`
    # Fields that are also options, by option name: runs with different options are separate series.
    options: Mapping[str, str] = field(default_factory=dict)
    compares: str = ""  # the factor that is compared, if it has several levels
    # Whether results with equal name and levels are values of one series, in order, rather than separate runs.
    repeats: bool = False
    # Relations between the tool's numbers, in addition to those of the normal form (rate = operations / time).
    promises: tuple[Promise, ...] = ()
    # Adds what follows from the fields of a record; transforms all records, where that is not enough.
    complete: Callable[[Record], None] | None = None
    shape: Callable[[list[Record]], list[Record]] | None = None


@dataclass(frozen=True)
class Text(Grammar):
    """A grammar of lines."""

    starts: tuple[str, ...] = ()  # lines that start a run
    lines: tuple[str, ...] = ()  # lines within a run, in any order
    rows: tuple[str, ...] = ()  # lines with one result each
    head: tuple[str, ...] = ()  # lines whose fields apply to all later records, until printed again
    below_others: bool = False  # whether it is printed below the output of other programs
    last: str = ""  # the line at the end of every complete run
    ignored: tuple[str, ...] = ()  # lines with numbers that are no results, though they begin like some
    fails: tuple[str, ...] = ()  # lines that report a failure
    warns: tuple[str, ...] = ()  # lines that warn about the numbers

    @cached_property
    def patterns(self) -> dict[str, list[Pattern]]:
        # In this order: a line that starts a run is not matched as one within it.
        groups = {"starts": self.starts, "rows": self.rows, "head": self.head, "lines": self.lines}
        return {name: [Pattern(source) for source in sources] for name, sources in groups.items()}

    @cached_property
    def troubles(self) -> list[tuple[re.Pattern[str], bool]]:
        both = ((self.fails, True), (self.warns, False))
        return [(re.compile(_spaced(source)), fatal) for sources, fatal in both for source in sources]

    @cached_property
    def any_line(self) -> re.Pattern[str]:
        """A pattern of all lines that matter."""
        plain = [pattern.plain for group in self.patterns.values() for pattern in group]
        return re.compile(one_pattern((*plain, *self._other_sources)))

    @cached_property
    def results(self) -> str:
        """A pattern of lines that are certainly from this tool and have results."""
        return one_pattern(pattern.plain for group in self.patterns.values() for pattern in group if pattern.telling)

    @cached_property
    def telling(self) -> str:
        """A pattern of lines that are certainly from this tool."""
        return "|".join(filter(None, (self.results, one_pattern(self._other_sources))))

    @cached_property
    def last_line(self) -> re.Pattern[str]:
        return re.compile(_spaced(self.last))

    @cached_property
    def not_results(self) -> re.Pattern[str]:
        return re.compile(one_pattern(map(_spaced, self.ignored)) or r"(?!)")

    @cached_property
    def beginning(self) -> re.Pattern[str]:
        """A pattern of lines that begin as one with results does."""
        words = (pattern.beginning for name in ("rows", "lines") for pattern in self.patterns[name])
        return re.compile(one_pattern(dict.fromkeys(filter(None, words))) or r"(?!)")

    @cached_property
    def opening(self) -> re.Pattern[str] | None:
        """A pattern of lines that start a run, or are a result."""
        plain = [pattern.plain for name in ("starts", "rows") for pattern in self.patterns[name]]
        return re.compile(one_pattern(plain)) if plain else None

    @property
    def _other_sources(self) -> Sequence[str]:
        sources = (*self.fails, *self.warns, *([self.last] if self.last else []))
        return [_spaced(source) for source in sources]


def one_pattern(sources: Iterable[str]) -> str:
    """Join regular expressions as alternatives."""
    return "|".join(f"(?:{source})" for source in sources)


@dataclass(frozen=True)
class Json(Grammar):
    """A grammar of a JSON document.

    Attributes:
        keys: names that must all be in the first part of a document of this tool.
        each: the path of the results: `results[]`; empty where the document is one result.
        fields: path within a result -> `name:kind`. `[]` goes through a list, `*` through all keys: percentiles, the
            `@` in the name; a path that begins with `/` is relative to the document. Additional kind:
            `nonzero` (the number of values other than 0).
        records: builds the records from the document, where paths are not enough.
    """

    keys: tuple[str, ...] = ()
    each: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    records: Callable[[Any], list[Record]] | None = None


@dataclass(frozen=True)
class Csv(Grammar):
    """A grammar of a table that a tool writes with its own headings, one result per row.

    Attributes:
        keys: patterns of headings that identify the tool; the first is plain text.
        columns: pattern of a heading -> `name:kind`; its first group, if any, is the percentile of an `@` in the name.
    """

    keys: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    separator: str = ","

    def place(self, heading: str) -> tuple[str, str] | None:
        """Return the name and kind of a column; None where it is not read."""
        for pattern, place in self.columns.items():
            if (match := re.fullmatch(pattern, heading)) is not None:
                name, _, kind = place.rpartition(":")
                return name.replace("@", percentile_name(match[1])) if "@" in name else name, kind
        return None


Interval = tuple[float, float]
_SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_text_of = lru_cache(maxsize=256)(ast.unparse)


def broken(promise: Promise, record: Record, run: str) -> BrokenPromise | None:
    """Return how a record breaks a promise; None if it does not, or if unknown."""
    sign = "<=" if "<=" in promise.relation else "="
    left, right = (_value(_parsed(side), record) for side in promise.relation.split(sign))
    if left is None or right is None:
        return None
    room = promise.within * max(map(abs, (*left, *right)))
    if left[0] - right[1] > room or (sign == "=" and right[0] - left[1] > room):
        return BrokenPromise(promise.relation, sum(left) / 2, sum(right) / 2, run, promise.fatal)
    return None


@lru_cache(maxsize=256)
def _parsed(side: str) -> ast.expr:
    return ast.parse(side.strip(), mode="eval").body


def _value(node: ast.expr, record: Record) -> Interval | None:
    match node:
        case ast.Constant(value=value) if isinstance(value, int | float):
            return float(value), float(value)
        case ast.Name() | ast.Attribute():
            number = record.number(_text_of(node))
            return None if number is None else (number.value - number.step, number.value + number.step)
        case ast.Call(func=ast.Name(id="sum"), args=[argument]):
            numbers = record.numbers(_text_of(argument))
            least, most = (sum(number.value + way * number.step for number in numbers) for way in (-1, 1))
            return (least, most) if numbers else None
        case ast.BinOp(left=left, op=sign, right=right):
            left_ends, right_ends = _value(left, record), _value(right, record)
            if left_ends is None or right_ends is None or (isinstance(sign, ast.Div) and right_ends[0] <= 0):
                return None
            ends = [_SIGNS[type(sign)](x, y) for x in left_ends for y in right_ends]
            return min(ends), max(ends)
    raise ValueError(f"{ast.unparse(node)} is not valid in a relation")
