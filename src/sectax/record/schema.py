"""The SQL schema of the run file (docs/run-file.md); a change is a new FORMAT."""

from __future__ import annotations

import re
from collections.abc import Iterable

APPLICATION_ID = 0x53435458  # "SCTX", what `file` and SQLite show of a run file
# PRAGMA user_version. Format 1 had no checksums and a single host, 2 had another name for `skipped.hint`, and 3 had no
# host of a block.
FORMAT = 4

RUN_ID = re.compile(r"[0-9a-f]{16}")

# Observations are clustered by block and series, and trials by block and treatment, so that sums need no sort. They
# are appended block by block, so that only the last pages of the tree are written.
TABLES = """
CREATE TABLE run (
    id TEXT NOT NULL,
    sectax_version TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT,
    state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted')),
    experiment TEXT NOT NULL,
    preset TEXT NOT NULL,
    question TEXT NOT NULL,
    seed TEXT NOT NULL,
    margin REAL NOT NULL,
    plan TEXT NOT NULL,
    calibrated TEXT
);

CREATE TABLE session (
    number INTEGER PRIMARY KEY,
    sectax_version TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT
);
CREATE TABLE environment (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session,
    kind TEXT NOT NULL CHECK (kind IN ('identity', 'circumstance')),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    host TEXT NOT NULL DEFAULT 'local'
);
CREATE TABLE note (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session,
    at TEXT NOT NULL,
    text TEXT NOT NULL
);

CREATE TABLE factor (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE level (
    factor TEXT NOT NULL REFERENCES factor (name),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (factor, position)
) WITHOUT ROWID;
CREATE TABLE metric (
    position INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    unit TEXT NOT NULL,
    better TEXT NOT NULL,
    summary TEXT NOT NULL,
    observed TEXT NOT NULL,
    resolution REAL NOT NULL
);
CREATE TABLE cell (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    family TEXT NOT NULL,
    baseline TEXT NOT NULL,
    levels TEXT NOT NULL
);
CREATE TABLE treatment (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    cell TEXT NOT NULL REFERENCES cell (id),
    role TEXT NOT NULL,
    extra REAL NOT NULL,
    levels TEXT NOT NULL
);
CREATE TABLE treatment_level (
    treatment INTEGER NOT NULL REFERENCES treatment,
    factor TEXT NOT NULL,
    level TEXT NOT NULL,
    PRIMARY KEY (treatment, factor)
) WITHOUT ROWID;
CREATE TABLE comparison (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    cell TEXT NOT NULL REFERENCES cell (id),
    treatment TEXT NOT NULL REFERENCES treatment (id),
    baseline TEXT NOT NULL REFERENCES treatment (id),
    metric TEXT NOT NULL REFERENCES metric (name),
    standing TEXT NOT NULL,
    alpha REAL NOT NULL
);
CREATE TABLE skipped (
    position INTEGER PRIMARY KEY,
    treatment TEXT NOT NULL,
    reason TEXT NOT NULL,
    hint TEXT NOT NULL,
    levels TEXT NOT NULL
);
CREATE TABLE calibration (
    treatment TEXT PRIMARY KEY REFERENCES treatment (id),
    count INTEGER NOT NULL,
    warmup INTEGER NOT NULL,
    batch_s REAL NOT NULL,
    open_s REAL NOT NULL,
    granularity_s REAL NOT NULL,
    clock_read_s REAL NOT NULL,
    empty_s REAL,
    settle INTEGER NOT NULL,
    rounds INTEGER
);

CREATE TABLE block (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session,
    state TEXT NOT NULL CHECK (state IN ('pilot', 'running', 'finished', 'abandoned')),
    started TEXT NOT NULL,
    seconds REAL,
    host TEXT NOT NULL DEFAULT 'local'
);
CREATE TABLE witness_set (number INTEGER PRIMARY KEY, witnesses TEXT NOT NULL UNIQUE);
CREATE TABLE subject (
    block INTEGER NOT NULL REFERENCES block,
    treatment INTEGER NOT NULL REFERENCES treatment,
    cell_order INTEGER,
    opening INTEGER,
    warmup_batches INTEGER,
    warmup_count INTEGER,
    visits INTEGER,
    state TEXT NOT NULL CHECK (state IN ('planned', 'open', 'closed', 'failed', 'skipped')),
    open_s REAL,
    opened INTEGER REFERENCES witness_set,
    closed INTEGER REFERENCES witness_set,
    PRIMARY KEY (block, treatment)
) WITHOUT ROWID;
CREATE TABLE telemetry (name TEXT PRIMARY KEY, column_name TEXT NOT NULL UNIQUE) WITHOUT ROWID;
CREATE TABLE trial (
    block INTEGER NOT NULL REFERENCES block,
    treatment INTEGER NOT NULL REFERENCES treatment,
    round INTEGER NOT NULL,
    position INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (block, treatment, round, position)
) WITHOUT ROWID;
CREATE TABLE series (
    number INTEGER PRIMARY KEY,
    treatment INTEGER NOT NULL REFERENCES treatment,
    metric TEXT NOT NULL,
    unit TEXT NOT NULL,
    clock TEXT NOT NULL,
    UNIQUE (treatment, metric)
);
CREATE TABLE observation (
    block INTEGER NOT NULL REFERENCES block,
    series INTEGER NOT NULL REFERENCES series,
    round INTEGER NOT NULL,
    position INTEGER NOT NULL,
    number INTEGER NOT NULL,
    value REAL NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (block, series, round, position, number)
) WITHOUT ROWID;
CREATE TABLE failure (
    number INTEGER PRIMARY KEY,
    block INTEGER NOT NULL REFERENCES block,
    treatment TEXT NOT NULL,
    round INTEGER,
    stage TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    hint TEXT NOT NULL
);
"""
CHECKSUMS = """
CREATE TABLE checksum (block INTEGER PRIMARY KEY, digest TEXT NOT NULL, telemetry TEXT NOT NULL)
"""

TABLE_NAMES = frozenset(re.findall(r"CREATE TABLE (\w+)", TABLES + CHECKSUMS))
# Table -> column -> type, in all formats: format 2 called a hint `mend`.
TABLE_COLUMNS: dict[str, dict[str, str]] = {
    table: dict(re.findall(r"(?:^|, |\()\s*(\w+) (TEXT|INTEGER|REAL)\b", body, re.MULTILINE))
    for table, body in re.findall(
        r"CREATE TABLE (\w+) \((.*?)\)(?: WITHOUT ROWID)?(?:;|\s*\Z)", TABLES + CHECKSUMS, re.DOTALL
    )
}
TABLE_COLUMNS["skipped"]["mend"] = "TEXT"

# Finished blocks without failed subjects. CROSS JOIN keeps this order, in which every step is a key search.
_COUNTED = """
    FROM block b
    CROSS JOIN subject u ON u.block = b.number
    CROSS JOIN treatment t ON t.number = u.treatment
"""
_IS_COUNTED = "WHERE b.state = 'finished' AND u.state NOT IN ('failed', 'skipped')"

_FIXED_COLUMNS = {
    "block", "session", "cell", "treatment", "role", "levels", "round", "position", "state", "metric", "value",
    "unit", "clock", "count", "number", "observations", "operations", "total", "smallest", "largest", "extra", "rowid",
}  # fmt: skip


def column_name(name: str, taken: Iterable[str], otherwise: str) -> str:
    """The column of a factor or telemetry value: its *name* if valid and free."""
    free = name.casefold() not in {column.casefold() for column in taken} | _FIXED_COLUMNS
    return name if free and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]{0,59}", name) else otherwise


def quoted(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _factor_columns(factors: Iterable[str]) -> str:
    columns: dict[str, str] = {}
    for position, factor in enumerate(factors, start=1):
        columns[column_name(factor, columns, f"factor_{position}")] = factor
    return "".join(
        f" (SELECT level FROM treatment_level l WHERE l.treatment = t.number AND l.factor = {_text(factor)})"  # noqa: S608
        f" AS {quoted(column)},"
        for column, factor in columns.items()
    )


def tables() -> tuple[str, ...]:
    return (*(statement for statement in TABLES.split(";\n") if statement.strip()), CHECKSUMS)


# Format -> the statements that upgrade it to the next one.
UPGRADES = {
    1: ("ALTER TABLE environment ADD COLUMN host TEXT NOT NULL DEFAULT 'local'", CHECKSUMS),
    2: ("ALTER TABLE skipped RENAME COLUMN mend TO hint",),
    3: ("ALTER TABLE block ADD COLUMN host TEXT NOT NULL DEFAULT 'local'",),
}


def views(factors: Iterable[str]) -> tuple[str, ...]:
    """The views with one column per factor, which do not change during a run."""
    levels = _factor_columns(factors)
    treatments = f"""
CREATE VIEW treatments AS
    SELECT t.id AS treatment, t.cell, t.role,{levels} t.extra, t.levels FROM treatment t"""  # noqa: S608
    observations = f"""
CREATE VIEW observations AS
    SELECT b.number AS block, b.session, t.cell, t.id AS treatment, t.role,{levels}
        o.round, o.position, s.metric, o.value, s.unit, s.clock, o.count
    {_COUNTED}
    CROSS JOIN series s ON s.treatment = t.number
    CROSS JOIN observation o ON o.block = b.number AND o.series = s.number
    {_IS_COUNTED}"""
    block_totals = f"""
CREATE VIEW block_totals AS
    SELECT b.number AS block, b.session, t.cell, t.id AS treatment, t.role,{levels}
        s.metric, s.unit, COUNT(*) AS observations, SUM(o.count) AS operations, SUM(o.value) AS total,
        MIN(o.value) AS smallest, MAX(o.value) AS largest
    {_COUNTED}
    CROSS JOIN series s ON s.treatment = t.number
    CROSS JOIN observation o ON o.block = b.number AND o.series = s.number
    {_IS_COUNTED}
    GROUP BY b.number, s.number"""
    failures = """
CREATE VIEW failures AS
    SELECT MAX(f.block, 0) AS block, t.cell, f.treatment, f.round, f.stage, f.state, f.reason, f.hint
    FROM failure f JOIN block b ON b.number = f.block LEFT JOIN treatment t ON t.id = f.treatment
    WHERE b.state IN ('finished', 'pilot')
    ORDER BY f.number"""
    witnesses = f"""
CREATE VIEW witnesses AS
    SELECT b.number AS block, t.cell, t.id AS treatment, 'opened' AS stage, j.key AS witness, j.value
    {_COUNTED}
    JOIN witness_set w ON w.number = u.opened, json_each(w.witnesses) j
    WHERE b.state = 'finished'
    UNION ALL
    SELECT b.number, t.cell, t.id, 'closed', j.key, j.value
    {_COUNTED}
    JOIN witness_set w ON w.number = u.closed, json_each(w.witnesses) j
    WHERE b.state = 'finished'"""
    return treatments, observations, block_totals, failures, witnesses


def trials_view(factors: Iterable[str], telemetry_columns: Iterable[str]) -> str:
    """The view of trials with telemetry, replaced for each new kind."""
    telemetry = "".join(f", r.{quoted(column)}" for column in telemetry_columns)
    return f"""
CREATE VIEW trials AS
    SELECT b.number AS block, b.session, t.cell, t.id AS treatment, t.role,{_factor_columns(factors)}
        r.round, r.position, r.state{telemetry}
    {_COUNTED}
    CROSS JOIN trial r ON r.block = b.number AND r.treatment = t.number
    {_IS_COUNTED}
"""
