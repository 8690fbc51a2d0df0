"""What `openssl speed` prints: its tables, and the lines of -mr. Of a rate and its reciprocal the rate is taken.

Source: every string in apps/speed.c of 1.0.2 and 3.2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from sectax.audit.evidence import Evidence, Twice
from sectax.audit.figure import Circumstances, Figure, Moves, Quantity
from sectax.audit.importers.openssl_steps import Steps
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.audit.importers.said import Said
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number
from sectax.model.finding import Severity
from sectax.model.printable import printable

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
_CELL = re.compile(r"(?<=\s)([-+]?(?:\d[^\s]*|nan|inf))k(?=\s|$)")
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
# Since it goes on without it: an engine that was asked for, and that is not there or cannot be used.
_NO_ENGINE = re.compile(r"(?:.{0,80}: )?(?:[Ii]nvalid engine\b|can't use that engine\b)")
_INSTEAD = "the engine that was asked for is not used: what follows is of openssl's own code"
_NOT_READ = "this line is in no figure"
_NOT_DONE = "openssl itself says that something asked of it was not done: which code was measured is not sure"
# 'sign verify sign/s verify/s', 'op op/s'; since 3.2 of three and four operations too. Below it stand rows of a name,
# times, and as many rates: '256 bits ecdsa (nistp256)   0.0000s   0.0001s  52096.9  16756.6'.
_HEAD = re.compile(r"\s*+((?:[a-z]++\s++){1,4})((?:[a-z.]++/s\s*+){1,4})$")
_TIME, _NUMERIC = re.compile(r"[\d.]+s"), re.compile(r"-?[\d.]+")
# What a script adds behind a row: the kind of core that it ran on.
_CORE = re.compile(r"\(([^()]{1,60})\)\s*+$")
_OUTPUT_FACT = re.compile(r"(version|built on|compiler|CPUINFO): (.*)")
_HASH = re.compile(r"(?i)sha|md[245]|sm3|blake|ripemd|rmd|whirlpool|hmac")
_RSA = re.compile(r"(?i)\brsa\b")
# A larger block in so much of the time of a smaller one; its throughput as a share of the one before: among real
# rows the least are 0.74, of random numbers, and 0.97.
LEAST_TIME, LEAST_OF_BEFORE = 0.7, 0.8
# In bytes; a hash of less takes the time of a whole block of 64 bytes, here with a tolerance of two.
HALF_A_BLOCK = 32.0
LARGE, MORE_ROUNDS = 1024.0, 1.1
# By this power of the ratio of their bits longer keys are slower at the least: real ones by 1.3 to 4.
LEAST_POWER = 0.5
# And of twice the bits no more than so many times, whatever code there is for the shorter key alone.
MOST_SLOWER = {"sign": 20.0, "verify": 10.0}
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


@dataclass
class _Outputs:
    """What stands around the tables: steps on the way to them, and how each output was made.

    Attributes:
        times: rates beside their times, in rows of both.
        facts: what `built on:` and such lines say, each once.
        forked: whether several processes measured at once, in any of the outputs.
        refused: the first line that says that an engine was not there, and its place.
    """

    times: list[Twice] = field(default_factory=list)
    facts: dict[str, dict[str, None]] = field(default_factory=dict)
    forked: bool = False
    versions: int = 0
    since_version: set[str] = field(default_factory=set)
    with_: dict[str, int] = field(default_factory=dict)
    refused: tuple[int, str] | None = None

    def take(self, line: str, place: int, said: Said) -> None:
        """One line, of any kind."""
        if self.refused is None and _NO_ENGINE.match(line[:_LONGEST]):
            self.refused = place, line
        if line.startswith("Forked child"):
            self.forked = True
            self.since_version.add("several processes (-multi)")
        elif line.startswith("You have chosen to measure elapsed time"):
            self.since_version.add("elapsed time (-elapsed)")
        elif fact := _OUTPUT_FACT.match(line[:_LONGEST]):
            self.facts.setdefault(fact[1], {}).setdefault(fact[2].strip())
            if fact[1] == "CPUINFO" and " env:" in fact[2]:
                meaning = "instructions such as AES-NI were switched off or on by hand"
                said.add(Severity.WARNING, place, fact[0], meaning)
            if fact[1] == "version":
                self.versions += 1
                for name in self.since_version:
                    self.with_[name] = self.with_.get(name, 0) + 1
                self.since_version = set()

    def say(self, said: Said, *, measured: bool) -> None:
        """Note what differs between the outputs, and what was measured although it was refused."""
        if self.refused is not None:
            severity, meaning = (Severity.FATAL, _INSTEAD) if measured else (Severity.WARNING, _NOT_DONE)
            said.add(severity, *self.refused, meaning)
        differs = "set beside each other they show the difference of that as well"
        for name, told in self.facts.items():
            if name != "version" and len(told) > 1:
                # A list of options may be long, and differ at its end.
                shown = " and ".join(each if len(each) < 60 else f"…{each[-60:]}" for each in list(told)[:2])
                said.add(Severity.WARNING, 0, f"outputs of {len(told)} builds or machines, {name}: {shown}", differs)
        for name, count in self.with_.items():
            if count < self.versions:
                said.add(Severity.WARNING, 0, f"{count} of {self.versions} outputs are of {name}", differs)


# In operations a second; of a smaller one nothing follows, nor can all of them be squared.
_LEAST_RATE = 1e-9


def _times_and_rates(name: str, times: list[str], rates: list[str], place: int) -> Iterator[Twice]:
    """A time of a row is one over its rate, to its printed digits."""
    for time, rate in zip(times, rates, strict=True):
        if rate.startswith("-"):
            continue
        seconds, each = number(time.removesuffix("s"), line=place), number(rate, line=place)
        if each > _LEAST_RATE:
            step = 10.0 ** -len(time.removesuffix("s").partition(".")[2])
            what, from_ = f"a time of {printable(name, 60)}, in seconds,", "one over the rate beside it is"
            # Printed rates have digits of their own.
            yield Twice(what, seconds, 1 / each, from_, 0.6 * step + 0.06 / each**2, (), 0.01)


def _throughputs_by_size(figures: Sequence[Figure]) -> Iterator[Twice]:
    """Of each row: a larger block takes longer, at a throughput that does not fall; a hash fills a block at least."""
    rows: dict[tuple[str, ...], list[Figure]] = {}
    for figure in figures:
        if figure.quantity is Quantity.BANDWIDTH and figure.circumstances.size_bytes and figure.value:
            levels = tuple(level for name, level in figure.levels.items() if name != "size")
            row = rows.setdefault(levels, [])
            # A name that comes again is a row of its own.
            if row and row[-1].circumstances.size_bytes >= figure.circumstances.size_bytes:  # type: ignore[operator]
                yield from _row_by_size(row)
                row.clear()
            row.append(figure)
    for row in rows.values():
        yield from _row_by_size(row)


def _row_by_size(row: Sequence[Figure]) -> Iterator[Twice]:
    for one, other in pairwise(row):
        slow, fast = one.value or 0.0, other.value or 0.0
        few, many = one.circumstances.size_bytes or 0.0, other.circumstances.size_bytes or 0.0
        what, ids = f"the throughput of {printable(other.id, 60)}", (one.id, other.id)
        if slow / few > 0 and (many / fast) < LEAST_TIME * (few / slow):
            from_ = f"{many:g} bytes would take less time than {few:g}, which can be no more than"
            yield Twice(what, fast, many / (few / slow), from_, 0.0, ids, 0.0)
        elif fast < LEAST_OF_BEFORE * slow:
            yield Twice(what, fast, slow, f"of smaller blocks, {one.id}, it is", 0.0, ids, 0.0, Severity.WARNING)
    first, last = row[0], row[-1]
    size = first.circumstances.size_bytes or 0.0
    if len(row) > 2 and _HASH.search(first.levels["type"]) and size <= HALF_A_BLOCK:
        most = (last.value or 0.0) * size / HALF_A_BLOCK
        if (first.value or 0.0) > most:
            from_ = f"a hash works on blocks of 64 bytes at the least; beside {last.id} it can be no more than"
            yield Twice(f"the throughput of {first.id}", first.value or 0.0, most, from_, 0.0, (first.id, last.id), 0.0)


def _ciphers(figures: Sequence[Figure]) -> Iterator[Twice]:
    """AES of 256 bits has 14 rounds, of 128 bits 10: it is not the faster one."""
    rates = {
        (figure.levels["type"].lower(), figure.circumstances.size_bytes, figure.levels.get("core")): figure
        for figure in figures
        if figure.quantity is Quantity.BANDWIDTH and (figure.circumstances.size_bytes or 0.0) >= LARGE
    }
    for (name, size, core), figure in rates.items():
        other = rates.get((name.replace("256", "128", 1), size, core)) if "aes-256" in name else None
        if other is not None and (figure.value or 0.0) > MORE_ROUNDS * (other.value or 0.0):
            ids = (figure.id, other.id)
            from_ = f"with fewer rounds {other.id} has"
            what = f"the throughput of {figure.id}"
            yield Twice(what, figure.value or 0.0, other.value or 0.0, from_, 0.0, ids, 0.0, Severity.WARNING)


def _keys(figures: Sequence[Figure], said: Said) -> Iterator[Twice]:
    """RSA verifies faster than it signs, and is slower with a longer key, by as much as the arithmetic is more."""
    rates: dict[str, dict[int, Figure]] = {}
    for figure in figures:
        told = figure.circumstances
        if told.key_bits and _RSA.search(figure.levels.get("algorithm", "")) and told.operation in ("sign", "verify"):
            rates.setdefault(told.operation, {}).setdefault(told.key_bits, figure)
    signs, verifies = rates.get("sign", {}), rates.get("verify", {})
    for bits in signs.keys() & verifies.keys():
        one, other = signs[bits], verifies[bits]
        if (one.value or 0.0) > (other.value or 0.0):
            from_ = "a public exponent is short, and verifying faster: it is"
            yield Twice(
                f"the rate of {one.id}", one.value or 0.0, other.value or 0.0, from_, 0.0, (one.id, other.id), 0.0
            )
    for operation, of in rates.items():
        for few in sorted(bits for bits in of if 2 * bits in of):
            one, other = of[few], of[2 * few]
            slower = (one.value or 0.0) / (other.value or math.inf)
            if slower > MOST_SLOWER[operation]:
                what = f"{other.id}: {slower:.3g} times slower than with {few} bits"
                meaning = "no such difference is between the two: the machine was slower while one of them was measured"
                said.add(Severity.WARNING, 0, what, meaning, "modes")
        for few, many in pairwise(sorted(of)):
            most = (of[few].value or 0.0) * (few / many) ** LEAST_POWER
            if (of[many].value or 0.0) > most:
                from_ = f"beside that of {of[few].id} it can be no more than"
                ids = (of[few].id, of[many].id)
                yield Twice(f"the rate of {of[many].id}", of[many].value or 0.0, most, from_, 0.0, ids, 0.0)


def _read(lines: Iterable[str]) -> Evidence:
    said, outputs = Said(), _Outputs()
    steps = Steps(said)
    figures, behind = [], 0
    for figure in _figures(steps.watched(lines), said, outputs):
        figures.append(figure)
        behind += outputs.refused is not None
    of_steps = steps.twice(figures, at_once=outputs.forked)
    library = figures[0].circumstances.library if figures else None
    missing = list(steps.missing(figures, library))
    outputs.say(said, measured=bool(behind or missing))
    figures += missing
    twice = list(chain(outputs.times, _throughputs_by_size(figures), _ciphers(figures), _keys(figures, said), of_steps))
    # What it says of itself is asked for after the last figure.
    return evidence(figures, "openssl speed", incidents=said.incidents(), twice=twice)


def _readable(figures: Iterable[Figure], said: Said, place: int, line: str) -> list[Figure]:
    """The figures of one line; none where it cannot be read, which is said and no reason to refuse the others."""
    try:
        return list(figures)
    except BadInput as error:
        said.add(Severity.WARNING, place, f"{error.message}: {line.strip()}", _NOT_READ)
        return []


def _figures(lines: Iterable[str], said: Said, outputs: _Outputs) -> Iterator[Figure]:
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
        outputs.take(line, place, said)
        if len(line) <= _LONGEST and _SAID.match(line) and not _NO_ENGINE.match(line):
            said.add(Severity.WARNING, place, line, _NOT_DONE)
        elif version is not None:
            library = f"OpenSSL {version[1]}"
        elif kind == "H" or line.startswith("Got: +H:"):
            # Of several processes the sizes stand in their lines alone, not over the table.
            told = line.removeprefix("Got: ")[3:].partition(" from ")[0]
            sizes = [int(number(each, line=place)) for each in told.split(":")]
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
            if any(one >= two for one, two in pairwise(sizes)):
                meaning = "openssl prints them in rising order: heads were changed, and figures stand under other sizes"
                said.add(Severity.FATAL, place, line, meaning, "contradiction")
        elif len(line) <= _LONGEST and (head := _HEAD.match(line)):
            operations = tuple(head[1].split())
        elif operations and (row := _name_and_rates(line, len(operations), place, said)):
            name, times, rates = row
            bits = _BITS.search(name)
            outputs.times += _times_and_rates(name, times, rates, place)
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


def _name_and_rates(line: str, operations: int, place: int, said: Said) -> tuple[str, list[str], list[str]] | None:
    """A row below a head: what stands before its times, the times, and the rates. None of any other line."""
    words = line.split()
    first = next((at for at, word in enumerate(words) if at and _TIME.fullmatch(word)), len(words))
    last = next((at for at in range(first, len(words)) if not _TIME.fullmatch(words[at])), len(words))
    times, rates = last - first, words[last:]
    if times == operations == len(rates):
        return " ".join(words[:first]), words[first:last], rates
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
