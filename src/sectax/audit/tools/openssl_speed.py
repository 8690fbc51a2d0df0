"""`openssl speed`: the tables and -mr of apps/speed.c of 1.0.2 to 3.6."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sectax.audit.form import EndsBy, Moves, Trouble, TroubleKind
from sectax.audit.reading.grammar import Promise, Record, Text
from sectax.audit.reading.printed import Number, read

# It stops within a fraction of a second.
_MOST_LATE, _FEWEST = 1.2, 100
_TIMED = ("configured_s", "duration_s", "operations")
_BITS = re.compile(r"(\d{2,6}) bits")


def _shape(records: list[Record]) -> list[Record]:
    timed = [_timed(record) for record in records if "doing" in record.fields]
    tables = [record for record in records if "doing" not in record.fields]
    results = [result for record in tables for result in _results(record)]
    if not results:
        return [_from_count(record) for record in timed]
    # One figure for each time that it ran, in this order, where it did not run several processes.
    for result, record in zip(results, timed, strict=False) if len(results) == len(timed) else ():
        result.fields |= {name: record.fields[name] for name in _TIMED if name in record.fields}
    return results


def _timed(record: Record) -> Record:
    """Keep a time that means something: it is CPU time, so a busy machine makes it short."""
    asked, taken, operations = (record.number(name) for name in ("configured_s", "duration_s", "operations"))
    if asked is not None and taken is not None and operations is not None and taken.value <= _MOST_LATE * asked.value:
        del record.fields["configured_s"]
        if operations.value >= _FEWEST:
            record.fields["took"] = record.fields.pop("duration_s")
    return record


def _from_count(record: Record) -> Record:
    """Compute the rate where the table was not copied."""
    operations, seconds = record.number("operations"), record.number("took") or record.number("duration_s")
    if operations is not None and seconds is not None and seconds.value > 0:
        record.put({"name": record.text("doing"), "rate": Number(operations.value / seconds.value)})
    return record


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


def _rates(
    record: Record,
    algorithm: str,
    operations: Iterable[str],
    rates: Sequence[Number | None],
    times: Sequence[Number | None],
) -> Iterator[Record]:
    bits = _BITS.search(algorithm)
    for operation, rate, time in zip(operations, rates, times or [None] * len(rates), strict=False):
        if operation and rate is not None:
            result = _new_record(record, f"{algorithm}, {operation}", {"algorithm": algorithm, "operation": operation})
            key_bits = Number(float(bits[1])) if bits is not None else None
            result.put({"rate": rate, "operation": operation, "time_printed": time, "key_bits": key_bits})
            yield result


def _results(record: Record) -> Iterator[Record]:
    """Yield a record for each figure of a row, in a table or of -mr, which has rates only."""
    kind, _, name, *cells = (record.text("merged") or ":::").split(":")
    if kind == "+F":
        record.put({"row": name, "cells": " ".join(cells)})
    if "cells" in record.fields:
        yield from _throughputs(record)
    elif kind:
        algorithm, operations = _MERGED.get(kind[2:], ("", ()))
        rates = _numbers(record, cells[-len(operations) :]) if operations else []
        yield from _rates(record, f"{name} bits {algorithm}", operations, rates, [])
    else:
        words = (record.text("numbers") or "").split()
        times = _numbers(record, (word.rstrip("s") for word in words if word.endswith("s")))
        rates = _numbers(record, (word for word in words if not word.endswith("s")))
        if len(times) == len(rates) and None not in times:
            columns = re.findall(r"([a-z]+)/s", record.text("columns") or "")
            yield from _rates(record, " ".join((record.text("algorithm") or "").split()), columns, rates, times)


# By the number of its row. ECDH is followed by a time.
_MERGED = {
    **{str(at): (name, ("sign", "verify")) for at, name in ((2, "rsa"), (3, "dsa"), (4, "ecdsa"), (6, "EdDSA"))},
    "5": ("ecdh", ("op", "")),
}


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
    means="Per second of CPU time, or of real time with -elapsed; where processes wait for a processor these differ.",
    head=(
        r"(?:version: |OpenSSL )(?=\d+\.){library:w}",
        r"type (?=\d+ bytes){sizes:text}$",
        r"(?:Got: )?\+H:{sizes:w}",
        r"(?=.{1,200}$)(?=(?:[a-z]++\s++){1,4}(?:[a-z.]++/s\s*+){1,4}$){columns:text}$",
    ),
    rows=(
        r"(?=.{1,400}$)Doing (?=.{1,200} for {configured_s:s}s\b){doing:text}: {operations:n} .{1,120} in "
        r"{duration_s:s}s$",
        r"(?=\+F\d{0,2}:\d{1,3}:[\w.-]{1,60}:[\d.:A-Za-z-]{1,400}$){merged:w}",
        rf"{_SHORT}{{row:text}} (?=(?:-?\d++\.\d++k?(?:\s++|$))+(?:\([^()]{{1,60}}\))?$)(?=.*\dk\b)"
        r"{cells:text}(?: \({core:text}\))?$",
        rf"{_SHORT}{{algorithm:text}} (?=(?:\d++\.\d++s\s++)+-?\d){{numbers:text}}(?: \({{core:text}}\))?$",
    ),
    ignored=(r"built on:",),
    fails=(r"(?:.{0,80}: )?(?:[Ii]nvalid engine\b|can't use that engine\b)",),
    warns=(
        r"(?!compiler:|options:|built on:)(?:Error[: ]|.{0,200}(?:[Uu]nknown algorithm|is an unknown|:error:"
        r"|[Ff]ailure\b(?! Count)| error!|[Ee]rror (?:for|in|while|setting|creating|(?:initial|final)izing)|unhandled "
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
