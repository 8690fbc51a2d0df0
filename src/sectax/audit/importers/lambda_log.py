"""What the lines of a log of AWS Lambda tell of each other, beside the figures that its REPORT lines make."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sectax.audit.evidence import Incident, Twice
from sectax.audit.unequal_work import MOST_ERRORS
from sectax.model.finding import Severity
from sectax.model.printable import printable

# What the runtime writes of an invocation that did not do its work. A logger writes '[ERROR]' and a tab.
_TROUBLE = re.compile(
    r"ERROR\t(?:Uncaught Exception|Unhandled Promise Rejection|Invoke Error)|"
    r"Task timed out|INIT_REPORT .{0,80}Status: (?:timeout|error)"
    r"|Runtime exited with error|Runtime\.\w*Error|\[ERROR\] \w*(?:Error|Exception)(?=:)"
)
# What a function's own lines say of work that was not done.
_ERROR = re.compile(
    r"\b(?:ERROR|FATAL|CRITICAL|SEVERE)\b|Traceback \(most recent call last\)|Exception in thread|\bpanic: "
    r"|\b[A-Z]\w*(?:Error|Exception)\b: |\b[Ff]ailed to \w|\bcould not \w|\"(?:level|severity)\": ?\"(?:error|fatal)\""
    r"|(?<![\w.])[Ee]rror: (?!null|none|None|0\b|false|undefined|nil)|errorMessage"
)
# Pieces of which each such line has one: looking for these is ten times as fast.
_OF_ERRORS = (
    "rror",
    "RROR",
    "xception",
    "raceback",
    "FATAL",
    "CRITICAL",
    "SEVERE",
    "panic",
    "ailed to",
    "ould not",
    "atal",
)
_OF_SLEEPS = ("leep", "ait", "elay", "aus", "SLEEP", "WAIT", "DELAY")
# The tool that listed the log failed on the way, so the log is not whole.
_CUT = re.compile(r"aws: \[ERROR\]|An error occurred \(\w++\) when calling|Unable to locate credentials")
# A START line is written when an invocation begins, with what runs; an INIT_START with what runs it.
_START = re.compile(r"START RequestId: (\S{1,80})(?: Version: (\S{1,60}))?")
_RUNTIME = re.compile(r"INIT_START Runtime Version: (\S{1,80})")
_REQUEST = re.compile(r"REPORT RequestId: (\S{1,80})")
_SLEEP = re.compile(
    r"(?i)\b(?:sleep|wait|delay|paus)(?:ing|s|ed|e)?\b[^\d\n]{0,30}(\d{1,6}(?:\.\d{1,6})?) ?"
    r"(ms|millis\w*|s|secs?|seconds?)\b"
)
# A sleep makes all of a time that is so little longer.
_AFTER_SLEEP, _WAKING_S = 1.02, 0.05
# The service rounds what it bills up to a millisecond, until December 2020 to the next 100 ms, and bills the
# initialisation too: of some runtimes always, of all since August 2025. What is off by more is said, from a tenth on F.
_STEPS_S, _BESIDE_S, _FAR_OFF = (1e-3, 0.1), 2e-3, 0.1
# One that is cut off is billed for its whole timeout, and takes a little longer.
_MOST_AFTER_TIMEOUT_S = 1.0
# No invocation lasts longer.
_LONGEST_S = 901.0
# The service reports a little more memory than there is where a process was killed for it.
_MOST_USED = 1.05
_MOST_TOLD = 5
# First among few that are not marked as cold, and so many times the slowest other.
_COLD = 5.0


@dataclass
class Log:
    """What was seen so far.

    Attributes:
        twice: what REPORT lines say that their other numbers rule out.
    """

    twice: list[Twice] = field(default_factory=list)
    _ended: dict[str, list[float]] = field(default_factory=dict)
    _versions: dict[str, None] = field(default_factory=dict)
    _runtimes: dict[str, None] = field(default_factory=dict)
    _cut_off: list[tuple[int, float, float]] = field(default_factory=list)
    _trouble: Counter[str] = field(default_factory=Counter)
    _errors: list[tuple[int, str]] = field(default_factory=list)
    _cuts: list[str] = field(default_factory=list)
    _slept_s: float = 0.0
    _sleeps: list[tuple[int, float, float]] = field(default_factory=list)
    _billed: dict[str, int] = field(default_factory=dict)
    _took: list[float] = field(default_factory=list)
    _marked: bool = False

    def take(self, line: str, place: int) -> None:
        """A line that is no REPORT."""
        if start := _START.search(line):
            self._slept_s = 0.0
            if start[2]:
                self._versions.setdefault(start[2])
        elif runtime := _RUNTIME.search(line):
            self._runtimes.setdefault(runtime[1])
        elif cut := _CUT.search(line):
            self._cuts.append(f"line {place} says '{cut[0]}'")
        elif any(each in line for each in _OF_SLEEPS) and (sleep := _SLEEP.search(line)):
            self._slept_s += float(sleep[1]) * (1e-3 if sleep[2].lower().startswith("m") else 1.0)
        if trouble := _TROUBLE.search(line):
            self._trouble[trouble[0]] += 1
        elif any(each in line for each in _OF_ERRORS) and (error := _ERROR.search(line)):
            self._errors.append((place, line[max(0, error.start() - 20) : error.end() + 60]))

    def report(self, line: str, at: int, told: Mapping[str, float], place: int) -> None:
        """A REPORT: what it bills beside what it took, and what it used beside what it has."""
        took = told["duration"]
        if request := _REQUEST.match(line, at):
            self._ended.setdefault(request[1], []).append(took)
        self._marked |= "init" in told or "restore" in told
        if len(self._took) < _MOST_TOLD:
            self._took.append(took)
        if 0 < self._slept_s <= took <= self._slept_s * _AFTER_SLEEP + _WAKING_S:
            self._sleeps.append((place, self._slept_s, took))
        self._slept_s = 0.0
        if (billed := told.get("billed")) is not None:
            self._bill(billed, took, told, place)
        if took > _LONGEST_S:
            self._add(f"the duration in line {place}, in seconds,", took, _LONGEST_S - 1, "and the longest timeout is")
        memory = told.get("memory", math.inf)
        if told.get("used", 0.0) > memory * _MOST_USED:
            self._add(f"the memory used in line {place}, in bytes,", told["used"], memory, "and there is")

    def _bill(self, billed: float, took: float, told: Mapping[str, float], place: int) -> None:
        if billed == round(billed) and 0 <= took - billed < _MOST_AFTER_TIMEOUT_S:
            if billed < took - 1e-3:
                self._cut_off.append((place, billed, took))
            return
        wholes = [took, *(took + told[name] for name in ("init", "restore_billed", "restore") if name in told)]
        fits = {
            step
            for step in _STEPS_S
            for whole in wholes
            if abs(math.ceil(whole / step - 1e-6) * step - billed) <= _BESIDE_S
        }
        if len(fits) == 1:
            self._billed.setdefault(f"{1000 * fits.pop():g} ms", place)
        elif not fits:
            nearest = min(wholes, key=lambda whole: abs(whole - billed))
            severity = Severity.FATAL if abs(nearest - billed) > _FAR_OFF * billed else Severity.WARNING
            self._add(f"the billed duration in line {place}, in seconds,", billed, nearest, "and it took", severity)

    def _add(self, what: str, told: float, follows: float, words: str, severity: Severity = Severity.FATAL) -> None:
        # One is enough to say that a log was changed or mixed up.
        if len(self.twice) < _MOST_TOLD:
            self.twice.append(Twice(what, told, follows, words, 0.0, tolerance=0.0, severity=severity))

    def incidents(self, reports: int) -> Iterator[Incident]:
        """What is wrong with the log as a whole, of so many REPORT lines."""
        yield from self._failures(reports)
        for names, what in (
            (self._versions, "versions of the function"),
            (self._runtimes, "versions of the runtime"),
            (self._billed, "steps of what is billed, which changed in December 2020"),
        ):
            if len(names) > 1:
                yield Incident(
                    Severity.WARNING,
                    f"the log is of {len(names)} {what}: {', '.join(printable(each, 60) for each in names)}",
                    "their times stand in one figure, which is of none of them",
                    "apples-and-oranges",
                )
        yield from self._again()
        if self._sleeps:
            place, slept, took = self._sleeps[0]
            yield Incident(
                Severity.WARNING,
                f"line {place}: it took {took:g} s and slept for {slept:g} s; so it is in {len(self._sleeps)} of "
                f"{reports} REPORT lines",
                "the time is the one that it was told to wait: it shows no cost and no lack of one",
                "fixed-time-total",
            )
        first, *others = self._took or [0.0]
        if self._runtimes and not self._marked and others and first >= _COLD * max(others):
            yield Incident(
                Severity.WARNING,
                f"the first invocation after INIT_START took {first:g} s, and the next {max(others):g} s at the most",
                "it is a cold start that no Init Duration marks: it is another quantity than the others",
                "first-trial",
            )

    def _failures(self, reports: int) -> Iterator[Incident]:
        for trouble, times in self._trouble.items():
            yield Incident(
                Severity.FATAL if times > MOST_ERRORS * reports else Severity.WARNING,
                f"'{trouble}' stands in {times} lines, beside {reports} REPORT lines",
                "an invocation that fails or is cut off takes another time than one that does its work",
                "unequal-work",
            )
        if self._errors:
            place, words = self._errors[0]
            yield Incident(
                Severity.WARNING,
                f"{len(self._errors)} lines of the log tell of an error (line {place}: "
                f"'{printable(words.strip(), 100)}')",
                "a part of the work was not done: see whether its time is that of the others",
                "unequal-work",
            )
        for cut in self._cuts:
            yield Incident(Severity.WARNING, cut, "the tool that listed the log failed: the log may be cut short")
        if self._cut_off:
            place, billed, took = self._cut_off[0]
            yield Incident(
                Severity.FATAL if len(self._cut_off) > MOST_ERRORS * reports else Severity.WARNING,
                f"line {place}: {billed:g} s are billed of {took:g} s; so it is in {len(self._cut_off)} of {reports} "
                "REPORT lines",
                "it was stopped at its timeout, which is billed: how long the work takes is not known",
            )

    def _again(self) -> Iterator[Incident]:
        """Requests with more than one REPORT: lines that were copied, or events that were tried again."""
        copies = sum(len(took) - len(set(took)) for took in self._ended.values())
        retries = sum(len(set(took)) - 1 for took in self._ended.values())
        if copies:
            yield Incident(
                Severity.WARNING,
                f"{copies} REPORT lines have the RequestId and the duration of another",
                "lines were copied, or parts of the log overlap: they are no further invocations",
                "copied-data",
            )
        if retries:
            yield Incident(
                Severity.WARNING,
                f"{retries} REPORT lines have the RequestId of another",
                "the same event was tried again, as Lambda does where the first try failed",
                "unequal-work",
            )
