"""Run writer that records invalid observations as failures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Literal

from sectax.model.trial import BlockEvent, Closed, Dropped, Opened, State
from sectax.record.appender import Appender
from sectax.record.builder import MeasuredBuilder
from sectax.record.errors import SecretRefused, UnusableObservation
from sectax.record.finished_blocks import TOGETHER
from sectax.record.writer import RunWriter

# Many hosts finish blocks at the same time; one fsync each would take longer than everything else.
_SYNC_S = 1.0


class SessionWriter(RunWriter):
    """Writes one session; an invalid observation fails its treatment alone."""

    def __init__(self, appender: Appender, session: int, builder: MeasuredBuilder | None = None) -> None:
        super().__init__(appender, session, builder)
        self._refused: set[tuple[int, str]] = set()
        self._synced = 0.0
        self._whole: dict[int, float] = {}  # blocks that are recorded but not finished, with their seconds

    def keep(self, block: int, event: BlockEvent) -> BlockEvent | None:
        """Record one event of the running block, or of the pilot (block 0).

        A subject that reports what cannot be recorded (not a number, another unit or clock than before, a private
        key) fails its treatment: the reason is recorded, and its later events of this block are not.

        Returns:
            What was recorded: the event, a `Dropped` instead of it, or None.
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

    def keep_whole(
        self, block: int, events: Sequence[BlockEvent], seconds: float, *, more: bool = False
    ) -> list[BlockEvent]:
        """Record and finish a block received at once; returns as `keep` does.

        Args:
            more: another block follows at once; finishing both together takes half the time.
        """
        try:
            self.events(block, events)
        except (UnusableObservation, SecretRefused):
            recorded = [written for event in events if (written := self.keep(block, event)) is not None]
        else:
            recorded = list(events)
        self._whole[block] = seconds
        if not more or len(self._whole) >= TOGETHER:
            self.finish_whole()
        return recorded

    def finish_whole(self) -> None:
        """Finish the blocks that were recorded by `keep_whole`."""
        finished, self._whole = sorted(self._whole.items()), {}
        if finished:
            now = time.monotonic()
            sync = now - self._synced >= _SYNC_S
            self.finish_blocks(finished, sync=sync)
            self._synced = now if sync else self._synced

    def end(self, state: Literal["finished", "interrupted"]) -> None:
        """Record how the session ended, and close the file.

        Raises:
            RecordNotWritable: it could not be recorded.
        """
        try:
            self.finish_whole()
            self.finish(state)
        finally:
            self.close()
