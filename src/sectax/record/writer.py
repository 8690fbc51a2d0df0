"""Write a run file: opened before the first trial, appended to after each.

Every call is one transaction (and one more for a new name), so that SIGKILL at any time leaves whole events.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from sectax import __version__
from sectax.model.environment import LOCAL_HOST, Environment
from sectax.model.errors import BadRecord, RecordNotWritable
from sectax.model.measured import Measured
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import Observation
from sectax.model.trial import BlockEvent, Closed, Dropped, Opened, PlannedBlock, State, Trial
from sectax.record.appender import Appender
from sectax.record.builder import (
    BlockSummary,
    MeasuredBuilder,
    event_failures,
    is_usable,
    planned_treatments,
    usable,
)
from sectax.record.catalogue import Catalogue
from sectax.record.checksums import check_all_but_blocks, frame_checksum, has_checksums
from sectax.record.errors import check_database, check_file, readable, reading, refuse_private_keys
from sectax.record.finished_blocks import BlockReducer, add_batches
from sectax.record.plan_tables import Statement, calibration_rows, encode_plan, plan_rows
from sectax.record.reader import RunReader
from sectax.record.schema import APPLICATION_ID, FORMAT, UPGRADES, tables, trials_view, views

# The round of operations during opening; real rounds begin with 0.
_OPENING_ROUND = -1

_OPENED = (
    "INSERT INTO subject (block, treatment, state, open_s, opened) VALUES (?, ?, 'open', ?, ?)"
    " ON CONFLICT (block, treatment) DO UPDATE SET state = 'open', open_s = excluded.open_s, opened = excluded.opened"
)
_CLOSED = (
    "UPDATE subject SET closed = ?, state = CASE state WHEN 'open' THEN 'closed' ELSE state END"
    " WHERE block = ? AND treatment = ?"
)
_OBSERVED = "INSERT INTO observation VALUES (?, ?, ?, ?, ?, ?, ?)"
_FAILED = "INSERT INTO failure (block, treatment, round, stage, state, reason, hint) VALUES (?, ?, ?, ?, ?, ?, ?)"
_FAILED_SUBJECT = (
    "INSERT INTO subject (block, treatment, state) VALUES (?, ?, ?) ON CONFLICT (block, treatment)"
    " DO UPDATE SET state = excluded.state WHERE state NOT IN ('failed', 'skipped')"
)


@dataclass
class _Running:
    """A running block: its host, planned treatments and recorded trials."""

    host: str
    planned: frozenset[str]
    trials: set[tuple[str, tuple[int, int]]] = field(default_factory=set)


class RunWriter:
    """The only writer of a run file, opened by `create` or `reopen`.

    It caches the finished blocks for `measured`. Methods that write raise `RecordNotWritable` if the file can no
    longer be written; earlier data stay.
    """

    def __init__(self, appender: Appender, session: int, builder: MeasuredBuilder | None = None) -> None:
        """Take over an open run file, for `create` and `reopen`.

        Args:
            builder: the finished blocks of the file, if they were read already.
        """
        self._file = appender
        self._session = session
        with RunReader(appender.path, appender.db, ExitStack()) as reader:
            self.plan = reader.plan()
            self.run_id = reader.run_id()
            self._started = reader.started()
            self._sessions = reader.sessions()
        self._pilot: int = appender.db.execute("SELECT MIN(number) FROM block").fetchone()[0]
        self._pilot_position = 0
        self._read(builder)

    def _read(self, builder: MeasuredBuilder | None = None) -> None:
        """Read the mutable state from the file, with no block running."""
        with RunReader(self._file.path, self._file.db, ExitStack()) as reader:
            self._calibrated = reader.calibrated()
            self._notes = reader.notes()
            self._next_block = reader.next_block_number()
            self._builder = builder or reader.builder()
        self._reducer = BlockReducer(self._file.db, self.plan)
        self._names = Catalogue(self._file, self.plan)
        (self._state,) = self._file.db.execute("SELECT state FROM run").fetchone()
        self._running: dict[int, _Running] = {}
        self._inconsistent = False

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Change the file first, then memory; Ctrl-C in between leaves them inconsistent."""
        self._inconsistent = True
        try:
            yield
        except Exception:
            self._inconsistent = False  # the file refused the change too
            raise
        self._inconsistent = False

    def _repair(self) -> None:
        """Read the state again after an interrupted step; a running block is given up."""
        if not self._inconsistent:
            return
        self._file.roll_back()
        try:
            with reading(self.path):
                self._read()
        except BadRecord as error:
            raise RecordNotWritable(error.message, error.hint) from error

    @classmethod
    def create(
        cls, path: str | Path, plan: Plan, environment: Environment, run_id: str, sectax_version: str = __version__
    ) -> Self:
        """Create a run file with its plan and first session.

        Raises:
            WrongUse: the file exists already, or its folder does not.
            SecretRefused: the plan or the environment contains a private key.
            RecordNotWritable: no permission, no space, or another sectax is writing to it.
        """
        plan_json = encode_plan(plan)
        now = _now()
        run = (run_id, sectax_version, now, plan.experiment, plan.preset, plan.question)
        factors = [factor.name for factor in plan.factors]
        schema = (*tables(), *views(factors), trials_view(factors, ()))
        statements: list[Statement] = [
            *((statement, ()) for statement in schema),
            (f"PRAGMA application_id = {APPLICATION_ID}", ()),
            (f"PRAGMA user_version = {FORMAT}", ()),
            (
                "INSERT INTO run (state, id, sectax_version, started, experiment, preset, question, seed, margin, plan)"
                " VALUES ('running', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*run, str(plan.seed), plan.stopping.margin, plan_json),
            ),
            *plan_rows(plan),
            *_session_rows(1, sectax_version, environment, now),
            ("INSERT INTO block (number, session, state, started) VALUES (0, 1, 'pilot', ?)", (now,)),
        ]
        appender = Appender(Path(path), new=True)
        try:
            appender.write(statements, lambda: frame_checksum(appender.db))
            appender.go_live()
            return cls(appender, 1)
        except BaseException:
            appender.discard()
            raise

    @classmethod
    def reopen(cls, path: str | Path, environment: Environment) -> Self:
        """Continue a run; a running block or an unfinished pilot is abandoned.

        Raises:
            BadRecord: not a run file that this sectax can read.
            RecordNotWritable: no permission, or another sectax is writing to it.
        """
        path = Path(path)
        check_file(path)
        appender = Appender(path)
        try:
            with reading(path), RunReader(path, appender.db, ExitStack()) as reader:
                check_database(appender.db, path)
                check_all_but_blocks(appender.db)
                # Checks all blocks against their checksums before anything is written.
                builder = reader.builder()
                statements, checksums = _resume_rows(appender.db, reader.plan(), environment)
                appender.write(statements, checksums)
                appender.go_live()
                (session,) = appender.db.execute("SELECT MAX(number) FROM session").fetchone()
                return cls(appender, session, builder if builder.blocks else None)
        except BaseException:
            appender.close()
            raise

    @property
    def path(self) -> Path:
        return self._file.path

    def next_block_number(self) -> int:
        """The number of the next block; numbers of abandoned blocks are not reused."""
        return self._next_block

    def measured(self) -> Measured:
        """All finished blocks, as a reader of the file sees them; also after `close`."""
        self._repair()
        return self._builder.measured(
            run_id=self.run_id,
            started=self._started,
            state=self._state,
            calibrated=self._calibrated,
            sessions=self._sessions,
            notes=self._notes,
        )

    @property
    def calibrated(self) -> Calibrated | None:
        """The calibration; None until the pilot is finished."""
        return self._calibrated

    def calibrate(self, calibrated: Calibrated) -> None:
        """Record the calibration, so that a resumed run does not repeat the pilot."""
        with self._step():
            self._file.write(calibration_rows(self.plan, calibrated), self._frame)
            self._calibrated = calibrated
        self._file.sync()

    def note(self, text: str) -> None:
        text = readable(text)
        row = (self._session, _now(), text)
        with self._step():
            self._file.write([("INSERT INTO note (session, at, text) VALUES (?, ?, ?)", row)], self._frame)
            self._notes += (text,)

    def _frame(self) -> Iterable[Statement]:
        return frame_checksum(self._file.db)

    def begin_block(self, *blocks: PlannedBlock) -> None:
        """Begin a block, or one on each of several hosts.

        Raises:
            ValueError: a block is already running on its host, or the number was used before.
        """
        self._repair()
        last, running = self._next_block - 1, {block.host: number for number, block in self._running.items()}
        for block in blocks:
            if block.host in running:
                raise ValueError(f"block {block.number} begins within block {running[block.host]} on {block.host}")
            if block.number <= last:
                raise ValueError(f"block {block.number} comes after block {last}")
            last = running[block.host] = block.number
        self._file.check_place()
        begun, now = "INSERT INTO block (number, session, state, started, host) VALUES (?, ?, 'running', ?, ?)", _now()
        rows: list[Statement] = []
        for block in blocks:
            rows += [(begun, (block.number, self._session, now, block.host)), *self._planned_subjects(block)]
        with self._step():
            self._file.write(rows)
            for block in blocks:
                self._running[block.number] = _Running(block.host, frozenset(planned_treatments(block)))
            self._next_block = last + 1

    def _planned_subjects(self, block: PlannedBlock) -> Iterable[Statement]:
        for cell_order, cell in enumerate(block.cells):
            visits: dict[str, int] = {}
            for visit in cell.visits:
                visits[visit.treatment] = visits.get(visit.treatment, 0) + 1
            for opening, treatment in enumerate(cell.opening):
                place = (block.number, self._names.treatment(treatment), cell_order, opening)
                warmup = cell.warmup.get(treatment, (0, 0))
                yield (
                    "INSERT INTO subject (block, treatment, cell_order, opening, warmup_batches, warmup_count,"
                    " visits, state) VALUES (?, ?, ?, ?, ?, ?, ?, 'planned')",
                    (*place, *warmup, visits.get(treatment, 0)),
                )

    def event(self, number: int, event: BlockEvent) -> None:
        """Record an event of a running block, or of the pilot (block 0).

        Trials within 50 ms share a transaction, so that the last ones may be lost if the session is killed; their
        block does not count then anyway.

        Raises:
            UnusableObservation: a value is not finite, or has another unit or clock than before.
            SecretRefused: a witness contains a private key.
            ValueError: the block is not running, the treatment is not planned in it, or the trial is a duplicate.
        """
        event = _readable(event)
        if number < 1:
            number = self._pilot
        elif event.treatment not in self._require_running(number).planned:
            raise ValueError(f"{event.treatment} is not planned in block {number}")
        gather = number > 0 and isinstance(event, Trial) and event.state is State.OK
        with self._step():
            rows = self._event_rows(number, event)
            if gather:
                self._file.gather(rows)
            elif number < 1 and (failures := event_failures(number, event)):
                self._file.write(rows, self._frame)
                self._builder.add_pilot_failures(failures)
            else:
                self._file.write(rows)

    def events(self, number: int, events: Iterable[BlockEvent]) -> None:
        """Record all events of a running block at once; `finish_block` writes them.

        Raises:
            UnusableObservation, SecretRefused, ValueError: as for `event`; then no event is recorded.
        """
        running = self._require_running(number)
        before = set(running.trials)
        rows: list[Statement] = []
        with self._step():
            try:
                for event in events:
                    if event.treatment not in running.planned:
                        raise ValueError(f"{event.treatment} is not planned in block {number}")
                    rows += self._event_rows(number, _readable(event))
            except BaseException:
                running.trials = before
                raise
            self._file.gather(rows, defer=True)

    def _event_rows(self, block: int, event: BlockEvent) -> list[Statement]:
        if isinstance(event, Trial):
            return self._trial_rows(block, event)
        rows = self._failure_rows(block, event)
        match event:
            case Opened(treatment, witnesses, first, open_s):
                witness_set = self._names.witness_set(treatment, witnesses)
                rows.append((_OPENED, (block, self._names.treatment(treatment), open_s, witness_set)))
                place = (_OPENING_ROUND, self._position(block, 0))
                rows += self._observation_rows(block, treatment, place, first)
            case Closed(treatment, witnesses):
                witness_set = self._names.witness_set(treatment, witnesses)
                rows.append((_CLOSED, (witness_set, block, self._names.treatment(treatment))))
            case Dropped(treatment, state):
                if state is State.OK:
                    raise ValueError(f"{treatment} was dropped in state ok")
        return rows

    def _trial_rows(self, block: int, event: Trial) -> list[Statement]:
        treatment, telemetry = event.treatment, event.telemetry
        place = (event.round, self._position(block, event.position))
        trials = self._running[block].trials if block > 0 else set()
        if (treatment, place) in trials:
            raise ValueError(f"round {event.round} of {treatment} is recorded already")
        if not all(map(is_usable, telemetry.values())):
            telemetry = {name: value for name, value in telemetry.items() if is_usable(value)}
        rows = [] if event.state is State.OK else self._failure_rows(block, event)
        key = (block, self._names.treatment(treatment), *place, event.state.value)
        rows.append((self._names.trial_sql(tuple(telemetry)), (*key, *map(float, telemetry.values()))))
        if event.observations:
            rows += self._observation_rows(block, treatment, place, event.observations)
        trials.add((treatment, place))
        return rows

    def _failure_rows(self, block: int, event: BlockEvent) -> list[Statement]:
        rows: list[Statement] = []
        round_ = event.round if isinstance(event, Trial) else None
        for failure in event_failures(block, event):
            words = (failure.stage, failure.state, failure.reason, failure.hint)
            rows.append((_FAILED, (block, failure.treatment, round_, *words)))
            if self._names.knows(failure.treatment):  # the pilot's empty operation is not a treatment
                rows.append((_FAILED_SUBJECT, (block, self._names.treatment(failure.treatment), failure.state)))
        return rows

    def _observation_rows(
        self, block: int, treatment: str, place: tuple[int, int], observations: Iterable[Observation]
    ) -> list[Statement]:
        rows: list[Statement] = []
        for number, observation in enumerate(observations):
            series = self._names.series(treatment, usable(observation))
            rows.append((_OBSERVED, (block, series, *place, number, float(observation.value), observation.count)))
        return rows

    def _position(self, block: int, position: int) -> int:
        if block > 0:
            return position
        # A pilot may visit a treatment several times per round, so visits are numbered.
        self._pilot_position += 1
        return self._pilot_position

    def finish_block(self, number: int, seconds: float) -> None:
        self.finish_blocks([(number, seconds)])

    def finish_blocks(self, finished: Sequence[tuple[int, float]], *, sync: bool = True) -> None:
        """Mark running blocks as finished, and sync them to the disk.

        Args:
            finished: block numbers in order, each with its duration in seconds.
            sync: False if another block follows within about a second; until then a power cut loses these.
        """
        for number, _ in finished:
            self._require_running(number)
        self._file.check_place()
        mark = "UPDATE block SET state = 'finished', seconds = ? WHERE number = ? AND state = 'running'"
        reduced: list[BlockSummary] = []

        def checksums() -> Iterator[Statement]:
            with_checksums = self._reducer.reduce([(number, float(seconds)) for number, seconds in finished])
            reduced.extend(block for block, _ in with_checksums)
            add_batches(reduced)
            for block, checksum in with_checksums:
                yield checksum.row(block.number)

        with self._step():
            self._file.write([(mark, (seconds, number)) for number, seconds in finished], checksums)
            for number, _ in finished:
                del self._running[number]
            for block in reduced:
                self._builder.add(block)
        if sync:
            self._file.sync()

    def abandon_block(self, number: int) -> None:
        """Mark a running block as abandoned: its rows stay but do not count."""
        self._require_running(number)
        abandoned = "UPDATE block SET state = 'abandoned' WHERE number = ? AND state = 'running'"
        with self._step():
            self._file.write([(abandoned, (number,))])
            del self._running[number]

    def _require_running(self, number: int) -> _Running:
        self._repair()
        if number not in self._running:
            raise ValueError(f"block {number} is not running")
        return self._running[number]

    def finish(self, state: str) -> None:
        """Record the final state, finished or interrupted; running blocks are abandoned."""
        self._repair()
        for number in tuple(self._running):
            self.abandon_block(number)
        now = _now()
        with self._step():
            self._file.write(
                [
                    ("UPDATE block SET state = 'abandoned' WHERE state = 'running'", ()),  # Ctrl-C in `begin_block`
                    ("UPDATE session SET ended = ? WHERE number = ?", (now, self._session)),
                    ("UPDATE run SET state = ?, ended = ?", (state, now)),
                ],
                self._frame,
            )
            self._state = state

    def close(self) -> None:
        """Merge the log into the file and close it; idempotent, never raises.

        Without `finish`, the run counts as interrupted.
        """
        with suppress(RecordNotWritable):
            self._repair()
        self._inconsistent = False
        if self._state == "running":
            self._state = "interrupted"
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _readable(event: BlockEvent) -> BlockEvent:
    if isinstance(event, Trial | Dropped) and (event.reason or event.hint):
        return replace(event, reason=readable(event.reason), hint=readable(event.hint))
    return event


def _session_rows(number: int, sectax_version: str, environment: Environment, now: str) -> Iterable[Statement]:
    yield "INSERT INTO session VALUES (?, ?, ?, NULL)", (number, sectax_version, now)
    for host, host_environment in {LOCAL_HOST: environment, **environment.hosts}.items():
        for kind, values in (("identity", host_environment.identity), ("circumstance", host_environment.circumstances)):
            for name, value in values.items():
                refuse_private_keys(value, f"{name} of the environment")
                yield (
                    "INSERT INTO environment (session, kind, name, value, host) VALUES (?, ?, ?, ?, ?)",
                    (number, kind, name, value, host),
                )


def _resume_rows(
    db: sqlite3.Connection, plan: Plan, environment: Environment
) -> tuple[list[Statement], Callable[[], Iterable[Statement]]]:
    """The statements that begin another session, and the checksums after them."""
    now = _now()
    (session,) = db.execute("SELECT MAX(number) + 1 FROM session").fetchone()
    calibrated, pilot = db.execute("SELECT calibrated IS NOT NULL, (SELECT MIN(number) FROM block) FROM run").fetchone()
    has_all_checksums = has_checksums(db)
    (version,) = db.execute("PRAGMA user_version").fetchone()
    rows: list[Statement] = [
        *((statement, ()) for old_format in range(version, FORMAT) for statement in UPGRADES[old_format]),
        (f"PRAGMA user_version = {FORMAT}", ()),
        ("UPDATE block SET state = 'abandoned' WHERE state = 'running'", ()),
        ("UPDATE run SET state = 'running', ended = NULL", ()),
        *_session_rows(session, __version__, environment, now),
    ]
    if not calibrated:
        rows.append(("UPDATE block SET state = 'abandoned' WHERE state = 'pilot'", ()))
        new_pilot = "INSERT INTO block (number, session, state, started) VALUES (?, ?, 'pilot', ?)"
        rows.append((new_pilot, (pilot - 1, session, now)))
    if has_all_checksums:
        return rows, lambda: frame_checksum(db)

    def all_checksums() -> Iterator[Statement]:
        reducer = BlockReducer(db, plan)
        for finished in reducer.finished():
            ((block, checksum),) = reducer.reduce([finished])
            yield checksum.row(block.number)
        yield from frame_checksum(db)

    return rows, all_checksums


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
