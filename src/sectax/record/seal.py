"""What a seal signs: a chain of hashes over the checksums of all blocks, and the checksum of all else.

A statement is a few lines of text. The one of a session's beginning names the run and its plan, before anything is
measured; the one of its end names the blocks too. docs/run-file.md says how to check one without sectax.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from sectax.model.errors import WrongUse
from sectax.model.seal import Seal, SealState
from sectax.record.appender import Appender
from sectax.record.checksums import has_checksums
from sectax.record.errors import reading
from sectax.record.plan_tables import Statement
from sectax.record.schema import SEALS

Sign = Callable[[str], str]  # a statement -> its signature
# A signature and a statement -> the fingerprint of the key and its name. Raises `BadSignature`, `UnknownSigner`.
Check = Callable[[str, str], tuple[str, str]]

_FIRST_LINE = "sectax seal 1"
# A run that is interrupted every ten minutes for a week has two thousand; a statement has 400 bytes.
_MOST_SEALS = 5000
_MOST_BYTES = 16384
_START = "0" * 64


class UnknownSigner(ValueError):
    """A signature holds, and is of none of the signers that are asked for."""


class BadSignature(ValueError):
    """The signature is not one of this text."""


class _Statement(dict[str, str]):
    """A statement that was read back, by the words that its lines begin with; empty where it has none such."""

    def __missing__(self, name: str) -> str:
        return ""

    def number(self, name: str) -> int:
        return int(self[name]) if self[name].isdecimal() else 0


def opening_statement(run_id: str, plan: str, session: int) -> str:
    """What is signed before a session measures anything; *plan* is the JSON that stands in the file, or will."""
    return _text({"run": run_id, "plan": _hash_of(plan), "session": str(session), "state": "begun"})


def closing_statement(db: sqlite3.Connection) -> str:
    """What is signed when a session has ended. Raises `sqlite3.Error`."""
    run_id, state, plan = db.execute("SELECT id, state, plan FROM run").fetchone()
    (session,) = db.execute("SELECT MAX(number) FROM session").fetchone()
    count, last, head = chain(db)
    return _text(
        {
            "run": run_id,
            "plan": _hash_of(plan),
            "session": str(session),
            "state": state,
            "frame": _frame(db),
            "blocks": str(count),
            "last": str(last),
            "head": head,
        }
    )


def chain(db: sqlite3.Connection, last: int | None = None) -> tuple[int, int, str]:
    """The number of finished blocks up to *last*, the number of the last one of them, and the hash over all of them."""
    head, count, number = _START, 0, 0
    for number, digest, telemetry in db.execute(
        "SELECT block, digest, telemetry FROM checksum WHERE block > 0 AND (?1 IS NULL OR block <= ?1) ORDER BY block",
        (last,),
    ):
        head = _hash_of(f"{head} {number} {digest} {telemetry}\n")
        count += 1
    return count, number, head


def seal_rows(session: int, statement: str, signature: str) -> list[Statement]:
    return [
        (SEALS, ()),
        ("INSERT INTO seal (session, statement, signature) VALUES (?, ?, ?)", (session, statement, signature)),
    ]


def seal(appender: Appender, sign: Sign) -> None:
    """Seal a file as it is now.

    Raises:
        RecordNotWritable: it cannot be written. What *sign* raises is handed on.
    """
    statement = closing_statement(appender.db)
    signature = sign(statement)
    (session,) = appender.db.execute("SELECT MAX(number) FROM session").fetchone()
    appender.write(seal_rows(session, statement, signature))


def seal_file(path: Path, sign: Sign) -> None:
    """Seal a run that nobody writes to.

    Raises:
        WrongUse: it is of a format without checksums.
        BadRecord, RecordNotWritable: it cannot be read or written. What *sign* raises is handed on.
    """
    appender = Appender(path)
    try:
        if not has_checksums(appender.db):
            raise WrongUse(f"{path} is of format 1, which has no checksums to seal", "measure it again")
        with reading(path):
            seal(appender, sign)
    finally:
        with suppress(Exception):
            appender.close()


def seal_of(db: sqlite3.Connection, check: Check) -> Seal:
    """What the seals of a file say of it, whose blocks were compared with their checksums before."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'seal'").fetchone():
        return Seal(SealState.NOT_SEALED)
    seals = db.execute(
        "SELECT substr(statement, 1, ?1), substr(signature, 1, ?1) FROM seal ORDER BY number LIMIT ?2",
        (_MOST_BYTES, _MOST_SEALS),
    ).fetchall()
    if not seals:
        return Seal(SealState.NOT_SEALED)
    count, _, _ = chain(db)
    for number, (text, signature) in enumerate(seals, start=1):
        statement = _read(str(text))
        fault = "it is not the statement of a seal" if statement is None else _fault(db, statement)
        if statement is None or fault:
            return Seal(SealState.BROKEN, of_blocks=count, reason=f"seal {number} of {len(seals)}: {fault}")
        try:
            signer, name = check(str(text), str(signature))
        except UnknownSigner as error:
            return Seal(SealState.STRANGER, of_blocks=count, signer=str(error))
        except BadSignature as error:
            return Seal(SealState.BROKEN, of_blocks=count, reason=f"seal {number} of {len(seals)}: {error}")
        sealed = Seal(
            SealState.SEALED,
            int(statement["blocks"] or 0),
            count,
            signer,
            name,
            statement["at"],
            _left_out(db, statement, count),
        )
    return Seal(**(vars(sealed) | {"state": SealState.PARTLY if sealed.reason else SealState.SEALED}))


def _fault(db: sqlite3.Connection, statement: _Statement) -> str:
    """What is there and was not sealed so; empty where all is."""
    run_id, plan = db.execute("SELECT id, plan FROM run").fetchone()
    if statement["run"] != run_id:
        return "it is the seal of another run"
    if statement["plan"] != _hash_of(plan):
        return "the plan is not the one that was sealed"
    if statement["state"] == "begun":
        return ""
    count, last, head = chain(db, statement.number("last"))
    if (str(count), str(last), head) != (statement["blocks"], statement["last"], statement["head"]):
        return f"blocks 1 to {statement.number('last')} are not those that were sealed"
    (sessions,) = db.execute("SELECT MAX(number) FROM session").fetchone()
    if statement.number("session") == sessions and statement["frame"] != _frame(db):
        return "the environment, a note or the pilot is not what was sealed"
    return ""


def _left_out(db: sqlite3.Connection, statement: _Statement, count: int) -> str:
    """What came after the last seal; empty where nothing did."""
    if statement["state"] == "begun":
        return "only the plan is sealed: the session did not end normally"
    sealed = int(statement["blocks"])
    if sealed < count:
        return f"{count - sealed} of {count} blocks came after the last seal"
    (sessions,) = db.execute("SELECT MAX(number) FROM session").fetchone()
    return "a session came after the last seal" if statement.number("session") < sessions else ""


def _frame(db: sqlite3.Connection) -> str:
    row = db.execute("SELECT digest FROM checksum WHERE block = 0").fetchone()
    return "" if row is None else str(row[0])


def _text(lines: dict[str, str]) -> str:
    fields = lines | {"at": datetime.now(UTC).isoformat(timespec="seconds")}
    return "".join(f"{line}\n" for line in (_FIRST_LINE, *(f"{name} {value}" for name, value in fields.items())))


def _read(text: str) -> _Statement | None:
    first, *lines = text.splitlines()
    if first != _FIRST_LINE:
        return None
    fields = dict(line.split(" ", 1) for line in lines if " " in line)
    return _Statement(fields) if fields.get("blocks", "0").isdecimal() else None


def _hash_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()
