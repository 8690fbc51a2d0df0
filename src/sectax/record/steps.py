"""A limit on the work of reading a run file: a query over what somebody made to have no end does end."""

from __future__ import annotations

import sqlite3
from pathlib import Path

# All that is asked of a run of a million trials takes about one step of SQLite's machine for each byte of its file; one
# statement never needs more.
STEPS_PER_BYTE, STEPS_OF_ANY = 20, 20_000_000
_BETWEEN_LOOKS = 100_000


def limit_steps(db: sqlite3.Connection, path: Path) -> None:
    """End a statement whose work the file does not explain with `sqlite3.OperationalError` (SQLITE_INTERRUPT)."""
    allowed = STEPS_OF_ANY + STEPS_PER_BYTE * path.stat().st_size
    taken = 0

    def begins(_: str) -> None:
        nonlocal taken
        taken = 0

    def look() -> bool:
        nonlocal taken
        taken += _BETWEEN_LOOKS
        return taken > allowed

    db.set_trace_callback(begins)
    db.set_progress_handler(look, _BETWEEN_LOOKS)
