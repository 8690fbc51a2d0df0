"""Where `--logs` puts what all functions write: a file or stdout, line by line, from a thread of its own."""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
from datetime import UTC, datetime

from sectax.model.errors import WrongUse

# What may wait for a file or a terminal that does not keep up; past it lines are dropped, and that is said.
_MOST_WAITING_BYTES = 32 * 1024 * 1024


class LogOutput:
    """Takes chunks at once and writes them later, so that a slow terminal holds up no function."""

    def __init__(self, path: str) -> None:
        """Args: *path* is of a file that is appended to, or `-` for stdout. Raises `WrongUse`."""
        try:
            self._descriptor = (
                os.dup(sys.stdout.fileno())
                if path == "-"
                else os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            )
        except OSError as error:
            raise WrongUse(f"the log {path} cannot be written: {error.strerror}", "name another file") from error
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._waiting = 0
        self._dropped = 0
        self._thread = threading.Thread(target=self._write, name="logs", daemon=True)
        self._thread.start()

    def put(self, lines: bytes) -> None:
        """Write these lines, as soon as there is time."""
        if self._waiting > _MOST_WAITING_BYTES:
            self._dropped += lines.count(b"\n")
            return
        if self._dropped:
            lines = b"%d lines were dropped here: the output did not keep up\n" % self._dropped + lines
            self._dropped = 0
        self._waiting += len(lines)
        self._queue.put(lines)

    def close(self) -> None:
        """Write what waits, unless that takes long."""
        self._queue.put(None)
        self._thread.join(2.0)
        if not self._thread.is_alive():
            os.close(self._descriptor)

    def _write(self) -> None:
        while (lines := self._queue.get()) is not None:
            self._waiting -= len(lines)
            with contextlib.suppress(OSError):  # a full disk or a closed pipe ends no function
                while lines:
                    lines = lines[os.write(self._descriptor, lines) :]


class InstanceLines:
    """The lines of one instance, each with the time and the instance's name."""

    def __init__(self, output: LogOutput, name: str) -> None:
        self._output = output
        self._name = name.encode()
        self._begun = b""

    def put(self, chunk: bytes) -> None:
        """Take what was written; a line that has not ended waits for its end."""
        *whole, self._begun = (self._begun + chunk).split(b"\n")
        if len(self._begun) > _MOST_WAITING_BYTES // 1024:  # a line without an end
            whole, self._begun = [*whole, self._begun], b""
        if whole:
            now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3].encode() + b"Z "
            self._output.put(b"".join(now + self._name + b" " + line + b"\n" for line in whole))

    def end_line(self) -> None:
        """End a line that has begun."""
        if self._begun:
            self.put(b"\n")
