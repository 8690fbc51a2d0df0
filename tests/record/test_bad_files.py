"""Other files, and damaged run files, get one clear message."""

from __future__ import annotations

import json
import math
import os
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.model.errors import BadRecord, SectaxError
from sectax.model.plan import Stopping
from sectax.record.plan_tables import decode_plan, encode_plan
from sectax.record.reader import RunReader
from sectax.record.schema import FORMAT
from sectax.record.writer import RunWriter
from tests.golden import failed_as_agreed
from tests.record import runs
from tests.record.runs import ENVIRONMENT, calibrated, create, edit, plan, planned_block, read, record_block

REFUSALS = Path(__file__).with_name("refusals.txt")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("run") / "run.sectax"
    with create(path) as writer:
        writer.calibrate(calibrated(plan()))
        writer.note("a note")
        for _ in range(12):
            record_block(writer)
        writer.finish("finished")
    return path.read_bytes()


def refused(path) -> BadRecord:
    with pytest.raises(BadRecord) as caught:
        read(path)
    with pytest.raises(BadRecord) as on_resume:
        RunWriter.reopen(path, ENVIRONMENT)
    assert not Path(f"{path}-lock").exists()
    assert str(path) in on_resume.value.message
    assert str(path) in caught.value.message
    assert caught.value.hint
    return caught.value


NO_RUNS: dict[str, Callable[[Path], object]] = {
    "no file": lambda path: None,
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "an empty file": Path.touch,
    "an empty database": lambda path: edit(path, "VACUUM"),
    "a database of another program": lambda path: edit(path, "CREATE TABLE bookmark (url TEXT)"),
    "a text": lambda path: path.write_text("block,treatment,seconds\n1,RS256,0.02\n" * 50),
}


@pytest.mark.parametrize("case", NO_RUNS)
def test_other_files_are_rejected(path, case):
    NO_RUNS[case](path)

    failed_as_agreed(REFUSALS, case, refused(path), PATH=path)


def test_a_file_from_a_newer_version_is_refused(path, whole):
    path.write_bytes(whole)
    # A newer version may have changed anything.
    edit(path, f"PRAGMA user_version = {FORMAT + 1}; DROP TABLE observation")

    failed_as_agreed(REFUSALS, "a newer format", refused(path), PATH=path, NEXT=FORMAT + 1, FORMAT=FORMAT)


def test_file_name_with_nul_is_rejected():
    with pytest.raises(BadRecord) as caught:
        read("run\0.sectax")
    failed_as_agreed(REFUSALS, "a name with NUL", caught.value)


@pytest.mark.parametrize("seed", range(30))
def test_truncated_file_is_rejected(path, whole, seed):
    path.write_bytes(whole[: random.Random(seed).randrange(1, len(whole))])

    assert refused(path)


@pytest.mark.parametrize("seed", range(30))
def test_random_bytes_are_refused(path, seed):
    rng = random.Random(seed)
    start = [b"", b"SQLite format 3\0", b"SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20"][seed % 3]
    path.write_bytes(start + rng.randbytes(rng.choice([1, 10, 100, 5000, 100_000])))

    assert refused(path)


@pytest.mark.parametrize("missing", [1, 2, 100, 4095, 4096, 4097])
def test_file_without_its_last_bytes_is_rejected(path, whole, missing):
    path.write_bytes(whole[:-missing])

    assert "truncated" in refused(path).message


def bruise(whole: bytes, rng: random.Random) -> bytes:
    """Flip a bit, change a few bytes, blank them or a page, swap two pages, double a part, or cut off the end."""
    data = bytearray(whole)
    place, length = rng.randrange(len(data)), rng.choice([1, 1, 2, 8, 100, 4096])
    page = place - place % 4096
    match rng.randrange(7):
        case 0:
            data[place] ^= 1 << rng.randrange(8)
        case 1:
            data[place : place + length] = rng.randbytes(min(length, len(data) - place))
        case 2:
            data[place : place + length] = bytes(min(length, len(data) - place))
        case 3:
            data[page : page + 4096] = bytes(4096)
        case 4:
            other = 4096 * rng.randrange(len(data) // 4096)
            data[page : page + 4096], data[other : other + 4096] = data[other : other + 4096], data[page : page + 4096]
        case 5:
            data[place:place] = data[place : place + length]
        case 6:
            del data[place:]
    return bytes(data)


def survey(path: Path, run: dict[str, bytes], seeds: range) -> Counter[str]:
    """Damage a file of a run, read and resume it, for every seed; count the damaged and the unchanged results."""
    results: Counter[str] = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        chosen = rng.choice(sorted(run))
        for end in ("", "-wal", "-shm", "-journal"):
            Path(f"{path}{end}").unlink(missing_ok=True)
        for end, content in run.items():
            Path(f"{path}{end}").write_bytes(content)
        original = read(path)
        Path(f"{path}-shm").unlink(missing_ok=True)
        for end, content in run.items():
            Path(f"{path}{end}").write_bytes(bruise(content, rng) if end == chosen else content)
        try:
            assert read(path) == original, f"seed {seed} reads silently different"
            results["same"] += 1
        except BadRecord:
            results["damaged"] += 1
        try:
            with RunWriter.reopen(path, ENVIRONMENT) as writer:
                resumed = writer.measured()
        except SectaxError:
            continue
        assert resumed.values == original.values, f"seed {seed} goes on with something else"
        assert resumed.plan == original.plan, f"seed {seed} goes on with another plan"
    return results


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> dict[str, bytes]:
    """The file of a run that was killed in its third block, and its log."""
    path = tmp_path_factory.mktemp("killed") / "run.sectax"
    with create(path) as writer:
        writer.calibrate(calibrated(plan()))
        record_block(writer)
        record_block(writer)
        block = planned_block(plan(), 3)
        runs.write(writer, block, list(runs.events(block))[:20])
        return {end: Path(f"{path}{end}").read_bytes() for end in ("", "-wal")}


@pytest.mark.more
def test_damaged_files_of_a_killed_run_are_read_unchanged_or_rejected(path, killed):
    results = survey(path, killed, range(60))

    assert results["damaged"] > 10
    assert results["same"] > 10  # of a damaged log the intact beginning counts


@pytest.mark.more
def test_four_hundred_damaged_files_are_read_unchanged_or_rejected(path, whole):
    assert survey(path, {"": whole}, range(400))["damaged"] > 200


@pytest.mark.full
def test_thousands_of_damaged_files_are_read_unchanged_or_rejected(path, whole, killed):
    assert survey(path, {"": whole}, range(400, 4000))["damaged"] > 1800
    assert survey(path, killed, range(400, 2000))["damaged"] > 300


def test_one_changed_bit_of_an_observation_is_detected(path, whole):
    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as db, db:
        (least,) = db.execute("SELECT value FROM observation WHERE block = 3 LIMIT 1").fetchone()
        db.execute("UPDATE observation SET value = ? WHERE value = ?", (math.nextafter(least, math.inf), least))

    assert "block 3" in refused(path).message


@pytest.mark.parametrize(
    ("harm", "where"),
    [
        ("DELETE FROM checksum WHERE block = 3", "finished blocks"),
        ("UPDATE block SET state = 'abandoned' WHERE number = 3", "finished blocks"),
        ("DELETE FROM checksum WHERE block = 0", "plan"),
        ("UPDATE run SET margin = 0.03", "plan"),
        ("UPDATE environment SET value = 'Zilog Z80' WHERE name = 'cpu'", "environment"),
        ("UPDATE trial SET run_delay_s = 0 WHERE block = 3 AND round = 1", "block 3"),
        ("UPDATE witness_set SET witnesses = '{}' WHERE number = 1", "block 1"),
        ("UPDATE block SET seconds = 1.25 WHERE number = 3", "block 3"),
    ],
)
def test_edited_values_are_detected(path, whole, harm, where):
    path.write_bytes(whole)
    edit(path, harm)

    assert where in refused(path).message


def test_a_damaged_file_is_refused_before_anything_is_written_to_it(path, whole):
    path.write_bytes(whole)
    edit(path, "UPDATE observation SET value = 2 * value WHERE block = 3")
    before = path.read_bytes()
    refused(path)

    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE run SET plan = '{}'",
        "UPDATE run SET plan = x'00'",
        "UPDATE run SET plan = 'null'",
        "UPDATE run SET calibrated = '[]'",
        "UPDATE run SET started = x'ff'",
        *(f"DELETE FROM {table}" for table in ["run", "block", "treatment", "series", "session", "witness_set"]),  # noqa: S608
        *(f"DROP TABLE {table}" for table in ("trial", "observation")),
        "UPDATE treatment SET id = 'another ' || id",
        "UPDATE witness_set SET witnesses = '[1]' WHERE number = 1",
        "UPDATE series SET treatment = 99 WHERE number = 1",
        "UPDATE block SET seconds = 'long' WHERE number = 3",
        "UPDATE observation SET value = 'much' WHERE block = 3",
        "UPDATE observation SET count = 9223372036854775807 WHERE block = 3",
        "UPDATE telemetry SET column_name = 'gone' WHERE name = 'steal_s'",
        "UPDATE note SET text = x'fffe'",
        "UPDATE environment SET session = 7",
        "ALTER TABLE observation RENAME TO moved; CREATE VIEW observation AS SELECT 1",
    ],
)
def test_contradictory_tables_are_rejected(path, whole, harm):
    path.write_bytes(whole)
    edit(path, harm)

    with pytest.raises(BadRecord, match="damaged"):
        read(path)


def test_reading_does_not_change_the_file(path, whole):
    path.write_bytes(whole)
    os.utime(path, (1e9, 1e9))
    read(path)

    assert path.read_bytes() == whole
    assert path.stat().st_mtime == 1e9
    assert [file.name for file in path.parent.iterdir()] == ["run.sectax"]


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE note ADD COLUMN more TEXT AS (text || text)",
        "ALTER TABLE trial ADD COLUMN computed REAL AS (round * 2)",
        "ALTER TABLE trial ADD COLUMN more TEXT",
        "CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM note; END",
        "CREATE INDEX i ON note (length(text))",
        "CREATE VIRTUAL TABLE v USING fts5(text)",
        "UPDATE run SET id = '../../etc/passwd0'",
        "UPDATE run SET id = '0123456789ABCDEF'",
    ],
)
def test_schema_and_ids_of_another_program_are_rejected(path, sql: str) -> None:
    with create(path) as writer:
        record_block(writer)
        writer.finish("finished")
    edit(path, sql)

    with pytest.raises(BadRecord):
        read(path)


def test_senseless_margins_and_budgets_are_rejected() -> None:
    for stopping in (Stopping(margin=-1.0), Stopping(margin=1e300), Stopping(margin=0.02, budget_s=-5.0)):
        with pytest.raises(ValueError, match=r"a (margin|budget) of"):
            decode_plan(encode_plan(replace(plan(), stopping=stopping)))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("cells", 0, "baseline"), "sign/ES256"),
        (("cells", 0, "id"), "verify"),
        (("cells",), []),
        (("control",), "weather"),
        (("treatments", 1, "cell"), "nowhere"),
        (("treatments", 1, "extra"), -1.0),
        (("treatments", 1, "levels"), {"operation": "sign"}),
        (("comparisons", 1, "id"), "sign/ES256 throughput"),
        (("comparisons", 0, "cell"), "verify"),
        (("comparisons", 0, "treatment"), "nothing"),
        (("comparisons", 0, "metric"), "beauty"),
        (("comparisons", 0, "alpha"), 0),
        (("stopping", "alpha"), 2),
        (("stopping", "max_blocks"), -1),
        (("rounds_range",), [5, 1]),
        (("batch_s",), 1e300),
    ],
)
def test_a_plan_whose_parts_do_not_fit_is_refused(path, whole, place, value) -> None:
    path.write_bytes(whole)
    change_document(path, "plan", place, value)

    assert refused(path)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("calibrations", "sign/RS256", "count"), 0),
        (("calibrations", "sign/RS256", "open_s"), 1e300),
        (("calibrations", "nothing"), None),
        (("rounds", "sign"), 0),
        (("pace",), 0),
        (("last_look",), -5),
    ],
)
def test_a_pilot_without_sense_is_refused(path, whole, place, value) -> None:
    path.write_bytes(whole)
    change_document(path, "calibrated", place, value)

    with pytest.raises(BadRecord, match="damaged"):
        read(path)


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE block SET seconds = 9e999 WHERE number = 3",
        "UPDATE block SET seconds = -1 WHERE number = 3",
        "UPDATE subject SET open_s = 9e999",
        "UPDATE observation SET value = 1e308",
        "UPDATE trial SET run_delay_s = 9e999",
    ],
)
def test_values_that_no_run_has_are_refused_even_without_checksums(path, whole, harm) -> None:
    path.write_bytes(whole)
    edit(path, f"PRAGMA user_version = 1; {harm}")

    with pytest.raises(BadRecord, match="damaged"):
        read(path)


def change_document(path: Path, column: str, place: tuple[str | int, ...], value: object) -> None:
    """Change a part of the plan or the pilot, in the format that has no checksums."""
    with closing(sqlite3.connect(path)) as db, db:
        document = json.loads(db.execute(f"SELECT {column} FROM run").fetchone()[0])  # noqa: S608
        inner = document
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = value
        db.execute(f"UPDATE run SET {column} = ?", (json.dumps(document),))  # noqa: S608
        db.execute("PRAGMA user_version = 1")


def test_fifo_in_place_of_a_lock_does_not_wait(path) -> None:
    with create(path) as writer:
        record_block(writer)
        writer.finish("finished")
    os.mkfifo(path.with_name(f"{path.name}-lock"))

    with RunReader.open(path) as reader:
        assert reader.state() == "finished"
    with pytest.raises(SectaxError):
        RunWriter.reopen(path, ENVIRONMENT)
