"""A watcher of a run that remembers what it was shown: it implements `Progress`."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from sectax.run.progress import ProgressLine


class Watcher:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)

    def detail(self, text: str) -> None:
        self.lines.append(text)

    def at(self, doing: str, done: int, total: int) -> None:
        """Not remembered: how many there are depends on the machine."""

    def stands(self, progress_line: ProgressLine) -> None:
        self.lines.append(progress_line.line())

    def waiting(self, what: str) -> AbstractContextManager[None]:
        return nullcontext()
