"""Keeps a run while it goes on: what a session adds to its file is the time of a block, and what became of nonsense."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

from sectax.model.environment import Environment
from sectax.model.measured import Measured
from sectax.model.plan import Calibrated, Plan
from sectax.model.trial import BlockEvent, Closed, Dropped, Opened, PlannedBlock, State
from sectax.record.errors import SecretRefused, UnusableObservation
from sectax.record.seal import Sign
from sectax.record.writer import RunWriter


class Ledger:
    """One session of a run. What it holds, it holds in the writer of the file and nowhere else."""

    def __init__(self, writer: RunWriter) -> None:
        self._writer = writer
        self._block_began = 0.0
        self._refused: set[tuple[int, str]] = set()

    @classmethod
    def create(cls, path: Path, plan: Plan, environment: Environment, run_id: str) -> Ledger:
        """Begin a run in a new file."""
        return cls(RunWriter.create(path, plan, environment, run_id))

    @classmethod
    def reopen(cls, path: Path, environment: Environment) -> Ledger:
        """Go on with the run of a file. The block that was running in it is abandoned."""
        return cls(RunWriter.reopen(path, environment))

    @property
    def path(self) -> Path:
        return self._writer.path

    @property
    def run_id(self) -> str:
        return self._writer.run_id

    @property
    def calibrated(self) -> Calibrated | None:
        """What the pilot found; None where it has not come to its end."""
        return self._writer.calibrated

    @property
    def next_block(self) -> int:
        return self._writer.next_block_number()

    def measured(self) -> Measured:
        """All finished blocks so far."""
        return self._writer.measured()

    def note(self, text: str) -> None:
        """Something that the run itself has to say."""
        self._writer.note(text)

    def calibrate(self, calibrated: Calibrated) -> None:
        """What the pilot found; a resumed run does not repeat it."""
        self._writer.calibrate(calibrated)

    def begin_block(self, block: PlannedBlock) -> None:
        self._writer.begin_block(block)
        self._block_began = time.monotonic()

    def event(self, block: int, event: BlockEvent) -> BlockEvent | None:
        """One event of the running block, or of the pilot (block 0).

        A treatment whose subject says what cannot be recorded (no number, another unit or clock than before, a
        private key) has failed there: its reason is recorded, and what still comes of it in this block is not.

        Returns:
            What was recorded: the event, a `Dropped` in its place, or None.
        """
        if (block, event.treatment) in self._refused:
            return None
        try:
            self._writer.event(block, event)
        except (UnusableObservation, SecretRefused) as error:
            dropped = Dropped(event.treatment, State.FAILED, _stage(block, event), error.message, error.hint)
            self._writer.event(block, dropped)
            self._refused.add((block, event.treatment))
            return dropped
        return event

    def finish_block(self, number: int) -> None:
        self._writer.finish_block(number, max(0.0, time.monotonic() - self._block_began))

    def keep_seal(self, statement: str, signature: str) -> None:
        """What was signed before this session."""
        self._writer.keep_seal(statement, signature)

    def finish(self, state: Literal["finished", "interrupted"], sign: Sign | None = None) -> None:
        """Say how the run ended, seal it where *sign* is given, and let go of the file.

        Raises:
            RecordNotWritable: it could not be said. What *sign* raises is handed on.
        """
        try:
            self._writer.finish(state)
            if sign is not None:
                self._writer.seal(sign)
        finally:
            self._writer.close()


def _stage(block: int, event: BlockEvent) -> str:
    """Where in its block the event stands, in the words of failures."""
    if block < 1:
        return "pilot"
    match event:
        case Opened():
            return "open"
        case Closed():
            return "close"
        case _:
            return "visit"
