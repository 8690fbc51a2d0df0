"""What of a table is in none of its figures, and why: said, never counted as zero, and no reason to refuse the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sectax.audit.evidence import Incident
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity
from sectax.model.printable import printable

# Of all rows; from here on figures stand for what succeeded alone.
TOO_MANY = 0.1
_LINES = 3


@dataclass
class _Kind:
    """Rows that were left out for the same reason."""

    places: list[int] = field(default_factory=list)
    count: int = 0
    shown: str = ""

    def add(self, place: int, shown: str) -> None:
        self.count += 1
        if len(self.places) < _LINES:
            self.places.append(place)
            self.shown = self.shown or repr(printable(shown.strip(), 40))

    @property
    def where(self) -> str:
        lines = ", ".join(map(str, self.places))
        more = f" and {self.count - len(self.places)} more" if self.count > len(self.places) else ""
        return f"line{'s' if self.count > 1 else ''} {lines}{more}"


class LeftOut:
    """The rows of a table that are in none of its figures, by reason.

    Attributes:
        kept: how many are in one.
        first: the first complaint, for a table in which nothing is left.
    """

    def __init__(self) -> None:
        self.kept = 0
        self.first: BadInput | None = None
        self._missing, self._negative, self._length = _Kind(), _Kind(), _Kind()
        self._notes, self._names, self._no_csv = _Kind(), _Kind(), _Kind()
        # The last row, where it is a short one: it may have been cut.
        self._short = 0

    def row(self) -> None:
        """Another row follows."""
        self._short = 0

    def no_value(self, place: int, text: str, column: str, at: int, error: BadInput) -> None:
        """A row whose cell in a column (its name, its place from 1) holds no number, or a negative one."""
        self.row()
        (self._negative if "negative" in error.message else self._missing).add(place, text)
        self._keep(BadInput(f"{printable(column)}: {error.message}", error.hint, line=place, column=at))

    def other_length(self, place: int, row: list[str], names: int) -> None:
        """A row that has other fields than the columns have names."""
        self._short = place if len(row) < names else 0
        self._length.add(place, ",".join(row))
        self._keep(BadInput(f"{len(row)} fields stand under {names} columns", line=place, column=len(row)))

    def note(self, place: int, text: str) -> None:
        """A line of words."""
        self._notes.add(place, text)
        self._keep(BadInput(f"{printable(text.strip(), 40)!r} is no row of the table", line=place))

    def names_again(self, place: int) -> None:
        """The line of names a second time: the table was begun again, or two were joined."""
        self._names.add(place, "")

    def no_csv(self, place: int, why: str) -> None:
        """Text that is no CSV, up to this line."""
        self._no_csv.add(place, why)
        self._keep(BadInput(f"this is not CSV: {why}", line=place))

    def _keep(self, complaint: BadInput) -> None:
        self.first = self.first or complaint

    def incidents(self, column: str) -> Iterator[Incident]:
        """All of it in words, F from a tenth of the rows on."""
        lost = self._missing.count + self._negative.count + self._length.count + self._no_csv.count
        rows = self.kept + lost
        grave = Severity.FATAL if lost >= TOO_MANY * rows else Severity.WARNING
        failed = "they failed or are missing, and are in no figure: it stands for the others alone"
        if self._missing.count:
            what = f"{self._missing.count} of {rows} rows have no number in {printable(column, 40)}"
            yield Incident(grave, f"{what} ({self._missing.where}: {self._missing.shown})", failed)
        if self._negative.count:
            what = f"{self._negative.count} of {rows} rows have a negative number in {printable(column, 40)}"
            meaning = "nothing takes less than no time: the clock or the arithmetic is wrong"
            saw = f"{what} ({self._negative.where}: {self._negative.shown})"
            yield Incident(Severity.FATAL, saw, meaning, "contradiction")
        if self._length.count:
            what = f"{self._length.count} of {rows} rows have other fields than there are columns"
            yield Incident(grave, f"{what} ({self._length.where}: {self._length.shown})", "they are in no figure")
        if self._no_csv.count:
            what = f"{self._no_csv.count} times the text is no CSV ({self._no_csv.where}: {self._no_csv.shown})"
            yield Incident(grave, what, "what stands there is in no figure")
        if self._notes.count:
            what = f"{self._notes.count} lines are no rows ({self._notes.where}: {self._notes.shown})"
            yield Incident(Severity.WARNING, what, "they are in no figure; do they say that something went wrong?")
        if self._names.count:
            what = f"the line of names comes again ({self._names.where})"
            yield Incident(Severity.WARNING, what, "outputs were joined: are all of one machine and one build?")
        if self._short:
            what = f"the last row, in line {self._short}, has too few fields"
            yield Incident(Severity.WARNING, what, "it was cut short, and what came after it is missing")
