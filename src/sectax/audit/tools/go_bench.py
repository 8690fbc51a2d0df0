"""`go test -bench`: go.dev/design/14313-benchmark-format."""

from __future__ import annotations

import re

from sectax.audit.form import Moves, Quantity
from sectax.audit.reading.grammar import Record, Text
from sectax.audit.reading.printed import NUMBER, Number, read
from sectax.audit.reading.registry import split_levels

_PAIR = re.compile(rf"({NUMBER}) (\S+)")
_TIMES = {"ns/op": "ns", "us/op": "us", "ms/op": "ms", "s/op": "s"}
_PROCESSORS = re.compile(r"-(\d{1,4})$")


def _complete(record: Record) -> None:
    pairs = re.sub(r"\s+", " ", record.text("pairs") or "")
    name = record.text("name") or ""
    processors = _PROCESSORS.search(name)
    bare = name[: processors.start()] if processors else name
    attributes = {"name": bare, "operation": bare, "option.GOMAXPROCS": processors and processors[1]}
    record.put(attributes | {"level.package": record.text("package")}, split_levels(bare))
    for text, unit in _PAIR.findall(pairs):
        _add(record, text, unit)


def _add(record: Record, text: str, unit: str) -> None:
    number = read(_TIMES.get(unit, "n"), text)
    if not isinstance(number, Number):
        return
    if unit == "MB/s":
        number = Number(number.value * 1e6, number.step * 1e6, "bytes/s")
        record.fields["moves"] = [Moves.BODY]
        time = record.number("ns/op.one")
        if time is not None:
            record.fields["size_bytes"] = [Number(number.value * time.value)]
    elif unit == "B/op":
        number = Number(number.value, number.step, "bytes")
    record.add(f"{unit}.one", number)


GO_BENCH = Text(
    name="go-bench",
    title="the output of go test -bench",
    head=(r"pkg: {package:w}", r"cpu: {processor:text}$", r"goos: {option.goos:w}", r"goarch: {option.goarch:w}"),
    rows=(r"Benchmark{name:w} {batch:n} (?=[\d.+NI-]){pairs:text}$",),
    repeats=True,
    # A name alone, with -v.
    ignored=(r"Benchmark\S{1,400}$",),
    fails=(
        r"--- FAIL: (?:Benchmark|Test|Example|Fuzz)",
        r"(?:Benchmark\S+ )?(?:FAIL(?:$| \S+ (?:[\d.]+s|\[|\())|panic: |fatal error: |exit status [1-9]|signal: )",
        r"(?:Benchmark\S+ )?(?:SIG[A-Z]+: |\*\*\* Test killed)",
    ),
    warns=(
        r"testing: \S+ left GOMAXPROCS set to",
        r"coverage: [\d.]+% of statements",
        r"--- SKIP: ",
        r"WARNING: DATA RACE",
        r"\S*go test .{0,400}?-(?:race|cover)",
        r"Benchmark[^\s/]\S{0,400}-\d{1,5}$",
    ),
    fixed={"calibrated": True},
    quantities={"allocs/op": Quantity.COUNT},
    complete=_complete,
)
