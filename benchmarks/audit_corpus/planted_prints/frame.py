"""What a module of planted defects gives, and how one is planted, audited and counted.

A module beside this one has `FORMATS`: a `Format` for each format that it plants into. All such modules are found.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.audit_corpus import planted_prints
from benchmarks.audit_corpus.__main__ import ALWAYS, FILES, entries
from benchmarks.audit_corpus.healthy_prints import PRINTS
from benchmarks.audit_corpus.outcomes import outcomes_of
from sectax.audit.reading.asked import Columns
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity

Rng = np.random.Generator
# Changes a text; None where the text has no place for the defect.
Plant = Callable[[str, Rng], str | None]
# (severity, check, what it saw, without its numbers: those change with every line that is added); of a text that was
# refused ('refused', '', why).
Said = tuple[str, str, str]

SAMPLES = Path(__file__).resolve().parents[3] / "tests/audit/tools/samples"
REFUSED = "refused"


@dataclass(frozen=True)
class Kind:
    """One kind of defect.

    Attributes:
        name: in words.
        finds: what must be said of it: 'F check' or 'W check', with several checks parted by '|' where any will do, or
            'refused'. F must be marked F; for W either will do. Several demands that all will do are parted by ' or '.
        plant: puts it into a text.
        by_chance: whether it shows in values alone, so that it is not found among any noise.
    """

    name: str
    finds: str
    plant: Plant
    by_chance: bool = False


@dataclass(frozen=True)
class Format:
    """One format: its kinds of defects, and the healthy outputs that they are planted into.

    Attributes:
        name: as --format takes it; healthy files of the corpus in this format are taken where they are at hand.
        samples: names of healthy samples of the tests.
        prints: names of healthy prints that are made up at random (`benchmarks.audit_corpus.healthy_prints`).
        others: further healthy texts, by name.
        columns: what is said of a CSV's columns.
        may: checks that mark some of the originals F with reason: a total that the clock ended is one.
    """

    name: str
    kinds: tuple[Kind, ...]
    samples: tuple[str, ...] = ()
    prints: tuple[str, ...] = ()
    others: dict[str, str] = field(default_factory=dict)
    columns: Columns = field(default_factory=Columns)
    may: tuple[str, ...] = ()


@dataclass
class Tally:
    """Of one kind in one format: into how many originals it was planted, and where it was not found."""

    planted: int = 0
    missed: list[str] = field(default_factory=list)

    @property
    def found(self) -> int:
        return self.planted - len(self.missed)


def formats() -> list[Format]:
    """Those of all modules in this package."""
    found: list[Format] = []
    for found_module in pkgutil.iter_modules(planted_prints.__path__):
        if found_module.name not in ("__main__", "frame"):
            module = importlib.import_module(f"{planted_prints.__name__}.{found_module.name}")
            found += getattr(module, "FORMATS", ())
    return found


def originals(of: Format, files: Path | None = FILES, prints: int = 3) -> Iterator[tuple[str, str]]:
    """(name, text) of the healthy outputs of a format.

    Args:
        files: the folder of the corpus; None, or one that is not there, leaves it out.
        prints: so many of each kind that is made up.
    """
    for name in of.samples:
        yield name, (SAMPLES / name).read_text(encoding="utf-8")
    yield from of.others.items()
    for name in of.prints:
        for number in range(prints):
            yield f"{name} {number}", PRINTS[name](np.random.default_rng([number, len(name)]))
    if files is not None:
        for entry in entries():
            path = files / entry.sha256
            if entry.format == of.name and entry.healthy and not entry.options and path.is_file():
                yield entry.name, path.read_text(encoding="utf-8", errors="replace")


def said(text: str, columns: Columns) -> set[Said]:
    """Every F and W of a text, as the audit reads it; a refusal where it holds nothing to audit."""
    try:
        _, outcomes = outcomes_of(text, columns)
    except BadInput as error:
        return {(REFUSED, "", str(error))}
    return {
        (warning.severity.value, outcome.check, re.sub(r"\d[\d.,]*", "0", warning.saw))
        for outcome in outcomes
        for warning in outcome.warnings
        if warning.severity is not Severity.NOTE
    }


def is_accused(of: Format, heard: set[Said]) -> bool:
    """Whether a healthy original is marked F, or refused."""
    return any(severity in ("F", REFUSED) and check not in ALWAYS.union(of.may) for severity, check, _ in heard)


def is_found(kind: Kind, new: set[Said]) -> bool:
    """Whether what was said of the planted text alone is what must be said of this kind."""
    return any(_answers(demand, new) for demand in kind.finds.split(" or "))


def _answers(demand: str, new: set[Said]) -> bool:
    severity, _, checks = demand.partition(" ")
    if severity == REFUSED:
        return any(found == REFUSED for found, _, _ in new)
    enough = {"F"} if severity == "F" else {"F", "W"}
    return any(found in enough and check in checks.split("|") for found, check, _ in new)


def plant(of: Format, kind: Kind, every: list[tuple[str, str]], before: dict[str, set[Said]], seed: int = 0) -> Tally:
    """Plant one kind into each original.

    Args:
        before: what the audit says of the originals, by name.
    """
    tally = Tally()
    for name, text in every:
        planted = kind.plant(text, np.random.default_rng([seed, len(name), len(kind.name)]))
        if planted is None or planted == text:
            continue
        tally.planted += 1
        if not is_found(kind, said(planted, of.columns) - before[name]):
            tally.missed.append(name)
    return tally


def each_match(
    pattern: str,
    change: Callable[[re.Match[str]], str],
    *,
    first: bool = False,
    last: bool = False,
    flags: int = re.MULTILINE,
) -> Plant:
    """A plant that changes what a pattern matches: every match, the *first* or the *last*; None where nothing does."""

    def put(text: str, _: Rng) -> str | None:
        found = list(re.finditer(pattern, text, flags))
        if not found:
            return None
        chosen = found[:1] if first else found[-1:] if last else found
        for match in reversed(chosen):
            text = f"{text[: match.start()]}{change(match)}{text[match.end() :]}"
        return text

    return put


def times(pattern: str, factor: float, *, digits: int | None = None, first: bool = False, last: bool = False) -> Plant:
    """A plant that multiplies the number in the group `n` of a pattern, with as many digits behind its point."""

    def changed(found: re.Match[str]) -> str:
        behind = len(found["n"].partition(".")[2]) if digits is None else digits
        start, end = (at - found.start() for at in found.span("n"))
        return f"{found[0][:start]}{factor * float(found['n']):.{behind}f}{found[0][end:]}"

    return each_match(pattern, changed, first=first, last=last)


def instead(pattern: str, put: str, *, first: bool = False, last: bool = False) -> Plant:
    """A plant that puts *put*, in which \\1 is the first group, in the place of what a pattern matches."""
    return each_match(pattern, lambda found: found.expand(put), first=first, last=last)


def cut_before(pattern: str) -> Plant:
    """A plant that ends the text before the last match of a pattern."""

    def put(text: str, _: Rng) -> str | None:
        found = list(re.finditer(pattern, text, re.MULTILINE))
        return text[: found[-1].start()] if found and found[-1].start() else None

    return put


def above(lines: str) -> Plant:
    """A plant that puts lines above the text."""
    return lambda text, _: f"{lines}\n{text}"


def both(*plants: Plant) -> Plant:
    """A plant of several steps, which has no place where one of them has none."""

    def put(text: str, rng: Rng) -> str | None:
        for plant in plants:
            changed = plant(text, rng)
            if changed is None:
                return None
            text = changed
        return text

    return put


def and_again(*plants: Plant) -> Plant:
    """A plant that appends a second output: the same text, with each of these steps made to it."""

    def put(text: str, rng: Rng) -> str | None:
        second = both(*plants)(text, rng)
        return None if second is None else f"{text}\n{second}"

    return put


def holding(pattern: str) -> Plant:
    """A step of a plant that has a place where a pattern is found, and changes nothing."""
    return lambda text, _: text if re.search(pattern, text, re.MULTILINE) else None


def lacking(pattern: str) -> Plant:
    """The same where it is not found."""
    return lambda text, _: None if re.search(pattern, text, re.MULTILINE) else text


def some(share: float, of: str | float) -> int:
    """So many of a count, one at the least."""
    return max(1, round(share * float(of)))


def main_findings(pattern: str, put: Callable[[float], Plant]) -> Plant:
    """A plant that is made of the first number that a pattern finds, such as the rate that was reached."""

    def planted(text: str, rng: Rng) -> str | None:
        found = re.search(pattern, text, re.MULTILINE)
        return None if found is None else put(float(found[1]))(text, rng)

    return planted
