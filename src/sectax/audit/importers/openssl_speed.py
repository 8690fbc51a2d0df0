"""What `openssl speed` prints: its tables, and the lines of -mr. Of a rate and its reciprocal the rate is taken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sectax.audit.evidence import Evidence, Incident
from sectax.audit.figure import Circumstances, Figure, Moves, Quantity
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number, number_in
from sectax.model.finding import Severity
from sectax.model.printable import printable

_BEGINS = re.compile(
    r"^The 'numbers' are in 1000s of bytes per second processed|^\+(?:H|F\d*|DTP|DT|R\d*):\d"
    r"|^Doing .* for \d+(?:\.\d+)?s|^[ \t]+sign[ \t]+verify[ \t]+sign/s[ \t]+verify/s|^CPUINFO: OPENSSL"
    r"|^type {2,40}\d+ bytes",
    re.MULTILINE,
)
_VERSION = re.compile(r"(?:version: |OpenSSL )(\d+\.\d+\.\w+)")
_SIZES = re.compile(r"type\s++(\d++ bytes\s*+)++$")
# A row of a table, or a message: nothing that is longer.
_LONGEST = 400
_SIZE = re.compile(r"(\d+) bytes")
_CELL = re.compile(r"(?<=\s)([^\s]+)k(?=\s|$)")
# Below 10,000 bytes per second there is no k; an algorithm that failed prints 0.00.
_ANY_CELL = re.compile(r"(?<=\s)(\d+\.\d\d)(k?)(?=\s|$)")
_SLOW_ROW = re.compile(r"\S[^\s]*(?: [^\s]+)*?\s+\d+\.\d\dk?(?:\s+\d+\.\d\dk?)*\s*$")
_SAID = re.compile(r".*(?:Invalid engine|invalid engine|[Uu]nknown algorithm|is an unknown|failure[.!]|:error:)")
# '256 bits ecdsa (nistp256)   0.0000s   0.0001s  52096.9  16756.6', 'rsa 2048 bits 0.000244s 0.000016s 4102.0 61460.0'
# A name ends where blanks begin, and blanks are taken at once: a line of 20,000 of them takes no time.
_PAIR = re.compile(r"\s*+(\S(?:.*?\S)??)\s++\S+s\s++\S+s\s++(\S++)\s++(\S++)\s*+$")
_ONE = re.compile(r"\s*+(\S(?:.*?\S)??)\s++\S+s\s++(\S++)\s*+$")
_ROWS = {1: _ONE, 2: _PAIR}  # by the number of operations in a row
_HEAD_PAIR = re.compile(r"\s++(sign|encaps?|keygens)\s++(verify|decaps?)\s.*/s")
_HEAD_ONE = re.compile(r"\s++op\s++op/s\s*+$")
# Since 3.2: 'keygen encaps decaps keygens/s encaps/s decaps/s', 'sign verify encrypt decrypt sign/s verify/s encr./s'.
_HEAD_MORE = re.compile(r"\s++((?:[a-z]++\s++){3,4})((?:[a-z.]++/s\s*+){3,4})$")
_ROW_MORE = re.compile(r"\s*+(\S(?:.*?\S)??)\s++((?:[\d.]++s\s++){3,4})((?:[\d.]++(?:\s++|$)){3,4})$")
# What a script adds behind a row: the kind of core that it ran on.
_CORE = re.compile(r"\(([^()]{1,60})\)\s*+$")
_BITS = re.compile(r"(\d+) bits")
# Of -mr: what the number of a line stands for (apps/speed.c): the place of the first rate, and the operations.
_MACHINE = {
    "F2": ("rsa", 3, ("sign", "verify")),
    "F3": ("dsa", 3, ("sign", "verify")),
    "F4": ("ecdsa", 3, ("sign", "verify")),
    "F5": ("ecdh", 3, ("op",)),
    "F6": ("EdDSA", 4, ("sign", "verify")),
    "F8": ("ffdh", 3, ("op",)),
}


def _read(lines: Iterable[str]) -> Evidence:
    incidents: list[Incident] = []
    return evidence(_figures(lines, incidents), "openssl speed", incidents=incidents)


def _figures(lines: Iterable[str], incidents: list[Incident]) -> Iterator[Figure]:
    library: str | None = None
    sizes: list[int] = []
    operations: tuple[str, ...] = ()
    for place, line in enumerate(lines, 1):
        version = _VERSION.match(line)
        if len(line) <= _LONGEST and _SAID.match(line):
            incidents.append(
                Incident(
                    Severity.WARNING,
                    f"line {place}: {printable(line.strip(), 80)}",
                    "openssl itself says that something asked of it was not done: which code was measured is not sure",
                )
            )
        elif version is not None:
            library = f"OpenSSL {version[1]}"
        elif line.startswith("+H:"):
            sizes = [int(number(each, line=place)) for each in line[3:].split(":")]
        elif line.startswith("+F:"):
            yield from _machine_row(place, line, sizes, library)
        elif line.startswith("+F") and line.partition(":")[0][1:] in _MACHINE:
            yield from _machine_rates(place, line, library)
        elif _SIZES.match(line):
            sizes = [int(number(each, line=place)) for each in _SIZE.findall(line)]
        elif len(line) <= _LONGEST and (more := _HEAD_MORE.match(line)):
            operations = tuple(more[1].split())
        elif _HEAD_PAIR.match(line):
            operations = ("sign", "verify") if " sign " in line else ("encapsulate", "decapsulate")
        elif _HEAD_ONE.match(line):
            operations = ("op",)
        elif len(operations) in _ROWS and (row := _ROWS[len(operations)].match(line)):
            yield from _rates(place, row, operations, library)
        elif len(operations) > 2 and len(line) <= _LONGEST and (row := _ROW_MORE.match(line)):
            yield from _more_rates(place, row, operations, library)
        elif (
            _CELL.search(line) or (sizes and len(line) <= _LONGEST and _SLOW_ROW.match(line))
        ) and not line.startswith(("Doing ", "Got: ", "+", "compiler:", "options:")):
            yield from _row(place, line, sizes, library)


def _row(place: int, line: str, sizes: list[int], library: str | None) -> Iterator[Figure]:
    """One line of the table of throughputs, in thousands of bytes per second."""
    cells = list(_CELL.finditer(line))
    any_cells = list(_ANY_CELL.finditer(line))
    if sizes and len(any_cells) == len(sizes) > len(cells):
        values = [number_in(cell, 1, place, 1000.0 if cell[2] else 1.0) for cell in any_cells]
        yield from _throughputs(place, line[: any_cells[0].start()].strip(), values, sizes, library, _core(line))
        return
    if not cells:
        return
    name = line[: cells[0].start()].strip()
    if not name:
        return
    values = [number_in(cell, 1, place, 1000.0) for cell in cells]
    yield from _throughputs(place, name, values, sizes, library, _core(line))


def _core(line: str) -> str | None:
    found = _CORE.search(line[-_LONGEST:])
    return found[1] if found is not None else None


def _machine_row(place: int, line: str, sizes: list[int], library: str | None) -> Iterator[Figure]:
    fields = line.split(":")
    if len(fields) < 4:
        raise BadInput("this line was cut short", line=place)
    values = [number(each, line=place, column=line.index(each) + 1) for each in fields[3:]]
    yield from _throughputs(place, fields[2], values, sizes, library)


def _throughputs(
    place: int, name: str, values: list[float], sizes: list[int], library: str | None, core: str | None = None
) -> Iterator[Figure]:
    # With -multi the line of sizes is left out of the table.
    if sizes and len(sizes) != len(values):
        raise BadInput(f"{len(values)} throughputs stand under {len(sizes)} sizes", line=place)
    for at, value in enumerate(values):
        size = sizes[at] if sizes else None
        label = f"{size} bytes" if size is not None else f"column {at + 1}"
        told = Circumstances(
            operation=name,
            moves=Moves.BODY,
            size_bytes=None if size is None else float(size),
            library=library,
            processor=core,
        )
        of = Measurement("", {"type": name, "size": label} | ({} if core is None else {"core": core}), told)
        yield of.figure("throughput", Quantity.BANDWIDTH, value, "rate", id=f"{name}, {label}")


def _rates(place: int, row: re.Match[str], operations: tuple[str, ...], library: str | None) -> Iterator[Figure]:
    bits = _BITS.search(row[1])
    for at, operation in enumerate(operations, 2):
        yield _rate(row[1], operation, number_in(row, at, place), None if bits is None else bits[1], library)


def _more_rates(place: int, row: re.Match[str], operations: tuple[str, ...], library: str | None) -> Iterator[Figure]:
    """Three or four operations: their times, then their rates."""
    rates = row[3].split()
    if len(rates) != len(operations):
        raise BadInput(f"{len(rates)} rates stand under {len(operations)} operations", line=place)
    bits = _BITS.search(row[1])
    for operation, text in zip(operations, rates, strict=True):
        yield _rate(row[1], operation, number(text, line=place), None if bits is None else bits[1], library)


def _machine_rates(place: int, line: str, library: str | None) -> Iterator[Figure]:
    fields = line[1:].split(":")
    family, first, operations = _MACHINE[fields[0]]
    if len(fields) < first + len(operations):
        raise BadInput("this line was cut short", line=place)
    bits = str(int(number(fields[2], line=place)))
    curve = f" ({fields[3]})" if first == 4 else ""
    for operation, text in zip(operations, fields[first:], strict=False):
        value = number(text, line=place, column=line.index(text) + 1)
        yield _rate(f"{bits} bits {family}{curve}", operation, value, bits, library)


def _rate(algorithm: str, operation: str, value: float, bits: str | None, library: str | None) -> Figure:
    label = " ".join(algorithm.split())
    told = Circumstances(
        operation=operation, library=library, key_bits=None if bits is None or len(bits) > 9 else int(bits)
    )
    of = Measurement("", {"algorithm": label, "operation": operation}, told)
    table = f"rate: {operation}"
    return of.figure(f"{operation}/s", Quantity.RATE, value, "rate", id=f"{label}, {operation}", table=table)


OPENSSL_SPEED = Importer("openssl-speed", "openssl speed", _read, _BEGINS)
