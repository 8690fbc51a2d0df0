"""Numbers for repeated names: treatments, series, witness sets, telemetry."""

from __future__ import annotations

from math import isfinite

from sectax.model.plan import Plan
from sectax.model.subject import Observation, Witnesses
from sectax.record.appender import Appender
from sectax.record.errors import UnusableObservation, refuse_private_keys
from sectax.record.plan_tables import to_json, treatment_numbers
from sectax.record.schema import column_name, quoted, trials_view


class Catalogue:
    """The numbers of names in one run file; a new name is recorded at once."""

    def __init__(self, appender: Appender, plan: Plan) -> None:
        self._appender = appender
        self._factors = [factor.name for factor in plan.factors]
        self._treatments = treatment_numbers(plan)
        names = {number: id for id, number in self._treatments.items()}
        db = appender.db
        self._series: dict[tuple[str, str], tuple[int, str, str]] = {
            (names[treatment], metric): (number, unit, clock)
            for number, treatment, metric, unit, clock in db.execute(
                "SELECT number, treatment, metric, unit, clock FROM series"
            )
        }
        self._witness_sets: dict[str, int] = dict(db.execute("SELECT witnesses, number FROM witness_set"))
        self._telemetry: dict[str, str] = dict(db.execute("SELECT name, column_name FROM telemetry"))
        self._trial_sql: dict[tuple[str, ...], str] = {}

    def knows(self, treatment: str) -> bool:
        return treatment in self._treatments

    def treatment(self, treatment: str) -> int:
        try:
            return self._treatments[treatment]
        except KeyError:
            raise ValueError(f"no treatment {treatment} in the plan") from None

    def series(self, treatment: str, observation: Observation) -> int:
        """The number of the series of one metric of one treatment.

        Raises:
            UnusableObservation: its unit or clock differs from before.
        """
        entry = self._series.get((treatment, observation.metric))
        if entry is None:
            entry = (len(self._series) + 1, observation.unit, observation.clock)
            number, *unit_and_clock = entry
            row = (number, self.treatment(treatment), observation.metric, *unit_and_clock)
            self._appender.write([("INSERT INTO series VALUES (?, ?, ?, ?, ?)", row)])
            self._series[treatment, observation.metric] = entry
        number, unit, clock = entry
        if unit != observation.unit or clock != observation.clock:
            raise UnusableObservation(
                f"{observation.metric} of {treatment} is in {observation.unit} by the clock {observation.clock},"
                f" but was in {unit} by {clock} before: these cannot be compared"
            )
        return number

    def witness_set(self, treatment: str, witnesses: Witnesses) -> int:
        """The number of a set of witnesses, which most subjects of a treatment share.

        Raises:
            SecretRefused: a witness contains a private key.
            UnusableObservation: a witness is not valid text, or not a finite number.
        """
        for name, value in witnesses.items():
            if isinstance(value, float) and not isfinite(value):
                raise UnusableObservation(f"the witness {name} of {treatment} is {value}, which is not a finite number")
        try:
            text = to_json(witnesses)
        except UnicodeEncodeError as error:
            raise UnusableObservation(f"a witness of {treatment} is not valid text: {error.reason}") from error
        number = self._witness_sets.get(text)
        if number is None:
            refuse_private_keys(text, f"a witness of {treatment}")
            number = len(self._witness_sets) + 1
            self._appender.write([("INSERT INTO witness_set VALUES (?, ?)", (number, text))])
            self._witness_sets[text] = number
        return number

    def trial_sql(self, telemetry: tuple[str, ...]) -> str:
        """The statement that records a trial with this telemetry, in this order."""
        sql = self._trial_sql.get(telemetry)
        if sql is None:
            columns = "".join(f", {quoted(self._column(name))}" for name in telemetry)
            places = ", ?" * len(telemetry)
            sql = (
                f"INSERT INTO trial (block, treatment, round, position, state{columns}) VALUES (?, ?, ?, ?, ?{places})"  # noqa: S608
            )
            self._trial_sql[telemetry] = sql
        return sql

    def _column(self, name: str) -> str:
        """The column of one kind of telemetry, added if new."""
        column = self._telemetry.get(name)
        if column is None:
            taken = self._telemetry.values()
            column = column_name(name, taken, f"telemetry_{len(taken) + 1}")
            self._appender.write(
                [
                    (f"ALTER TABLE trial ADD COLUMN {quoted(column)} REAL", ()),
                    ("INSERT INTO telemetry VALUES (?, ?)", (name, column)),
                    ("DROP VIEW trials", ()),
                    (trials_view(self._factors, (*taken, column)), ()),
                ]
            )
            self._telemetry[name] = column
        return column
