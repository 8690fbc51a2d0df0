"""Keeps a run while it goes on: what a session adds to its file is what became of nonsense."""

from __future__ import annotations

from typing import Literal

from sectax.model.trial import BlockEvent, Closed, Dropped, Opened, State
from sectax.record.appender import Appender
from sectax.record.builder import MeasuredBuilder
from sectax.record.errors import SecretRefused, UnusableObservation
from sectax.record.seal import Sign
from sectax.record.writer import RunWriter


class Ledger(RunWriter):
    """One session of a run: the writer of its file, with a way with nonsense."""

    def __init__(self, appender: Appender, session: int, builder: MeasuredBuilder | None = None) -> None:
        """For `create` and `reopen`, as of the writer."""
        super().__init__(appender, session, builder)
        self._refused: set[tuple[int, str]] = set()

    def keep(self, block: int, event: BlockEvent) -> BlockEvent | None:
        """Record one event of the running block, or of the pilot (block 0).

        A treatment whose subject says what cannot be recorded (no number, another unit or clock than before, a
        private key) has failed there: its reason is recorded, and what still comes of it in this block is not.

        Returns:
            What was recorded: the event, a `Dropped` in its place, or None.
        """
        if (block, event.treatment) in self._refused:
            return None
        try:
            self.event(block, event)
        except (UnusableObservation, SecretRefused) as error:
            stage = {Opened: "open", Closed: "close"}.get(type(event), "visit") if block >= 1 else "pilot"
            dropped = Dropped(event.treatment, State.FAILED, stage, error.message, error.hint)
            self.event(block, dropped)
            self._refused.add((block, event.treatment))
            return dropped
        return event

    def end(self, state: Literal["finished", "interrupted"], sign: Sign | None = None) -> None:
        """Say how the run ended, seal it where *sign* is given, and let go of the file.

        Raises:
            RecordNotWritable: it could not be said. What *sign* raises is handed on.
        """
        try:
            self.finish(state)
            if sign is not None:
                self.seal(sign)
        finally:
            self.close()
