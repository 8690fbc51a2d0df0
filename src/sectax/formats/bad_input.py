"""What is wrong with a file of somebody else's numbers, and where."""

from __future__ import annotations

from sectax.model.errors import SectaxError


class BadInput(SectaxError):
    """A file that cannot be read as what it is taken for. The message names line and column where there are any.

    Importers know no file; whoever opened it puts its name before the message (`in_file`).
    """

    def __init__(self, message: str, hint: str = "", *, line: int | None = None, column: int | None = None) -> None:
        places = [f"{name} {at}" for name, at in (("line", line), ("column", column)) if at is not None]
        super().__init__(f"{', '.join(places)}: {message}" if places else message, hint)

    def in_file(self, name: str) -> BadInput:
        """The same with the file's name."""
        return BadInput(f"{name}: {self.message}", self.hint)
