"""`openssl speed`: the tables of apps/speed.c of 1.0.2 and 3.2."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sectax.audit.form import EndsBy, Moves, Trouble, TroubleKind
from sectax.audit.reading.grammar import Promise, Record, Text
from sectax.audit.reading.printed import Number, read

_BITS = re.compile(r"(\d{2,6}) bits")


def _shape(records: list[Record]) -> list[Record]:
    return [result for record in records for result in (_throughputs if "cells" in record.fields else _rates)(record)]


def _numbers(record: Record, words: Iterable[str]) -> list[Number | None]:
    """Parse a row, with suffix k for thousands; None for negative numbers."""
    numbers: list[Number | None] = []
    for word in words:
        number = read("n", word)
        if isinstance(number, Number) and number.value < 0:
            record.troubles.append(Trouble(TroubleKind.FAILED, record.line, str(record.text("cells") or word)))
            number = None
        numbers.append(number if isinstance(number, Number) else None)
    return numbers


def _throughputs(record: Record) -> Iterator[Record]:
    name, numbers = record.text("row") or "", _numbers(record, (record.text("cells") or "").split())
    sizes = re.findall(r"\d+", record.text("sizes") or "")
    for at, number in enumerate(numbers):
        of_size = len(sizes) == len(numbers)
        size = f"{sizes[at]} bytes" if of_size else f"column {at + 1}"
        result = _new_record(record, f"{name}, {size}", {"type": name, "size": size})
        if number is None:
            continue
        result.put({"bandwidth": Number(number.value, number.step, "bytes/s"), "operation": name})
        if of_size:
            result.put({"size_bytes": Number(float(sizes[at])), "moves": Moves.BODY})
        yield result


def _rates(record: Record) -> Iterator[Record]:
    """Read rows of times and rates."""
    algorithm = " ".join((record.text("algorithm") or "").split())
    words = (record.text("numbers") or "").split()
    times = _numbers(record, (word.rstrip("s") for word in words if word.endswith("s")))
    rates = _numbers(record, (word for word in words if not word.endswith("s")))
    operations = re.findall(r"([a-z]+)/s", record.text("columns") or "")
    bits = _BITS.search(algorithm)
    for operation, time, rate in zip(operations, times, rates, strict=False):
        result = _new_record(record, f"{algorithm}, {operation}", {"algorithm": algorithm, "operation": operation})
        if rate is None or time is None or len(times) != len(rates):
            continue
        key_bits = Number(float(bits[1])) if bits is not None else None
        result.put({"rate": rate, "operation": operation, "time_printed": time, "key_bits": key_bits})
        yield result


def _new_record(record: Record, name: str, levels: dict[str, str]) -> Record:
    result = Record(record.line, ended=True, troubles=record.troubles)
    core, library = record.text("core"), record.text("library")
    attributes = {"name": name, "processor": core, "library": library and f"OpenSSL {library}"}
    result.put(attributes, levels if core is None else levels | {"core": core})
    return result


_SHORT = r"(?=.{1,400}$)(?!Doing |Got: |\+|compiler:|options:|type )"
OPENSSL_SPEED = Text(
    name="openssl-speed",
    title="openssl speed",
    head=(
        r"(?:version: |OpenSSL )(?=\d+\.){library:w}",
        r"type (?=\d+ bytes){sizes:text}$",
        r"(?:Got: )?\+H:{sizes:w}",
        r"(?=.{1,200}$)(?=(?:[a-z]++\s++){1,4}(?:[a-z.]++/s\s*+){1,4}$){columns:text}$",
    ),
    rows=(
        rf"{_SHORT}{{row:text}} (?=(?:-?\d++\.\d++k?(?:\s++|$))+(?:\([^()]{{1,60}}\))?$)(?=.*\dk\b)"
        r"{cells:text}(?: \({core:text}\))?$",
        rf"{_SHORT}{{algorithm:text}} (?=(?:\d++\.\d++s\s++)+-?\d){{numbers:text}}(?: \({{core:text}}\))?$",
    ),
    fails=(r"(?:.{0,80}: )?(?:[Ii]nvalid engine\b|can't use that engine\b)",),
    warns=(
        r"(?!compiler:|options:|built on:)(?:Error[: ]|.{0,200}(?:[Uu]nknown algorithm|is an unknown|:error:"
        r"|[Ff]ailure\b| error!|[Ee]rror (?:for|in|while|setting|creating|(?:initial|final)izing)|unhandled "
        r"errors|don't match"
        r"|is not an? (?:AEAD|multi-block)|can be used only with|unsupported key length|derivation failed|secret failed"
        r"|Child (?:exited with [1-9]|terminated by)|Don't understand line|Unknown type ))",
        # The user enabled or disabled instructions such as AES-NI.
        r"CPUINFO: .{0,200} env:",
    ),
    fixed={"ends_by": EndsBy.TIME},
    promises=(Promise("time_printed * rate = 1"),),
    shape=_shape,
)
GRAMMARS = (OPENSSL_SPEED,)
