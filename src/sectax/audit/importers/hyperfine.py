"""What `hyperfine --export-json` writes.

Source: src/benchmark and src/export of sharkdp/hyperfine. Of each run there is one time and one exit code, since 1.18
of memory too; the time of an empty shell is taken off each time, which is 0 where that is more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Circumstances, Contrast, Figure, Quantity
from sectax.audit.importers.microbench import wide_errors
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.audit.importers.sizes import named_size
from sectax.formats import json_text
from sectax.model.finding import Severity
from sectax.model.printable import printable

# Below it hyperfine itself warns, as long as a shell starts the command.
WITHIN_THE_SHELL_S = 5e-3
# More than the largest machines have; and a share of the time that leaves nothing but waiting, in commands so long.
MOST_PROCESSORS, LEAST_BUSY, WAITS_S = 384, 0.01, 0.05
_STATED = {"mean": "mean", "median": "median", "min": "min", "max": "max", "standard deviation": "stddev"}

_BEGINS = re.compile(r'\s*\{\s*"results"\s*:')


class _Result(msgspec.Struct):
    command: str
    mean: float | None = None
    stddev: float | None = None
    median: float | None = None
    user: float | None = None
    system: float | None = None
    min: float | None = None
    max: float | None = None
    times: list[float] | None = None
    exit_codes: list[int | None] | None = None
    memory_usage_byte: list[int] | None = None
    parameters: dict[str, str | int | float] = {}


class _Export(msgspec.Struct):
    results: list[_Result]


def _read(lines: Iterable[str]) -> Evidence:
    results = json_text.read(lines, _Export, "hyperfine").results
    figures = [_figure(at, each) for at, each in enumerate(results)]
    # With --reference hyperfine writes the reference first; the file does not tell whether there was one.
    contrast = Contrast("command", None, told=False) if len(results) > 1 else None
    short = [each.command for each in results if 0 < (each.mean or 0.0) < WITHIN_THE_SHELL_S]
    incidents: list[Incident] = []
    if short:
        others = f" and {len(short) - 1} more" if len(short) > 1 else ""
        incidents.append(
            Incident(
                Severity.WARNING,
                f"{printable(short[0], 60)}{others}: less than 5 ms",
                "hyperfine warns of that: it takes the start of a shell off each time, and knows that no better",
            )
        )
    spread = [(each.command, each.mean or 0.0, each.stddev) for each in results if each.stddev is not None]
    incidents += wide_errors(spread, "hyperfine")
    twice = (each for result in results for each in chain(_counts(result), _processor_time(result)))
    return evidence(figures, "hyperfine", contrast, incidents, twice)


def _processor_time(result: _Result) -> Iterator[Twice]:
    """User and system time beside the wall time: more than any machine has processors, or next to nothing."""
    wall, told = result.mean or 0.0, [each for each in (result.user, result.system) if each is not None]
    if not told or wall < WITHIN_THE_SHELL_S / 10:
        return
    spent = sum(json_text.checked(told, f"the processor time of {printable(result.command, 60)}"))
    command, severity = printable(result.command, 60), Severity.WARNING
    if spent > MOST_PROCESSORS * wall:
        limit, severity = MOST_PROCESSORS * wall, Severity.FATAL
        from_ = f"even {MOST_PROCESSORS} processors give within its mean time no more than"
    elif wall >= WAITS_S and spent < LEAST_BUSY * wall:
        limit, from_ = (
            LEAST_BUSY * wall,
            "where it did not wait for something else, it would be a share of its mean time:",
        )
    else:
        return
    what = f"the processor time of {command}, in seconds,"
    yield Twice(what, spent, limit, from_, 0.0, (result.command,), 0.0, severity)


def _counts(result: _Result) -> Iterator[Twice]:
    """Times that were taken out leave the other numbers of their runs behind."""
    for name in ("exit_codes", "memory_usage_byte"):
        beside = getattr(result, name)
        if result.times and beside and len(beside) != len(result.times):
            yield Twice(
                f"the number of times of {printable(result.command, 60)}",
                float(len(result.times)),
                float(len(beside)),
                f"the number of its {name} is",
                0.0,
                (result.command,),
                0.0,
            )


def _figure(at: int, result: _Result) -> Figure:
    times = json_text.checked(result.times or (), f"results[{at}].times")
    mean = json_text.checked(() if result.mean is None else (result.mean,), f"results[{at}].mean")
    codes = result.exit_codes
    runs = len(times) or None
    told = Circumstances(
        operation=result.command,
        **named_size(result.command),
        events=None if runs is None else float(runs),
        # None is a process that a signal ended.
        errors=None if codes is None else float(sum(code != 0 for code in codes)),
        # Every run is a process of its own.
        replicates=runs,
        replicate=None if runs is None else "process",
        batch=1.0,
    )
    levels = {"command": result.command} | {name: str(level) for name, level in result.parameters.items()}
    of = Measurement(result.command, levels, told, runs)
    value, statistic = (mean[0], "mean") if mean else (None, None)
    stated = {
        name: json_text.checked((each,), f"results[{at}].{field}")[0]
        for name, field in _STATED.items()
        if (each := getattr(result, field)) is not None
    }
    return of.figure("time", Quantity.TIME, value, statistic, id=result.command, values=times, stated=stated)


HYPERFINE = Importer("hyperfine", "hyperfine's JSON", _read, known=lambda head: _BEGINS.match(head) is not None)
