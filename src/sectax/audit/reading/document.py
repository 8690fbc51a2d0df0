"""Read a JSON document by a grammar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sectax.audit.reading.grammar import Json, Record
from sectax.audit.reading.printed import Number, of_json, percentile_name
from sectax.formats import json_text
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import LARGEST


def read_document(grammar: Json, text: str) -> list[Record]:
    """Return the records of a document; raise `BadInput` for bad values."""
    document = json_text.read([text], object, grammar.title)
    try:
        if grammar.records is not None:
            return grammar.records(document)
        return [parse_record(grammar.fields, result, key, document) for key, result in walk(document, grammar.each)]
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"this is JSON, but does not have the structure of {grammar.title}: {error}") from error


def walk(value: object, path: str, where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values under a path, with their places; '*' is every key."""
    if not path:
        yield where, value
        return
    step, _, rest = path.partition(".")
    if step == "*":
        for key, inner in value.items() if isinstance(value, dict) else ():
            yield from walk(inner, rest, f"{where}[{key}]")
        return
    name, lists, more = step.partition("[]")
    if name:
        value = value.get(name) if isinstance(value, dict) else None
        where = f"{where}.{name}" if where else name
    if value is None:
        return
    if not lists:
        yield from walk(value, rest, where)
    elif isinstance(value, list):
        behind = ".".join(part for part in (more, rest) if part)
        for at, inner in enumerate(value):
            yield from walk(inner, behind, f"{where}[{at}]")


def parse_record(places: Mapping[str, str], result: object, key: str = "", document: object = None) -> Record:
    """Read a result into a record by the paths of a `Json` grammar."""
    record = Record(1, ended=True)
    for path, place in places.items():
        name, _, kind = place.rpartition(":")
        values = walk(document, path[1:]) if path.startswith("/") else walk(result, path, key)
        _add(record, name, kind, values)
    return record


def _add(record: Record, name: str, kind: str, values: Iterator[tuple[str, Any]]) -> None:
    if kind == "nonzero":
        if every := [value for _, value in values]:
            record.add(name, Number(float(sum(value != 0 for value in every))))
        return
    for where, value in values:
        if value is None:
            continue
        if kind in ("w", "text"):
            record.add(name, value if isinstance(value, str) else str(value))
        else:
            at = percentile_name(where.rpartition("[")[2][:-1]) if "@" in name else ""
            record.add(name.replace("@", at), number(value, kind, where))


def number(value: object, kind: str, where: str) -> Number:
    """Return a number of a document; raise `BadInput` with its place otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise BadInput(f"{where} is {str(value)[:40]!r}", "every value must be a finite number")
    return of_json(kind, float(value))
