"""The error for an imported file that cannot be read."""

from __future__ import annotations

from sectax.model.errors import SectaxError


class BadInput(SectaxError):
    """An imported file is not valid; the message names line and column where known.

    Importers know no file name; the caller that opened the file adds it to the message (`in_file`).
    """

    def __init__(self, message: str, hint: str = "", *, line: int | None = None, column: int | None = None) -> None:
        places = [f"{name} {at}" for name, at in (("line", line), ("column", column)) if at is not None]
        super().__init__(f"{', '.join(places)}: {message}" if places else message, hint)

    def in_file(self, name: str) -> BadInput:
        """The same error with the file's name."""
        return BadInput(f"{name}: {self.message}", self.hint)
