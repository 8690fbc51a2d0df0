"""The steps on the way to the tables of `openssl speed`: what was done how often, in which time.

`Doing sha256 for 3s on 16 size blocks: 16986930 sha256's in 2.99s`, and `+DT:` and `+R:` of -mr. People paste them
without the tables; then they are the figures. Beside a table they show how its figures came about.

Source: every string in apps/speed.c of 1.0.2 and 3.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sectax.audit.evidence import Twice
from sectax.audit.figure import Circumstances, Figure, Moves, Quantity
from sectax.audit.importers.parts import Measurement
from sectax.audit.importers.said import Said
from sectax.model.finding import Severity
from sectax.model.printable import printable

_LONGEST = 400
_BEGUN = re.compile(
    r"\s*+Doing (.{1,120}?) for (\d{1,6}(?:\.\d{1,3})?)s"
    r"(?: on (\d{1,9})(?: size blocks| byte blocks| bytes| size)?)?:\s*"
)
_DONE = re.compile(r"\s*+(-?\d{1,20}) .{0,120}? in (-?\d{1,12}(?:\.\d{1,3})?)s")
_MACHINE_BEGUN = re.compile(
    r"\+DT:([^:]{1,60}):(\d{1,6}):(\d{1,9})|\+DTP:(\d{1,6}):([^:]{1,40}):([^:]{1,40}):(\d{1,6})"
)
_MACHINE_DONE = re.compile(r"\+R\d*:(-?\d{1,20}):[^:]{1,60}:(-?\d{1,12}(?:\.\d{1,3})?)")
_BITS = re.compile(r"(\d{2,6})[ -]bits?\b")
_OPERATIONS = {
    **{
        f"{name}{end}": name
        for name in ("sign", "encrypt", "decrypt", "keygen", "encaps", "decaps")
        for end in ("", "s")
    },
    "verify": "verify",
    "verifies": "verify",
    # Last: 'public rsa encrypt' is an encryption.
    "private": "sign",
    "public": "verify",
}
_FAMILIES = ("ecdsa", "ecdh", "eddsa", "ed25519", "ed448", "ffdh", "rsa", "dsa", "sm2")
# Of the time that was asked for. CPU time is less where other programs ran; so little of it was no work of this
# process. It is more by an operation or two.
LEAST_OF_ASKED, MOST_OF_ASKED = 0.1, 2.0
# Of the time that was asked for, that the process must have had a processor.
LEAST_OF_A_PROCESSOR = 0.85
# Printed seconds have two digits after the point.
COUNTED = 0.02
# Counts that a counter of 32 bits ends at.
_ENDS_OF_COUNTERS = {2**31 - 1, 2**31, 2**32 - 1, 2**32}


@dataclass(frozen=True)
class _Step:
    """One of them: *name* was done *count* times in *seconds*, and was to take as long as *asked*."""

    place: int
    name: str
    asked: float
    size: int | None
    count: int
    seconds: float

    @property
    def shown(self) -> str:
        on = "" if self.size is None else f", {self.size} bytes"
        return f"{printable(self.name, 60)}{on}"

    @property
    def rate(self) -> float:
        """How often a second."""
        return self.count / self.seconds

    @property
    def operation(self) -> str:
        return next((each for word, each in _OPERATIONS.items() if word in self.name.lower().split()), "op")

    @property
    def bits(self) -> int | None:
        found = _BITS.search(self.name)
        return None if found is None else int(found[1])

    @property
    def algorithm(self) -> str:
        """As the tables have it: '2048 bits rsa'."""
        words = re.sub(r"'s\b|\bops\b", "", self.name).split()
        kept = [word for word in words if word.lower() not in _OPERATIONS]
        return " ".join(kept).replace(" bit ", " bits ")


@dataclass
class Steps:
    """All steps of a text."""

    said: Said
    found: list[_Step] = field(default_factory=list)
    _begun: tuple[int, str, float, int | None] | None = None

    def watched(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines as they are; those that tell of a step are noted."""
        for place, line in enumerate(lines, 1):
            if len(line) <= _LONGEST and line.strip():
                self._take(place, line)
            yield line
        self._interrupted()

    def _take(self, place: int, line: str) -> None:
        # Bold, in a thread.
        text = line.replace("**", "") if "Doing " in line else line
        if begun := _BEGUN.match(text):
            self._interrupted()
            size = None if begun[3] is None else int(begun[3])
            self._begun = place, " ".join(begun[1].split()), float(begun[2]), size
            self._end(_DONE.match(text, begun.end()))
        elif begun := _MACHINE_BEGUN.match(text):
            self._interrupted()
            if begun[1] is not None:
                self._begun = place, begun[1], float(begun[2]), int(begun[3])
            else:
                self._begun = place, f"{begun[4]} bits {begun[5]} {begun[6]}", float(begun[7]), None
        elif self._begun is not None:
            self._end(_DONE.match(text) or _MACHINE_DONE.match(text))

    def _end(self, done: re.Match[str] | None) -> None:
        if done is not None and self._begun is not None:
            place, name, asked, size = self._begun
            self.found.append(_Step(place, name, asked, size, int(done[1]), float(done[2])))
            self._begun = None

    def _interrupted(self) -> None:
        if self._begun is not None:
            place, name, *_ = self._begun
            meaning = "it was interrupted, or its result is lost: the file is not whole"
            self.said.add(Severity.WARNING, place, f"{printable(name, 60)} was begun and has no result", meaning)
        self._begun = None

    def missing(self, figures: Sequence[Figure], library: str | None) -> Iterator[Figure]:
        """Figures of the steps that no table tells."""
        told = set(map(_key, figures))
        for step in self.found:
            # A time of nothing makes no rate; its contradiction is told.
            if step.seconds <= 0 or step.count < 0:
                continue
            # The type of 1.1 is 'aes-128 cbc' here and 'aes-128-cbc' there.
            figure = _operations(step, library) if step.size is None else _blocks(step, library)
            if _key(figure) not in told:
                yield figure

    def twice(self, figures: Sequence[Figure], *, at_once: bool) -> Iterator[Twice]:
        """Times far from what was asked for, counts that a counter ended at, and what was counted beside the tables.

        Args:
            figures: of the tables.
            at_once: whether several processes measured, each with steps of its own.
        """
        if not at_once:
            yield from self._beside(figures)
        for blocks in (True, False):
            asked = sorted({step.asked for step in self.found if (step.size is not None) is blocks})
            if len(asked) > 1:
                times = " and ".join(f"{each:g} s" for each in asked)
                self.said.add(Severity.WARNING, 0, f"some were measured for {times}", "short ones have more noise")
        for step in self.found:
            if LEAST_OF_ASKED * step.asked <= step.seconds < LEAST_OF_A_PROCESSOR * step.asked:
                what = f"{step.seconds:g} s of processor time within {step.asked:g} s"
                meaning = (
                    "it had a part of a processor only, since other programs ran: the figures are of a busy machine"
                )
                self.said.add(Severity.WARNING, step.place, what, meaning, "modes")
            overshoot = 2 * step.seconds / max(step.count, 1)
            if (
                not LEAST_OF_ASKED * step.asked
                <= step.seconds
                <= max(MOST_OF_ASKED * step.asked, step.asked + overshoot)
            ):
                why = "CPU time of what another device did (-elapsed is missing), or a wrong clock; it was to run for"
                yield Twice(
                    f"the time of {step.shown}, in line {step.place}, in seconds,", step.seconds, step.asked, why, 0.0
                )
            if step.count < 0 or step.count in _ENDS_OF_COUNTERS:
                what = f"{step.shown}: {step.count} times"
                meaning = "that is the end of a counter: the clock that was to stop it did not"
                self.said.add(Severity.FATAL, step.place, what, meaning)

    def _beside(self, figures: Sequence[Figure]) -> Iterator[Twice]:
        tables: dict[tuple[str, ...], list[Figure]] = {}
        for figure in figures:
            tables.setdefault(_key(figure), []).append(figure)
        for step in self.found:
            if step.seconds <= 0 or step.count < 0:
                continue
            counted = _blocks(step, None) if step.size is not None else _operations(step, None)
            if beside := tables.get(_key(counted)):
                figure = beside.pop(0)
                told, follows = figure.value or 0.0, counted.value or 0.0
                yield Twice(figure.id, told, follows, "counted was", 0.01, (figure.id,), COUNTED)


def _key(figure: Figure) -> tuple[str, ...]:
    """What a figure of a table and one of a step share that are of the same."""
    told = figure.circumstances
    if figure.quantity is Quantity.BANDWIDTH:
        name = re.sub(r"[ -]+", "-", figure.levels["type"].lower())
        return name, figure.levels["size"]
    name = figure.levels["algorithm"].lower()
    family = next((each for each in _FAMILIES if each in name), name)
    return family, str(told.key_bits), re.sub(r"s$|\.$", "", told.operation or "")


def _blocks(step: _Step, library: str | None) -> Figure:
    name, size = step.name.removesuffix(" ops"), step.size or 0
    told = Circumstances(operation=name, moves=Moves.BODY, size_bytes=float(size), library=library)
    of = Measurement("", {"type": name, "size": f"{size} bytes"}, told)
    return of.figure("throughput", Quantity.BANDWIDTH, step.rate * size, "rate", id=f"{name}, {size} bytes")


def _operations(step: _Step, library: str | None) -> Figure:
    label, operation = step.algorithm, step.operation
    told = Circumstances(operation=operation, library=library, key_bits=step.bits)
    of = Measurement("", {"algorithm": label, "operation": operation}, told)
    table = f"rate: {operation}"
    return of.figure(f"{operation}/s", Quantity.RATE, step.rate, "rate", id=f"{label}, {operation}", table=table)
