"""Runs a command that failed once more, untimed, to hear what it says on its stderr."""

from __future__ import annotations

import contextlib

from sectax.sandboxes.process.errors import ChildError, describe_exit
from sectax.subjects.command.failures import last_words
from sectax.subjects.command.requests import NotPrepared
from sectax.subjects.command.running import RunningLauncher
from sectax.subjects.command.slots import COMMAND_ALOUD, PREPARE, PREPARE_ALOUD
from sectax.subjects.command.spec import CommandSpec

# Whoever waits for a message does not wait for long.
_LONGEST_S = 10.0


class Diagnosis:
    """One more execution under the same conditions. It ends the launcher."""

    def __init__(self, spec: CommandSpec, running: RunningLauncher) -> None:
        self._spec = spec
        self._running = running

    def words(self, status: int, *, of_preparation: bool) -> str:
        """What to add to the message of a failure with this status; empty where nothing was learnt. Never raises."""
        with contextlib.suppress(ChildError, ValueError):
            again = self._status_again(of_preparation)
            self._running.quit()  # which reads the last of its stderr
            if again == status:
                return last_words(self._running.child.stderr_tail)
            if again is not None:
                return f"; run once more to read its stderr, it ended with {describe_exit(again)}"
        return ""

    def _status_again(self, of_preparation: bool) -> int | None:
        spec = self._spec
        first = None if of_preparation or spec.prepare is None else PREPARE
        slot = PREPARE_ALOUD if of_preparation else COMMAND_ALOUD
        done = self._running.run(slot, prepare=first, deadline_s=min(spec.deadline_s, _LONGEST_S))
        if isinstance(done.end, NotPrepared) or not done.executions:
            return None
        return done.executions[0].status
