"""The report of a finished run, kept until its file, or sectax itself, changes: judging it again takes a second."""

from __future__ import annotations

import os
from collections.abc import Mapping

from sectax.toolchain.kept import Kept


class Shown:
    """What `sectax show` printed of one run file, in one form."""

    def __init__(self, run_file: str, form: Mapping[str, object]) -> None:
        """Args: *run_file*, as it was typed, for the report names it; *form*, all that decides how it looks."""
        path = os.path.realpath(run_file)
        self._watched = (path, f"{path}-wal", f"{path}-journal")
        self._kept = Kept("show", {"path": path, "typed": run_file, **form})

    def recall(self) -> str | None:
        """The report; None where it must be made."""
        return self._kept.recall()

    def keep(self, text: str) -> None:
        """Keep the report of a run that is finished: how another one stands also depends on who is measuring."""
        self._kept.keep(text, self._watched)
