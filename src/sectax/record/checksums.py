"""Checksums that detect damage to a run file.

SQLite detects a malformed page but not a changed number. So there is a checksum of every finished block, and one of
the frame: the plan, the environment, the notes and the pilot. They are written in the transaction of their data.
Files of format 1 have none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from math import isclose

import msgspec

from sectax.record.errors import RecordChanged
from sectax.record.plan_tables import Statement, to_json

Telemetry = dict[str, dict[str, float]]  # by treatment and name

# The row of the frame; blocks are numbered from 1.
_FRAME = 0
_FIRST_FORMAT = 2
_FRAME_TABLES = (
    *("run", "session", "environment", "note"),
    *("factor", "level", "metric", "cell", "treatment", "treatment_level", "comparison", "skipped", "calibration"),
    *("block WHERE number < 1", "failure WHERE block < 1"),
)
_INSERT = "INSERT OR REPLACE INTO checksum VALUES (?, ?, ?)"
# Versions of SQLite differ in the rounding of sums.
_ROUNDING = 1e-9


class Hash:
    """A hash of separate parts."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=16)

    def add(self, part: object) -> None:
        self.add_bytes(msgspec.json.encode(part))

    def add_bytes(self, part: bytes) -> None:
        self._hash.update(len(part).to_bytes(8, "little"))
        self._hash.update(part)

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


@dataclass(frozen=True)
class BlockChecksum:
    """The digest of a block's rows, and the sums of its telemetry.

    Attributes:
        without_start: the digest without the start time, for older files; not recorded.
    """

    digest: str
    telemetry: Telemetry
    without_start: str = ""

    def row(self, number: int) -> Statement:
        return _INSERT, (number, self.digest, to_json(self.telemetry))

    def check(self, number: int, recorded: BlockChecksum) -> None:
        """Raise `RecordChanged` if the block is not what was recorded."""
        same_digest = recorded.digest in (self.digest, self.without_start)
        if not same_digest or not _same_telemetry(self.telemetry, recorded.telemetry):
            raise RecordChanged(f"block {number} is not what was recorded")


def _same_telemetry(computed: Telemetry, recorded: Telemetry) -> bool:
    return computed.keys() == recorded.keys() and all(
        sums.keys() == recorded[treatment].keys()
        and all(isclose(value, recorded[treatment][name], rel_tol=_ROUNDING) for name, value in sums.items())
        for treatment, sums in computed.items()
    )


def recorded_blocks(db: sqlite3.Connection) -> dict[int, BlockChecksum]:
    digests = db.execute("SELECT block, digest, telemetry FROM checksum WHERE block > 0").fetchall()
    return {
        number: BlockChecksum(digest, msgspec.json.decode(telemetry, type=Telemetry))
        for number, digest, telemetry in digests
    }


def frame_checksum(db: sqlite3.Connection) -> Iterator[Statement]:
    """The statement that records the current checksum of the frame."""
    yield _INSERT, (_FRAME, _frame_digest(db), "")


def has_checksums(db: sqlite3.Connection) -> bool:
    """Return whether the format of the file has checksums."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return bool(version >= _FIRST_FORMAT)


def check_all_but_blocks(db: sqlite3.Connection) -> None:
    """Check SQLite's structure and the checksum of the frame.

    Raises:
        Changed: it is not what was recorded.
    """
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise RecordChanged(str(verdict))
    if has_checksums(db):
        recorded = db.execute("SELECT digest FROM checksum WHERE block = ?", (_FRAME,)).fetchone()
        if recorded != (_frame_digest(db),):
            raise RecordChanged("the plan, the environment, a note or the pilot is not what was recorded")


def _frame_digest(db: sqlite3.Connection) -> str:
    digest = Hash()
    for table in _FRAME_TABLES:
        # The order of rows is up to SQLite. `ascii` distinguishes text, bytes and numbers in every version of Python.
        digest.add_bytes("\n".join(sorted(map(ascii, db.execute(f"SELECT * FROM {table}")))).encode())  # noqa: S608
    return digest.hexdigest()
