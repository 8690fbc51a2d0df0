"""Keeps a run while it goes on: every event into the file, and into the sums that the analysis looks at."""

from __future__ import annotations

import contextlib
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from sectax import __version__
from sectax.model.environment import Environment
from sectax.model.measured import Measured
from sectax.model.plan import Calibrated, Plan
from sectax.model.trial import BlockEvent, PlannedBlock
from sectax.record.builder import MeasuredBuilder
from sectax.record.reader import RunReader
from sectax.record.writer import RunWriter


class Ledger:
    """One session of a run: the file that it is written to, and what it holds so far."""

    def __init__(
        self,
        writer: RunWriter,
        builder: MeasuredBuilder,
        *,
        run_id: str,
        started: str,
        next_block: int,
        calibrated: Calibrated | None,
        sessions: tuple[Environment, ...],
        notes: tuple[str, ...],
    ) -> None:
        self.path = writer.path
        self.run_id = run_id
        self.calibrated = calibrated
        self._writer = writer
        self._builder = builder
        self._started = started
        self._next_block = next_block
        self._sessions = sessions
        self._notes = notes
        self._state = "running"

    @classmethod
    def create(cls, path: Path, plan: Plan, environment: Environment, run_id: str) -> Ledger:
        """Begin a run in a new file."""
        writer = RunWriter.create(path, plan, environment, run_id=run_id, sectax_version=__version__)
        return cls(
            writer,
            MeasuredBuilder(plan),
            run_id=run_id,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            next_block=1,
            calibrated=None,
            sessions=(environment,),
            notes=(),
        )

    @classmethod
    def reopen(cls, path: Path, environment: Environment) -> Ledger:
        """Go on with the run of a file. The block that was running in it is abandoned."""
        writer = RunWriter.reopen(path, environment, sectax_version=__version__)
        with contextlib.closing(RunReader.open(path)) as reader:
            before = reader.measured()
            return cls(
                writer,
                reader.builder(),
                run_id=before.run_id,
                started=before.started,
                next_block=reader.next_block_number(),
                calibrated=before.calibrated,
                sessions=before.sessions,
                notes=before.notes,
            )

    def note(self, text: str) -> None:
        """Something that the run itself has to say."""
        self._writer.note(text)
        self._notes += (text,)

    def calibrate(self, calibrated: Calibrated) -> None:
        """What the pilot found; a resumed run does not repeat it."""
        self._writer.calibrated(calibrated)
        self.calibrated = calibrated

    @property
    def next_block(self) -> int:
        return self._next_block

    def begin_block(self, block: PlannedBlock) -> None:
        self._writer.begin_block(block)
        self._builder.begin_block(block)
        self._next_block = block.number + 1
        self._block_began = time.monotonic()

    def event(self, block: int, event: BlockEvent) -> None:
        """One event of the running block, or of the pilot (block 0)."""
        self._writer.event(block, event)
        self._builder.event(block, event)

    def finish_block(self, number: int) -> None:
        seconds = time.monotonic() - self._block_began
        self._writer.finish_block(number, seconds)
        self._builder.finish_block(number, seconds)

    def measured(self) -> Measured:
        """All finished blocks so far."""
        return self._builder.measured(
            run_id=self.run_id,
            started=self._started,
            state=self._state,
            calibrated=self.calibrated,
            sessions=self._sessions,
            notes=self._notes,
        )

    def finish(self, state: Literal["finished", "interrupted"]) -> None:
        """Say how the run ended, and let go of the file. Raises `RecordNotWritable` where it could not be said."""
        self._state = state
        try:
            self._writer.finish(state)
        finally:
            self._writer.close()
