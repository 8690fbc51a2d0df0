"""What `openssl speed` prints: its tables, and the lines of -mr. Of a rate and its reciprocal the rate is taken.

Source: every string in apps/speed.c of 1.0.2 and 3.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, Figure, Moves, Quantity
from sectax.audit.importers.openssl_steps import Steps
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.audit.importers.said import Said
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number
from sectax.model.finding import Severity

_BEGINS = re.compile(
    r"^The 'numbers' are in 1000s of bytes per second processed|^\+(?:H|F\d*|DTP|DT|R\d*):\d"
    r"|^Doing .* for \d+(?:\.\d+)?s|^[ \t]*+sign[ \t]+verify[ \t]+sign/s[ \t]+verify/s|^CPUINFO: OPENSSL"
    r"|^type {2,40}\d+ bytes|^[A-Z]\w{1,9} .{0,40}(?:setup )?failure\. +No \S{1,20} \S{1,20} will be done",
    re.MULTILINE,
)
_VERSION = re.compile(r"(?:version: |OpenSSL )(\d+\.\d+\.\w+)")
_SIZES = re.compile(r"type\s++(\d++ bytes\s*+)++$")
# A row of a table, or a message: nothing that is longer.
_LONGEST = 400
_SIZE = re.compile(r"(\d+) bytes")
_CELL = re.compile(r"(?<=\s)([^\s]+)k(?=\s|$)")
# Below 10,000 bytes per second there is no k; an algorithm that failed prints 0.00.
_ANY_CELL = re.compile(r"(?<=\s)(-?\d+\.\d\d)(k?)(?=\s|$)")
_SLOW_ROW = re.compile(r"\S[^\s]*(?: [^\s]+)*?\s+-?\d+\.\d\dk?(?:\s+-?\d+\.\d\dk?)*\s*$")
# With -multi the sizes stand in the lines of the children alone.
_GOT = re.compile(r"Got: \+H:((?:\d{1,9}:)*\d{1,9})\b")
_SAID = re.compile(
    r"(?!compiler:|options:|built on:)(?:Error[: ]|.*(?:[Ii]nvalid engine|[Uu]nknown algorithm|is an unknown|:error:"
    r"|[Ff]ailure\b| error!|[Ee]rror (?:for|in|while|setting|creating|(?:initial|final)izing) |unhandled errors"
    r"|don't match|is not an? (?:AEAD|multi-block)|can be used only with|unsupported key length|derivation failed"
    r"|secret failed|Child (?:exited with [1-9]|terminated by)|Don't understand line|Unknown type ))"
)
_NOT_READ = "this line is in no figure"
_NOT_DONE = "openssl itself says that something asked of it was not done: which code was measured is not sure"
# 'sign verify sign/s verify/s', 'op op/s'; since 3.2 of three and four operations too. Below it stand rows of a name,
# times, and as many rates: '256 bits ecdsa (nistp256)   0.0000s   0.0001s  52096.9  16756.6'.
_HEAD = re.compile(r"\s*+((?:[a-z]++\s++){1,4})((?:[a-z.]++/s\s*+){1,4})$")
_TIME, _NUMERIC = re.compile(r"[\d.]+s"), re.compile(r"-?[\d.]+")
# What a script adds behind a row: the kind of core that it ran on.
_CORE = re.compile(r"\(([^()]{1,60})\)\s*+$")
_BITS = re.compile(r"(\d+) bits")
# Of -mr: what the number of a line stands for (apps/speed.c): the place of the first rate, and the operations. Since
# 3.2 RSA has four, of which older ones print two.
_MACHINE = {
    "F2": ("rsa", 3, ("sign", "verify", "encrypt", "decrypt")),
    "F3": ("dsa", 3, ("sign", "verify")),
    "F4": ("ecdsa", 3, ("sign", "verify")),
    "F5": ("ecdh", 3, ("op",)),
    "F6": ("EdDSA", 4, ("sign", "verify")),
    "F7": ("SM2", 4, ("sign", "verify")),
    "F8": ("ffdh", 3, ("op",)),
}
# Since 3.2: KEMs and signatures of providers. Their names stand in the lines of their first operation, in this order.
_NAMED = {"F9": ("R15", ("keygen", "encaps", "decaps")), "F10": ("R18", ("keygen", "signs", "verify"))}
_FIRST = {of: line for line, (of, _) in _NAMED.items()}


def _read(lines: Iterable[str]) -> Evidence:
    said = Said()
    steps = Steps(said)
    figures = list(_figures(steps.watched(lines), said))
    library = figures[0].circumstances.library if figures else None
    figures += steps.missing(figures, library)
    twice = list(steps.twice())
    # What it says of itself is asked for after the last figure.
    return evidence(figures, "openssl speed", incidents=said.incidents(), twice=twice)


def _readable(figures: Iterable[Figure], said: Said, place: int, line: str) -> list[Figure]:
    """The figures of one line; none where it cannot be read, which is said and no reason to refuse the others."""
    try:
        return list(figures)
    except BadInput as error:
        said.add(Severity.WARNING, place, f"{error.message}: {line.strip()}", _NOT_READ)
        return []


def _figures(lines: Iterable[str], said: Said) -> Iterator[Figure]:
    library: str | None = None
    sizes: list[int] = []
    operations: tuple[str, ...] = ()
    got: list[int] = []
    names: dict[str, list[str]] = {line: [] for line in _NAMED}
    for place, line in enumerate(lines, 1):
        version = _VERSION.match(line)
        kind = line[1:].partition(":")[0] if line.startswith("+") else ""
        if found := _GOT.match(line):
            got = [int(each) for each in found[1].split(":")]
        if len(line) <= _LONGEST and _SAID.match(line):
            said.add(Severity.WARNING, place, line, _NOT_DONE)
        elif version is not None:
            library = f"OpenSSL {version[1]}"
        elif kind == "H":
            sizes = [int(number(each, line=place)) for each in line[3:].split(":")]
        elif kind == "F":
            yield from _readable(_machine_row(place, line, sizes, library, said), said, place, line)
        elif kind in _MACHINE:
            yield from _readable(_machine_rates(place, line, library), said, place, line)
        elif kind in _FIRST and line.count(":") > 1:
            names[_FIRST[kind]].append(line.split(":")[2])
        elif kind in _NAMED:
            name = names[kind].pop(0) if names[kind] else f"{kind} {line.split(':')[1:2]}"
            yield from _readable(_named_rates(place, line, name, _NAMED[kind][1], library), said, place, line)
        elif _SIZES.match(line):
            sizes = [int(number(each, line=place)) for each in _SIZE.findall(line)]
        elif len(line) <= _LONGEST and (head := _HEAD.match(line)):
            operations = tuple(head[1].split())
        elif operations and (row := _name_and_rates(line, len(operations), place, said)):
            name, rates = row
            bits = _BITS.search(name)
            for operation, text in zip(operations, rates, strict=True):
                if (rate := _told(text, said, place)) is not None:
                    yield _rate(name, operation, rate, None if bits is None else bits[1], library)
        elif (
            _CELL.search(line) or ((sizes or got) and len(line) <= _LONGEST and _SLOW_ROW.match(line))
        ) and not line.startswith(("Doing ", "Got: ", "+", "compiler:", "options:")):
            yield from _readable(_row(place, line, sizes, got, library, said), said, place, line)


def _told(text: str, said: Said, place: int, scale: float = 1.0) -> float | None:
    """A number of a row; None where it is negative, which is said and takes away no other. Raises `BadInput`."""
    if text.startswith("-"):
        meaning = "no rate is below nothing: the clock, or a counter of it, is wrong"
        said.add(Severity.FATAL, place, f"a rate of {text}", meaning)
        return None
    return number(text, line=place, scale=scale)


def _row(place: int, line: str, sizes: list[int], got: list[int], library: str | None, said: Said) -> Iterator[Figure]:
    """One line of the table of throughputs, in thousands of bytes per second."""
    cells = list(_CELL.finditer(line))
    any_cells = list(_ANY_CELL.finditer(line))
    if not cells:
        sizes = sizes or got
    if sizes and len(any_cells) == len(sizes) > len(cells):
        values = [_told(cell[1], said, place, 1000.0 if cell[2] else 1.0) for cell in any_cells]
        yield from _throughputs(place, line[: any_cells[0].start()].strip(), values, sizes, library, _core(line))
        return
    if not cells:
        return
    name = line[: cells[0].start()].strip()
    if not name:
        return
    values = [_told(cell[1], said, place, 1000.0) for cell in cells]
    yield from _throughputs(place, name, values, sizes, library, _core(line))


def _core(line: str) -> str | None:
    found = _CORE.search(line[-_LONGEST:])
    return found[1] if found is not None else None


def _machine_row(place: int, line: str, sizes: list[int], library: str | None, said: Said) -> Iterator[Figure]:
    fields = line.split(":")
    if len(fields) < 4:
        raise BadInput("this line was cut short", line=place)
    yield from _throughputs(place, fields[2], [_told(each, said, place) for each in fields[3:]], sizes, library)


def _throughputs(
    place: int,
    name: str,
    values: list[float | None],
    sizes: list[int],
    library: str | None,
    core: str | None = None,
) -> Iterator[Figure]:
    # With -multi the line of sizes is left out of the table.
    if sizes and len(sizes) != len(values):
        raise BadInput(f"{len(values)} throughputs stand under {len(sizes)} sizes", line=place)
    for at, value in enumerate(values):
        if value is None:
            continue
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


def _name_and_rates(line: str, operations: int, place: int, said: Said) -> tuple[str, list[str]] | None:
    """A row below a head: what stands before its times, and what behind them. None of any other line."""
    words = line.split()
    first = next((at for at, word in enumerate(words) if at and _TIME.fullmatch(word)), len(words))
    last = next((at for at in range(first, len(words)) if not _TIME.fullmatch(words[at])), len(words))
    times, rates = last - first, words[last:]
    if times == operations == len(rates):
        return " ".join(words[:first]), rates
    if times and rates and all(map(_NUMERIC.fullmatch, rates)):
        what = f"{len(rates)} rates stand under {operations} operations: {line.strip()}"
        said.add(Severity.WARNING, place, what, _NOT_READ)
    return None


def _machine_rates(place: int, line: str, library: str | None) -> Iterator[Figure]:
    fields = line[1:].split(":")
    family, first, operations = _MACHINE[fields[0]]
    if len(fields) < first + min(len(operations), 2):
        raise BadInput("this line was cut short", line=place)
    bits = str(int(number(fields[2], line=place)))
    curve = f" ({fields[3]})" if first == 4 else ""
    for operation, text in zip(operations, fields[first:], strict=False):
        value = number(text, line=place, column=line.index(text) + 1)
        yield _rate(f"{bits} bits {family}{curve}", operation, value, bits, library)


def _named_rates(
    place: int, line: str, name: str, operations: tuple[str, ...], library: str | None
) -> Iterator[Figure]:
    rates = line.split(":")[2:]
    if len(rates) < len(operations):
        raise BadInput("this line was cut short", line=place)
    for operation, text in zip(operations, rates, strict=False):
        yield _rate(name, operation, number(text, line=place, column=line.index(text) + 1), None, library)


def _rate(algorithm: str, operation: str, value: float, bits: str | None, library: str | None) -> Figure:
    label = " ".join(algorithm.split())
    told = Circumstances(
        operation=operation, library=library, key_bits=None if bits is None or len(bits) > 9 else int(bits)
    )
    of = Measurement("", {"algorithm": label, "operation": operation}, told)
    table = f"rate: {operation}"
    return of.figure(f"{operation}/s", Quantity.RATE, value, "rate", id=f"{label}, {operation}", table=table)


OPENSSL_SPEED = Importer("openssl-speed", "openssl speed", _read, _BEGINS)
