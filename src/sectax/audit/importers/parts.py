"""What importers share: the form of an importer, a factory of figures, and figures joined into evidence."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Circumstances, Contrast, Figure, Quantity
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity
from sectax.model.printable import printable

# Checks look at pairs of figures, and nobody reads a table of more.
MOST_FIGURES = 5000
# Nor does anybody name so many; each is held against each other, so that thousands of them take minutes.
MOST_FACTORS = 50

_UNITS = {
    Quantity.TIME: "s",
    Quantity.TOTAL_TIME: "s",
    Quantity.RATE: "operations/s",
    Quantity.BANDWIDTH: "bytes/s",
    Quantity.MEMORY: "bytes",
}


@dataclass(frozen=True)
class Importer:
    """How one kind of file is known and read.

    Attributes:
        name: as --format takes it.
        title: for people.
        read: the lines of a whole file, without their ends, as evidence. Raises `BadInput`.
        begins: matches what only this tool prints, so that a second kind in one file is found; None where any text
            may be of this kind.
        known: whether the beginning of a file (whole lines) is of this kind, where `begins` alone does not say it.
        streams: whether it reads line by line, so that a file may be larger than memory.
    """

    name: str
    title: str
    read: Callable[[Iterable[str]], Evidence]
    begins: re.Pattern[str] | None = None
    known: Callable[[str], bool] = lambda _: False
    streams: bool = False

    def recognises(self, head: str) -> bool:
        """Whether the beginning of a file (whole lines) is of this kind."""
        return self.known(head) or (self.begins is not None and self.begins.search(head) is not None)


@dataclass(frozen=True)
class Measurement:
    """What a tool measured at once: its figures share a label, levels and how they came about."""

    label: str
    levels: Mapping[str, str]
    told: Circumstances
    trials: int | None = None

    def figure(
        self,
        metric: str,
        quantity: Quantity,
        value: float | None = None,
        statistic: str | None = None,
        *,
        id: str = "",
        table: str = "",
        values: Sequence[float] = (),
        stated: Mapping[str, float] | None = None,
    ) -> Figure:
        """One of them. A rate or a total is one number of one trial; a time, a mean and `values` are of all of them.

        Args:
            value: in the base unit of the quantity.
            id, table: where they are not the label and the metric.
        """
        of_all = quantity is Quantity.TIME or len(values) > 0 or statistic == "mean"
        return Figure(
            id=id or f"{self.label}: {metric}",
            table=table or metric,
            levels=self.levels,
            metric=metric,
            quantity=quantity,
            unit=_UNITS.get(quantity, "1"),
            value=value,
            statistic=statistic,
            trials=self.trials if of_all else 1,
            values=values,
            measurement=self.label,
            stated=stated or {},
            circumstances=self.told,
        )


def by_first_line(
    lines: Iterable[str],
    opening: str | tuple[str, ...],
    of_json: Callable[[Iterable[str]], Evidence],
    of_text: Callable[[Iterable[str]], Evidence],
) -> Evidence:
    """What a tool writes as JSON, which begins with *opening* (a sign, no word behind it), or prints as text."""
    every = iter(lines)
    first = next((line for line in every if line and not line.isspace()), "")
    begun = first.lstrip()
    is_json = begun.startswith(opening) and not begun[1:].lstrip()[:1].isalpha()
    return (of_json if is_json else of_text)(chain([first], every))


def numbered(names: Iterable[str]) -> list[tuple[str, str]]:
    """What each run of these names is called, and which of its name it is. A name that no other has needs no number."""
    every = list(names)
    of_all, so_far = Counter(every), Counter[str]()
    found = []
    for name in every:
        so_far[name] += 1
        found.append((f"{name} {so_far[name]}" if of_all[name] > 1 else name, str(so_far[name])))
    return found


def evidence(
    figures: Iterable[Figure],
    what: str,
    contrast: Contrast | None = None,
    incidents: Iterable[Incident] = (),
    twice: Iterable[Twice] = (),
) -> Evidence:
    """Figures under unique ids, as evidence that is not our own.

    Raises:
        BadInput: there are none (*what* says of what), or far too many.
    """
    unique: list[Figure] = []
    seen: dict[str, int] = {}
    for figure in figures:
        seen[figure.id] = times = seen.get(figure.id, 0) + 1
        if len(figure.levels) > MOST_FACTORS:
            raise BadInput(
                f"{printable(figure.id, 60)} has {len(figure.levels)} levels, and {MOST_FACTORS} are the most that can "
                "be audited together",
                "give it a shorter name",
            )
        unique.append(figure if times == 1 else dataclasses.replace(figure, id=f"{figure.id} ({times})"))
        if len(unique) > MOST_FIGURES:
            raise BadInput(
                f"it holds more than {MOST_FIGURES} figures, and no more can be audited together", "split the file"
            )
    # Many lines may say the same.
    incidents = tuple(dict.fromkeys(incidents))
    if not unique and incidents:
        worst = next((each for each in incidents if each.severity is Severity.FATAL), incidents[0])
        raise BadInput(
            f"nothing was measured: there is no result of {what} in it, and {worst.saw}", "see why, and run it again"
        )
    if not unique:
        raise BadInput(f"there is no result of {what} in it", "give the whole output of one or more finished runs")
    return Evidence(tuple(unique), contrast, imported=True, incidents=incidents, twice=tuple(twice))


def with_contained(evidence: Evidence, said: Sequence[str]) -> Evidence:
    """Evidence in which what one level does holds all that another of the same factor does (*said*: 'WHOLE>PART').

    Raises:
        BadInput: not of that form, or no factor has both levels.
    """
    contains: dict[tuple[str, str], list[str]] = {}
    for pair in said:
        whole, separator, part = (each.strip() for each in pair.partition(">"))
        if not (whole and separator and part) or whole == part:
            raise BadInput(
                f"{printable(pair, 60)!r} does not say which level holds which", "the form is WHOLE>PART, two levels"
            )
        factors = [
            factor
            for factor in dict.fromkeys(name for figure in evidence.figures for name in figure.levels)
            if {whole, part} <= {figure.levels.get(factor) for figure in evidence.figures}
        ]
        if not factors:
            shown = ", ".join(
                printable(level, 40) for level in list({x for f in evidence.figures for x in f.levels.values()})[:12]
            )
            raise BadInput(f"no factor has the levels {printable(whole, 40)!r} and {printable(part, 40)!r}", shown)
        contains.setdefault((factors[0], whole), []).append(part)
        contains.setdefault((factors[0], part), [])
    figures = []
    for figure in evidence.figures:
        for (factor, level), parts in contains.items():
            if figure.levels.get(factor) == level:
                told = dataclasses.replace(
                    figure.circumstances, operation=level, contains=tuple(parts) or figure.circumstances.contains
                )
                figure = dataclasses.replace(figure, circumstances=told)  # noqa: PLW2901
        figures.append(figure)
    return dataclasses.replace(evidence, figures=tuple(figures))


def with_baseline(evidence: Evidence, said: str) -> Evidence:
    """Evidence in which the level *said* (`LEVEL` or `FACTOR=LEVEL`) is the baseline of its factor.

    Raises:
        BadInput: no factor has that level, or several have.
    """
    there: dict[tuple[str, str], None] = {}
    for figure in evidence.figures:
        there |= dict.fromkeys(figure.levels.items())
    # A level may hold an equals sign itself, so both readings are looked for.
    found = [(factor, level) for factor, level in there if said in (level, f"{factor}={level}")]
    if len(found) == 1:
        return dataclasses.replace(evidence, contrast=Contrast(*found[0]))
    shown = ", ".join(printable(f"{factor}={level}", 60) for factor, level in list(there)[:12])
    if found:
        raise BadInput(f"{printable(said, 60)!r} is a level of more than one factor", f"say which; there are {shown}")
    raise BadInput(
        f"there is no level {printable(said, 60)!r}", f"there are {shown}" if there else "the figures have no levels"
    )
