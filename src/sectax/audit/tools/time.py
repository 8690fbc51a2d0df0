"""`time` of bash, ksh and zsh, and GNU time with and without -v."""

from __future__ import annotations

from sectax.audit.reading.grammar import Record, Text
from sectax.audit.reading.printed import Number, read


def _complete(record: Record) -> None:
    # bash prints no command, so nothing says that two runs are of the same.
    name = (record.text("command") or f"the time in line {record.line}").strip('"')
    # Its decimal sign is that of the language.
    taken = (record.text("taken") or "").replace(",", ".")
    record.put({"name": name, "time.one": read("t" if taken.endswith("s") else "clock", taken)}, {"command": name})


TIME = Text(
    name="time",
    title="the output of time",
    means="One run from start to end, with the start of the program.",
    starts=(
        r"real (?=[\dhms.,]{3,20}$){taken:w}$",
        r"(?=.{1,1000}$)(?:(?!\d){command:text} )?[\d.,]{1,12}s user [\d.,]{1,12}s system \d{1,6}% cpu "
        r"(?=[\d:.,]{3,20} total$){taken:w} total$",
        r"[\d.]{1,12}user [\d.]{1,12}system {time.one:clock}elapsed ",
        r"Command being timed: {command:text}$",
    ),
    lines=(r"Elapsed \(wall clock\) time \(h:mm:ss or m:ss\): (?=[\d:.]{3,20}$){taken:w}$",),
    fails=(r"Command (?:exited with non-zero status|terminated by signal)",),
    fixed={"batch": Number(1.0), "replicate": "process"},
    repeats=True,
    below_others=True,
    complete=_complete,
)
