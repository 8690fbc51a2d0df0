"""Timed commands in the forms of hyperfine's own exports, for programs and pages that read those.

Source: https://github.com/sharkdp/hyperfine, `--export-json` and `--export-markdown` of version 1.15.
"""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from sectax.reports import escape
from sectax.text.printable import printable


@dataclass(frozen=True)
class TimedCommand:
    """One command with all its executions that counted, in seconds.

    Attributes:
        times: of one execution each; where several short ones were timed together, their mean.
        mean: over all executions.
        user, system: CPU time of one execution, the mean; None where a file does not have it.
        exit_codes: one per time; None where it is not known.
        parameters: the values of scans.
        verdict: beside the baseline, in words.
    """

    command: str
    times: tuple[float, ...]
    mean: float
    user: float | None
    system: float | None
    exit_codes: tuple[int | None, ...]
    parameters: Mapping[str, str]
    verdict: str

    @property
    def stddev(self) -> float | None:
        return statistics.stdev(self.times) if len(self.times) > 1 else None


def as_json(commands: Sequence[TimedCommand]) -> str:
    """The document of `hyperfine --export-json`."""
    return msgspec.json.format(msgspec.json.encode({"results": list(map(_result, commands))}), indent=2).decode() + "\n"


def _result(timed: TimedCommand) -> dict[str, object]:
    result: dict[str, object] = {
        "command": timed.command,
        "mean": timed.mean,
        "stddev": timed.stddev,
        "median": statistics.median(timed.times),
        "user": timed.user,
        "system": timed.system,
        "min": min(timed.times),
        "max": max(timed.times),
        "times": list(timed.times),
        "exit_codes": list(timed.exit_codes),
    }
    # hyperfine leaves it out where nothing was scanned.
    return result | ({"parameters": dict(timed.parameters)} if timed.parameters else {})


def as_csv(commands: Sequence[TimedCommand]) -> str:
    """The table of `hyperfine --export-csv`."""
    scanned = list(dict.fromkeys(name for command in commands for name in command.parameters))
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    heads = ("command", "mean", "stddev", "median", "user", "system", "min", "max")
    writer.writerow((*heads, *(f"parameter_{name}" for name in scanned)))
    for command in commands:
        result = _result(command) | {"command": escape.cell(command.command)}
        writer.writerow(
            (*(result[head] for head in heads), *(escape.cell(command.parameters[name]) for name in scanned))
        )
    return table.getvalue()


def as_markdown(commands: Sequence[TimedCommand]) -> str:
    """The table of `hyperfine --export-markdown`, with the verdict as a further column."""
    in_seconds = bool(commands) and commands[0].mean >= 1.0
    unit, size, places = ("s", 1.0, 3) if in_seconds else ("ms", 1e-3, 1)
    fastest = min(commands, key=lambda command: command.mean, default=None)
    lines = [
        f"| Command | Mean [{unit}] | Min [{unit}] | Max [{unit}] | Relative | Verdict |",
        "|:---|---:|---:|---:|---:|:---|",
    ]
    for command in commands:
        assert fastest is not None
        spread = "" if command.stddev is None else f" ± {command.stddev / size:.{places}f}"
        figures = (
            f"{command.mean / size:.{places}f}{spread}",
            *(f"{t(command.times) / size:.{places}f}" for t in (min, max)),
        )
        cells = (_code(command.command), *figures, _relative(command, fastest), escape.markdown(command.verdict))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _relative(timed: TimedCommand, fastest: TimedCommand) -> str:
    if timed is fastest:
        return "1.00"
    ratio = timed.mean / fastest.mean
    if timed.stddev is None or fastest.stddev is None:
        return f"{ratio:.2f}"
    spread = ratio * math.hypot(timed.stddev / timed.mean, fastest.stddev / fastest.mean)
    return f"{ratio:.2f} ± {spread:.2f}"


def _code(command: str) -> str:
    """Code in a cell of a table: a pipe ends the cell even there, and backquotes end the code."""
    plain = printable(command)
    if "`" in plain:
        return escape.markdown(plain)
    return f"`{plain.replace('|', chr(92) + '|')}`"
