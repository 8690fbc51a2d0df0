"""All formats, and reading a file by its detected or given format."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from types import ModuleType
from typing import TypeVar

from sectax.audit import tools
from sectax.audit.form import Evidence, Moves
from sectax.audit.reading.build import build_evidence
from sectax.audit.reading.document import read_document
from sectax.audit.reading.grammar import Csv, Grammar, Json, Text, one_pattern
from sectax.audit.reading.plain import unpasted
from sectax.audit.reading.rows import headings_line, read_rows
from sectax.audit.reading.text import LONGEST_LINE, read_text
from sectax.audit.reading.unread import refuse_unread
from sectax.formats.bad_input import BadInput
from sectax.formats.characters import with_blanks

G = TypeVar("G", Text, Json, Csv)
# The most places in a text where a document is looked for.
_MOST_BEGINNINGS = 20
_HEAD, _HEAD_LINES = 2**16, 2000
_OF_GO_TEST = re.compile(r'\{"Time":"[^"]{1,60}","Action":"')
# Lines needed to recognize a tool without the start of a run; no other tool may match as many.
_LEAST_LINES = 2


@cache
def grammar_modules() -> tuple[ModuleType, ...]:
    """The modules of `audit.tools`, by name."""
    modules = sorted(module.name for module in pkgutil.iter_modules(tools.__path__))
    return tuple(importlib.import_module(f"{tools.__name__}.{name}") for name in modules)


def of_module(module: ModuleType) -> Iterator[Text | Json | Csv]:
    """Yield the grammars of a module: all those that have a name in it."""
    return (value for value in vars(module).values() if isinstance(value, Text | Json | Csv))


@cache
def grammars() -> tuple[Text | Json | Csv, ...]:
    return tuple(grammar for module in grammar_modules() for grammar in of_module(module))


def names() -> tuple[str, ...]:
    """The values of --format, without csv."""
    return tuple(dict.fromkeys(grammar.name for grammar in grammars()))


@cache
def _of_kind(kind: type[G]) -> tuple[G, ...]:
    return tuple(grammar for grammar in grammars() if isinstance(grammar, kind))


@cache
def _any_telling() -> re.Pattern[str]:
    # Lines of JSON count as lines of a tool.
    of_json = r'[{}\[\]]{1,3},?$|"[^"\n]{1,200}"\s?:|[\[{]\s?["\[{]'
    headings = (
        rf'"?{grammar.keys[0]}"?{grammar.separator}.{{0,200}}(?:{grammar.keys[1]})' for grammar in _of_kind(Csv)
    )
    telling = (grammar.telling for grammar in _of_kind(Text) if grammar.telling)
    return re.compile(one_pattern([*telling, *headings, of_json]))


def is_known(line: str) -> bool:
    """Whether a line, without its margin, is certainly from a known tool."""
    return len(line) <= LONGEST_LINE and _any_telling().match(line) is not None


def recognised(text: str) -> str | None:
    """Return the format of a text, or None; raise `BadInput` if ambiguous, or a tool's table that is not read."""
    if (fitting := _recognised(text)) is not None:
        return fitting.name
    refuse_unread(_printed(text), tables_only=True)
    return None


def read(text: str, format_name: str | None = None) -> tuple[Grammar, Evidence]:
    """Read a tool's output, including pasted text.

    Raises:
        BadInput: the format is unknown, or it cannot be read; with line and column.
    """
    grammar = _recognised(text) if format_name is None else _of_name(format_name, text)
    if grammar is None:
        refuse_unread(_printed(text))
        hint = "give the whole output of one of these tools, or a table below a line of names; --format names it"
        raise BadInput(f"unrecognized format. Supported: {', '.join((*names(), 'csv'))}", hint)
    if isinstance(grammar, Json):
        return grammar, build_evidence(grammar, read_document(grammar, "\n".join(_printed(text))))
    if isinstance(grammar, Csv):
        return grammar, build_evidence(grammar, *read_rows(grammar, _printed(text)))
    return grammar, build_evidence(grammar, *read_text(grammar, _printed(text)))


def _of_name(name: str, text: str) -> Text | Json | Csv:
    """Return the grammar of a format; a tool may have one for text, JSON and CSV."""
    lines = _printed(text)
    is_document = re.match(r"\s*+(?:\{|\[\s*+[\"\[{\d])", "\n".join(lines)) is not None  # not AsciiDoc's [cols=…]
    return max(
        (grammar for grammar in grammars() if grammar.name == name),
        key=lambda grammar: (
            len(grammar.keys) if isinstance(grammar, Json) and _has_keys(grammar, text[:_HEAD]) else 0,
            isinstance(grammar, Csv) and headings_line(grammar, lines) is not None,
            isinstance(grammar, Text) and any(_opens(grammar, line) for line in lines),
            not isinstance(grammar, Csv),
            isinstance(grammar, Json) == is_document,
            isinstance(grammar, Text) and _matches(grammar, lines),
        ),
    )


def _recognised(text: str) -> Text | Json | Csv | None:
    lines = _printed(text)
    document: Json | None = _parse_document("\n".join(lines))
    if document is not None:
        return document
    tables: list[Csv] = [grammar for grammar in _of_kind(Csv) if headings_line(grammar, lines) is not None]
    if tables:
        return tables[0]
    begins: list[tuple[int, Text]] = []
    for grammar in _of_kind(Text):
        at = next((at for at, line in enumerate(lines) if _opens(grammar, line)), None)
        begins += [(at, grammar)] if at is not None else []
    if not begins:
        return _by_lines(lines)
    begins = [(at, grammar) for at, grammar in begins if not grammar.below_others] or begins
    # Several tools begin alike: the one that most lines match.
    earliest = min(at for at, _ in begins)
    first = max((grammar for at, grammar in begins if at == earliest), key=lambda grammar: _matches(grammar, lines))
    for _, second in begins:
        # Tables of two tools may look similar: a line of the first does not start the second.
        of_second = (at for at, line in enumerate(lines) if _opens(second, line) and not first.any_line.match(line))
        if second is not first and (at := next(of_second, None)) is not None:
            raise BadInput(
                f"{second.title} begins here in a file of {first.title}",
                f"split the file; or name one of them: --format {first.name}",
                line=at + 1,
            )
    return first


def _opens(grammar: Text, line: str) -> bool:
    return 0 < len(line) <= LONGEST_LINE and grammar.opening is not None and grammar.opening.match(line) is not None


def _matches(grammar: Text, lines: Sequence[str]) -> int:
    return sum(grammar.any_line.match(line) is not None for line in lines if 0 < len(line) <= LONGEST_LINE)


def _by_lines(lines: Sequence[str]) -> Text | None:
    """Return the tool that most lines match, if the first lines are missing."""
    counts: Counter[str] = Counter()
    by_name = {grammar.name: grammar for grammar in _of_kind(Text)}
    patterns = {name: re.compile(grammar.results) for name, grammar in by_name.items() if grammar.results}
    for line in lines:
        if line and is_known(line):
            counts.update(name for name, pattern in patterns.items() if pattern.match(line))
    first, second = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    return by_name[first[0]] if first[1] >= _LEAST_LINES and first[1] > second[1] else None


# Cached: a text may be examined as a whole first, and then read.
@lru_cache(maxsize=1)
def _printed(text: str) -> Sequence[str]:
    """Return the lines without paste marks; around a document they are empty."""
    text = unwrapped(text)
    if _parse_document(blank := with_blanks(text)) is not None:
        return _document_lines(blank.split("\n"), 0)
    lines = unpasted(text, is_known)
    if any(_opens(grammar, line) for line in lines for grammar in _of_kind(Text)):
        return lines
    beginnings = [at for at, line in enumerate(lines) if line.startswith(("{", "["))][:_MOST_BEGINNINGS]
    at = next((at for at in beginnings if _parse_document("\n".join(lines[at : at + _HEAD_LINES]))), None)
    return lines if at is None else _document_lines(lines, at)


def unwrapped(text: str) -> str:
    """Return the text that `go test -json` wraps into one document for each part of a line."""
    if not _OF_GO_TEST.search(text[:_HEAD]):
        return text
    parts = []
    for line in text.split("\n"):
        try:
            event, _ = json.JSONDecoder().raw_decode(line, line.index('{"Time":'))
            parts.append(str(event.get("Output", "")))
        except (ValueError, RecursionError):
            parts.append(f"{line}\n")
    return "".join(parts)


def _has_keys(grammar: Json, head: str) -> bool:
    return bool(grammar.keys) and all(re.search(rf'"{re.escape(key)}"\s*:', head) for key in grammar.keys)


def _parse_document(text: str) -> Json | None:
    """Return the grammar of a document that begins here."""
    head = text.lstrip()[:_HEAD]
    if not head.startswith(("{", "[")):
        return None
    # Documents of several tools look alike: the one with the most keys.
    fitting = (grammar for grammar in _of_kind(Json) if _has_keys(grammar, head))
    return max(fitting, key=lambda grammar: len(grammar.keys), default=None)


def _document_lines(lines: Sequence[str], begin: int) -> Sequence[str]:
    """Return the lines of a document, with empty lines before and after it.

    A following document is kept, so that it is rejected later.
    """
    text = "\n".join(lines[begin:])
    try:
        _, end = json.JSONDecoder().raw_decode(text, len(text) - len(text.lstrip()))
    except (ValueError, RecursionError):
        end = len(text)
    if any(line.lstrip().startswith(("{", "[")) for line in text[end:].split("\n")):
        end = len(text)
    return [*[""] * begin, *text[:end].split("\n")]


_MOVES = {
    Moves.BODY: re.compile(r"(?i)(?:get|put|read|write|upload|download|copy|encrypt|decrypt|hash)(?:$|[\W_])"),
    Moves.METADATA: re.compile(r"(?i)(?:head|stat|delete|list)(?:$|[\W_])"),
}


def body_direction(operation: str) -> Moves | None:
    """Whether an operation moves a body, by its name; None where unknown."""
    return next((moves for moves, names in _MOVES.items() if names.match(operation)), None)


def split_levels(name: str) -> dict[str, str]:
    """Split a name at slashes into factors and levels.

    `key=value` is a factor of that name; other parts are `part 1`, `part 2`. The whole name alone is `name`.
    """
    parts = [part for part in name.split("/") if part]
    levels: dict[str, str] = {}
    for at, part in enumerate(parts):
        key, equals, value = part.partition("=")
        if equals and key and value:
            levels[key] = value
        elif at == 0:
            levels["name"] = part
        else:
            levels[f"part {at}"] = part
    return levels or {"name": name}
