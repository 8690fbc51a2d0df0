"""What `hyperfine --export-json` writes.

Source: src/benchmark and src/export of sharkdp/hyperfine. Of each run there is one time and one exit code, since 1.18
of memory too; the time of an empty shell is taken off each time, which is 0 where that is more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec

from sectax.audit.evidence import Evidence, Twice
from sectax.audit.figure import Circumstances, Contrast, Figure, Quantity
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.audit.importers.sizes import named_size
from sectax.formats import json_text
from sectax.model.printable import printable

_BEGINS = re.compile(r'\s*\{\s*"results"\s*:')


class _Result(msgspec.Struct):
    command: str
    mean: float | None = None
    median: float | None = None
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
    return evidence(figures, "hyperfine", contrast, twice=chain(*map(_counts, results)))


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
        name: json_text.checked((each,), f"results[{at}].{name}")[0]
        for name in ("mean", "median", "min", "max")
        if (each := getattr(result, name)) is not None
    }
    return of.figure("time", Quantity.TIME, value, statistic, id=result.command, values=times, stated=stated)


HYPERFINE = Importer("hyperfine", "hyperfine's JSON", _read, known=lambda head: _BEGINS.match(head) is not None)
