"""`openssl speed`: apps/speed.c of 1.0.2 and 3.2; its tables, the steps on the way to them, and -mr."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sectax.audit.form import EndsBy, Moves, Trouble, TroubleKind
from sectax.audit.reading.grammar import Record, Text
from sectax.audit.reading.printed import Number, read

# Of -mr: what stands before the first rate, and the operations. Since 3.2 RSA has four.
_RSA = ("sign", "verify", "encrypt", "decrypt")
_MACHINE = {
    "F2": ("rsa", 3, _RSA),
    "F3": ("dsa", 3, _RSA[:2]),
    "F4": ("ecdsa", 3, _RSA[:2]),
    "F5": ("ecdh", 3, ("op",)),
    "F6": ("EdDSA", 4, _RSA[:2]),
    "F7": ("SM2", 4, _RSA[:2]),
    "F8": ("ffdh", 3, ("op",)),
}
_BITS = re.compile(r"(\d{2,6}) bits")
Step = tuple[Number, Number]


def _shape(records: list[Record]) -> list[Record]:
    made: list[Record] = []
    steps: dict[tuple[str, float], Step] = {}
    for record in records:
        step, size = record.text("step"), record.number("step_size")
        count, seconds = record.number("step_count"), record.number("step_s")
        if step is not None and size is not None and count is not None and seconds is not None:
            steps[step.lower(), size.value] = count, seconds
        elif "step" not in record.fields:
            row = record.fields.keys() & {"cells", "machine_row"}
            made += _throughputs(record, steps) if row else _rates(record)
    return made


def _numbers(record: Record, text: str) -> list[Number | None]:
    """The numbers of a row, in thousands where a k is behind them; None where one is below 0, as of a wrong clock."""
    found: list[Number | None] = []
    for word in re.split(r"[\s:]+", text.strip()):
        number = read("n", word)
        if isinstance(number, Number) and number.value < 0:
            record.troubles.append(Trouble(TroubleKind.FAILED, record.line, text))
            number = None
        found.append(number if isinstance(number, Number) else None)
    return found


def _throughputs(record: Record, steps: dict[tuple[str, float], Step]) -> Iterator[Record]:
    name, cells = record.text("row") or "", record.text("cells") or ""
    if (machine := record.text("machine_row")) is not None:
        name, _, cells = machine.partition(":")
    numbers = _numbers(record, cells)
    heads = [record.text(head) or "" for head in ("sizes", "machine_sizes")]
    sizes = next((found for head in heads if len(found := re.findall(r"\d+", head)) == len(numbers)), [])
    for at, number in enumerate(numbers):
        size = f"{sizes[at]} bytes" if sizes else f"column {at + 1}"
        made = _made(record, f"{name}, {size}", {"type": name, "size": size})
        if number is None:
            continue
        made.fields |= {"bandwidth": [Number(number.value, number.step, "bytes/s")], "operation": [name]}
        if sizes:
            made.fields |= {"size_bytes": [Number(float(sizes[at]))], "moves": [Moves.BODY]}
            step = steps.pop((name.lower(), float(sizes[at])), None)
            if step is not None and record.number("child") is None:
                count, seconds = step
                made.fields |= {"operations": [count], "duration_s": [seconds]}
                made.fields["bytes"] = [Number(count.value * float(sizes[at]))]
        yield made


def _rates(record: Record) -> Iterator[Record]:
    """Rows of times and as many rates, or a line of -mr."""
    algorithm = " ".join((record.text("algorithm") or "").split())
    if (machine := record.text("machine")) is not None:
        kind, *fields = machine.split(":")
        family, first, operations = _MACHINE.get(kind, (kind, 3, ()))
        curve = f" ({fields[2]})" if first == 4 and len(fields) > 2 else ""
        algorithm = f"{fields[1]} bits {family}{curve}" if len(fields) > 1 else family
        times, rates = [], _numbers(record, ":".join(fields[first - 1 :]))
    else:
        operations = tuple(re.findall(r"([a-z]+)/s", record.text("columns") or ""))
        words = (record.text("numbers") or "").split()
        times = _numbers(record, " ".join(word.rstrip("s") for word in words if word.endswith("s")))
        rates = _numbers(record, " ".join(word for word in words if not word.endswith("s")))
    bits = _BITS.search(algorithm)
    for at, (operation, rate) in enumerate(zip(operations, rates, strict=False)):
        made = _made(record, f"{algorithm}, {operation}", {"algorithm": algorithm, "operation": operation})
        if rate is None or len(times) not in (0, len(rates)):
            continue
        made.fields |= {"rate": [rate], "operation": [operation]}
        if times and (time := times[at]) is not None:
            made.fields["time_printed"] = [time]
        if bits is not None:
            made.fields["key_bits"] = [Number(float(bits[1]))]
        yield made


def _made(record: Record, name: str, levels: dict[str, str]) -> Record:
    made = Record(record.line, ended=True, troubles=record.troubles)
    core = record.text("core")
    levels |= {"core": core} if core is not None else {}
    made.fields |= {"name": [name], **{f"level.{factor}": [level] for factor, level in levels.items()}}
    if core is not None:
        made.fields["processor"] = [core]
    if (library := record.text("library")) is not None:
        made.fields["library"] = [f"OpenSSL {library}"]
    return made


_SHORT = r"(?=.{1,400}$)(?!Doing |Got: |\+|compiler:|options:|type )"
OPENSSL_SPEED = Text(
    name="openssl-speed",
    title="openssl speed",
    head=(
        r"(?:version: |OpenSSL )(?=\d+\.){library:w}",
        r"type (?=\d+ bytes){sizes:text}$",
        r"(?:Got: )?\+H:{machine_sizes:w}",
        r"Forked child {child:n}",
        r"(?=.{1,200}$)(?=(?:[a-z]++\s++){1,4}(?:[a-z.]++/s\s*+){1,4}$){columns:text}$",
    ),
    rows=(
        r"Doing {step:text} (?:ops )?for [\d.]+s on {step_size:n} size blocks: {step_count:n} .{1,80}? in {step_s:s}s",
        rf"{_SHORT}{{row:text}} (?=(?:-?\d++\.\d++k?(?:\s++|$))+(?:\([^()]{{1,60}}\))?$)(?=.*\dk\b)"
        r"{cells:text}(?: \({core:text}\))?$",
        rf"{_SHORT}{{algorithm:text}} (?=(?:\d++\.\d++s\s++)+-?\d){{numbers:text}}(?: \({{core:text}}\))?$",
        r"\+F:\d+:{machine_row:w}$",
        r"\+(?=F\d+:){machine:w}$",
    ),
    fails=(r"(?:.{0,80}: )?(?:[Ii]nvalid engine\b|can't use that engine\b)",),
    warns=(
        r"(?!compiler:|options:|built on:)(?:Error[: ]|.{0,200}(?:[Uu]nknown algorithm|is an unknown|:error:"
        r"|[Ff]ailure\b| error!|[Ee]rror (?:for|in|while|setting|creating|(?:initial|final)izing)|unhandled "
        r"errors|don't match"
        r"|is not an? (?:AEAD|multi-block)|can be used only with|unsupported key length|derivation failed|secret failed"
        r"|Child (?:exited with [1-9]|terminated by)|Don't understand line|Unknown type ))",
        # Instructions such as AES-NI were switched on or off by hand.
        r"CPUINFO: .{0,200} env:",
    ),
    fixed={"ends_by": EndsBy.TIME},
    promises=("time_printed * rate = 1",),
    shape=_shape,
)
GRAMMARS = (OPENSSL_SPEED,)
