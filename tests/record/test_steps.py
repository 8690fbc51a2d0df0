"""Reading a run file ends, whatever its content."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sectax.model.errors import BadRecord
from sectax.record.errors import reading
from sectax.record.reader import limit_steps

ENDLESS = "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT COUNT(*) FROM more"
MANY = (
    "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 300000) SELECT COUNT(*) FROM more"
)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = tmp_path / "run.sectax"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (a)")
        limit_steps(connection, path)
        yield connection


def test_endless_query_is_interrupted(db: sqlite3.Connection) -> None:
    with pytest.raises(BadRecord, match="work"), reading(Path("run.sectax")):
        db.execute(ENDLESS).fetchone()


@pytest.mark.more
def test_every_statement_has_the_full_step_limit(db: sqlite3.Connection) -> None:
    for _ in range(8):
        assert db.execute(MANY).fetchone() == (300_000,)
