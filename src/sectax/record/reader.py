"""Read a run file: finished, killed, being written, or in a read-only folder."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self, TypeVar

import msgspec

from sectax.model.environment import LOCAL_HOST, Environment
from sectax.model.measured import Measured
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import Observation, Visit
from sectax.record.appender import is_locked
from sectax.record.builder import MeasuredBuilder
from sectax.record.checksums import check_all_but_blocks
from sectax.record.errors import check_database, check_file, damaged, has_content, limit_memory, log_path, reading
from sectax.record.finished_blocks import BlockReducer, finished_blocks, pilot_failures, rows
from sectax.record.plan_checks import check_calibrated, check_plan
from sectax.record.plan_tables import decode_calibrated, decode_plan
from sectax.record.schema import RUN_ID, quoted
from sectax.text.printable import printable

# Reading a run of a million trials takes about one step of SQLite's virtual machine per byte of the file.
STEPS_PER_BYTE, STEPS_OF_ANY = 20, 20_000_000
_STEPS_BETWEEN_CHECKS = 100_000
_BUSY_S = 10.0

T = TypeVar("T")


def limit_steps(db: sqlite3.Connection, path: Path) -> None:
    """Interrupt statements that take far more steps than the file's size explains."""
    allowed = STEPS_OF_ANY + STEPS_PER_BYTE * path.stat().st_size
    steps = 0

    def reset(_: str) -> None:
        nonlocal steps
        steps = 0

    def exceeded() -> bool:
        nonlocal steps
        steps += _STEPS_BETWEEN_CHECKS
        return steps > allowed

    db.set_trace_callback(reset)
    db.set_progress_handler(exceeded, _STEPS_BETWEEN_CHECKS)


class RunReader:
    """A run file open for reading; methods raise `BadRecord` if it is damaged."""

    def __init__(self, path: Path, db: sqlite3.Connection, resources: ExitStack) -> None:
        self.path = path
        self._db = db
        self._resources = resources

    @classmethod
    def open(cls, path: str | Path) -> RunReader:
        """Open a run file without changing it.

        Raises:
            BadRecord: not a run file, damaged, truncated, from a newer sectax, or not readable.
        """
        path = Path(path)
        check_file(path)
        resources = ExitStack()
        try:
            with reading(path):
                db = _connect(path, resources)
                check_database(db, path)
                reader = cls(path, db, resources)
                with reader._snapshot():
                    check_all_but_blocks(db)
        except BaseException:
            resources.close()
            raise
        return reader

    def close(self) -> None:
        self._resources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def plan(self) -> Plan:
        with reading(self.path):
            plan = decode_plan(self._value("SELECT plan FROM run", str))
            check_plan(plan)
            return plan

    def run_id(self) -> str:
        run_id = self._value("SELECT id FROM run", str)
        if not RUN_ID.fullmatch(run_id):  # it names a file with private inputs
            raise damaged(self.path, f"its id is {printable(run_id, 40)}")
        return run_id

    def state(self) -> str:
        """'running', 'finished' or 'interrupted' (also: running without a writer)."""
        held = is_locked(self.path)  # checked first, so that a run that ends now does not look killed
        state = self._value("SELECT state FROM run", str)
        return "interrupted" if state == "running" and not held else state

    def calibrated(self) -> Calibrated | None:
        """The calibration; None if the pilot was not finished."""
        with reading(self.path):
            text = self._value("SELECT COALESCE(calibrated, '') FROM run", str)
            if not text:
                return None
            calibrated = decode_calibrated(text)
            check_calibrated(self.plan(), calibrated)
            return calibrated

    def sessions(self) -> tuple[Environment, ...]:
        with reading(self.path):
            numbers = rows(self._db, "SELECT number FROM session ORDER BY number", tuple[int])
            environments = {number: Environment({}) for (number,) in numbers}
            # Format 1 has a single host and no column for it.
            column = "host" if self._value("PRAGMA user_version", int) > 1 else f"'{LOCAL_HOST}'"
            for session, host, kind, name, value in rows(
                self._db,
                f"SELECT session, {column}, kind, name, value FROM environment ORDER BY number",  # noqa: S608
                tuple[int, str, str, str, str],
            ):
                environment = environments[session]
                if host != LOCAL_HOST:
                    environment = environment.hosts.setdefault(host, Environment({}))
                (environment.identity if kind == "identity" else environment.circumstances)[name] = value
            return tuple(environments.values())

    def next_block_number(self) -> int:
        return max(self._value("SELECT MAX(number) FROM block", int), 0) + 1

    def started(self) -> str:
        return self._value("SELECT started FROM run", str)

    def notes(self) -> tuple[str, ...]:
        with reading(self.path):
            return tuple(text for (text,) in rows(self._db, "SELECT text FROM note ORDER BY number", tuple[str]))

    def measured(self) -> Measured:
        with self._snapshot():
            state = self.state()
            return self.builder().measured(
                run_id=self.run_id(),
                started=self.started(),
                state=state,
                calibrated=self.calibrated(),
                sessions=self.sessions(),
                notes=self.notes(),
            )

    def visits(self, names: Sequence[str], telemetry: Sequence[str] = ()) -> dict[str, list[Visit]]:
        """The counted visits by treatment, with the named observations and telemetry."""
        visits: dict[tuple[str, int, int, int], Visit] = {}
        with self._snapshot(), reading(self.path):
            columns = dict(rows(self._db, "SELECT name, column_name FROM telemetry", tuple[str, str]))
            wanted = [name for name in telemetry if name in columns]
            telemetry_columns = "".join(f", r.{quoted(columns[name])}" for name in wanted)
            for treatment, block, round_, position, metric, value, unit, clock, count, *values in self._db.execute(
                "SELECT t.id, o.block, o.round, o.position, s.metric, o.value, s.unit, s.clock, o.count"  # noqa: S608
                f"{telemetry_columns} FROM observation o"
                " JOIN series s ON s.number = o.series JOIN treatment t ON t.number = s.treatment"
                " JOIN block b ON b.number = o.block"
                " JOIN subject u ON u.block = o.block AND u.treatment = t.number"
                " LEFT JOIN trial r ON r.block = o.block AND r.treatment = t.number"
                " AND r.round = o.round AND r.position = o.position"
                f" WHERE s.metric IN ({', '.join('?' * len(names))})"
                " AND b.number > 0 AND b.state = 'finished' AND u.state NOT IN ('failed', 'skipped')"
                " ORDER BY o.block, o.round, o.position, o.number",
                tuple(names),
            ):
                key = str(treatment), int(block), int(round_), int(position)
                observation = Observation(str(metric), float(value), str(unit), str(clock), int(count))
                known = {name: float(value) for name, value in zip(wanted, values, strict=True) if value is not None}
                visit = visits.get(key, Visit((), known))
                visits[key] = replace(visit, observations=(*visit.observations, observation))
        by_treatment: dict[str, list[Visit]] = {}
        for (treatment, *_), visit in visits.items():
            by_treatment.setdefault(treatment, []).append(visit)
        return by_treatment

    def builder(self) -> MeasuredBuilder:
        """A builder with all finished blocks, which a resumed run continues."""
        plan = self.plan()
        builder = MeasuredBuilder(plan)
        with self._snapshot(), reading(self.path):
            builder.add_pilot_failures(pilot_failures(self._db))
            for block in finished_blocks(self._db, BlockReducer(self._db, plan)):
                builder.add(block)
        return builder

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Read one state of the file in several queries, while its writer continues."""
        if self._db.in_transaction:
            yield
            return
        with reading(self.path):
            self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.rollback()

    def _value(self, sql: str, kind: type[T]) -> T:
        with reading(self.path):
            return msgspec.convert(self._db.execute(sql).fetchone(), tuple[kind])[0]  # type: ignore[valid-type]


def _connect(path: Path, resources: ExitStack) -> sqlite3.Connection:
    """A working connection, closed with *resources*."""
    try:
        return _open(path, "mode=ro", resources)
    except sqlite3.OperationalError as error:
        if not getattr(error, "sqlite_errorname", "").startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
            raise
    # In a read-only folder SQLite cannot replay a log. Without a log the file is read as it is, otherwise as a copy.
    logs = (log_path(path), path.with_name(path.name + "-journal"))
    active_logs = [log for log in logs if has_content(log)]
    if not active_logs:
        return _open(path, "mode=ro&immutable=1", resources)
    folder = resources.enter_context(TemporaryDirectory(prefix="sectax-"))
    for file in (path, *active_logs):
        shutil.copyfile(file, Path(folder, file.name))
    return _open(Path(folder, path.name), "mode=rw", resources)


def _open(path: Path, mode: str, resources: ExitStack) -> sqlite3.Connection:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None, timeout=_BUSY_S)
    try:
        db.execute("PRAGMA trusted_schema = OFF")  # run files are untrusted
        limit_steps(db, path)
        limit_memory(db, path)
        db.execute("PRAGMA cell_size_check = ON")
        db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except BaseException:
        db.close()
        raise
    resources.callback(db.close)
    return db
