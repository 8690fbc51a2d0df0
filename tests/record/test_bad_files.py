"""What is no run file, or no longer a whole one, is told in one clear message."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from sectax.model.errors import BadRecord, SectaxError
from sectax.model.measured import Measured
from sectax.record.reader import RunReader
from sectax.record.schema import FORMAT
from sectax.record.writer import RunWriter
from tests.record.runs import ENVIRONMENT, calibrated, plan, record_block


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("run") / "run.sectax"
    with RunWriter.create(path, plan(), ENVIRONMENT, "run-1") as writer:
        writer.calibrate(calibrated(plan()))
        writer.note("a note")
        for _ in range(12):
            record_block(writer)
        writer.finish("finished")
    return path.read_bytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.sectax"


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


def read(path) -> Measured:
    with RunReader.open(path) as reader:
        reader.next_block_number()
        return reader.measured()


def test_a_file_that_is_not_there(path):
    assert "there is no file" in refused(path).message


def test_a_file_in_a_folder_that_is_not_there(path):
    assert "there is no file" in refused(path / "run.sectax").message


def test_a_folder(tmp_path):
    assert "it is a folder" in refused(tmp_path).message


def test_something_that_is_no_ordinary_file(path):
    os.mkfifo(path)

    assert "no ordinary file" in refused(path).message


def test_an_empty_file(path):
    path.touch()

    assert "is empty: its run ended before anything was recorded" in refused(path).message


def test_a_database_in_which_nothing_was_recorded_yet(path):
    db = sqlite3.connect(path)
    db.execute("VACUUM")
    db.close()

    assert "is empty" in refused(path).message


def test_another_program_s_database(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE bookmark (url TEXT)")
    db.close()

    assert "SQLite file of another program" in refused(path).message


def test_a_text_file(path):
    path.write_text("block,treatment,seconds\n1,RS256,0.02\n" * 50)

    assert "no SQLite file" in refused(path).message


def test_a_file_from_a_newer_version(path, whole):
    path.write_bytes(whole)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {FORMAT + 1}")
    db.execute("DROP TABLE observation")  # whatever else a newer version may have changed
    db.close()
    error = refused(path)

    assert f"comes from a newer sectax: its format is {FORMAT + 1}, this one reads up to {FORMAT}" in error.message
    assert "update sectax" in error.hint


def test_a_name_that_no_file_can_have():
    with pytest.raises(BadRecord, match="no name of a file"):
        read("run\0.sectax")


@pytest.mark.parametrize("seed", range(30))
def test_a_file_cut_short_anywhere(path, whole, seed):
    path.write_bytes(whole[: random.Random(seed).randrange(1, len(whole))])

    assert refused(path)


@pytest.mark.parametrize("seed", range(30))
def test_random_bytes(path, seed):
    rng = random.Random(seed)
    start = [b"", b"SQLite format 3\0", b"SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20"][seed % 3]
    path.write_bytes(start + rng.randbytes(rng.choice([1, 10, 100, 5000, 100_000])))

    assert refused(path)


@pytest.mark.parametrize("missing", [1, 2, 100, 4095, 4096, 4097])
def test_a_file_without_its_very_end(path, whole, missing):
    path.write_bytes(whole[:-missing])

    assert "cut short" in refused(path).message


def test_a_cut_short_file_names_the_remedy(path, whole):
    path.write_bytes(whole[: len(whole) // 2])
    error = refused(path)

    assert "damaged run file, or was cut short" in error.message
    assert "copy it again" in error.hint


def bruise(whole: bytes, rng: random.Random) -> bytes:
    """Change a few bytes, blank a page, swap two, or double a part."""
    data = bytearray(whole)
    place, length = rng.randrange(len(data)), rng.choice([1, 1, 2, 8, 100, 4096])
    match rng.randrange(4):
        case 0:
            data[place : place + length] = rng.randbytes(min(length, len(data) - place))
        case 1:
            data[place : place + length] = bytes(min(length, len(data) - place))
        case 2:
            pages = len(data) // 4096
            one, two = 4096 * rng.randrange(pages), 4096 * rng.randrange(pages)
            data[one : one + 4096], data[two : two + 4096] = data[two : two + 4096], data[one : one + 4096]
        case 3:
            data[place:place] = data[place : place + length]
    return bytes(data)


def survey(path: Path, whole: bytes, seeds: range) -> int:
    """Read and reopen many bruised files; gives how many were refused. Anything but an answer or words for it fails."""
    count = 0
    for seed in seeds:
        path.write_bytes(bruise(whole, random.Random(seed)))
        try:
            assert isinstance(read(path), Measured)
        except BadRecord:
            count += 1
        with suppress(SectaxError):
            RunWriter.reopen(path, ENVIRONMENT).close()
    return count


def test_a_bruised_file_is_read_or_refused_but_never_a_traceback(path, whole):
    assert survey(path, whole, range(60)) > 5


@pytest.mark.more
def test_four_hundred_bruised_files_are_read_or_refused(path, whole):
    assert survey(path, whole, range(400)) > 50


@pytest.mark.full
def test_a_bruised_file_is_read_or_refused_but_never_a_traceback_long(path, whole):
    assert survey(path, whole, range(400, 6000)) > 1000


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE run SET plan = '{}'",
        "UPDATE run SET plan = x'00'",
        "UPDATE run SET plan = 'null'",
        "UPDATE run SET calibrated = '[]'",
        "UPDATE run SET started = x'ff'",
        "DELETE FROM run",
        "DELETE FROM block",
        "DELETE FROM treatment",
        "DELETE FROM series",
        "DELETE FROM session",
        "DELETE FROM witness_set",
        "DROP TABLE trial",
        "DROP TABLE observation",
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
def test_tables_that_contradict_each_other(path, whole, harm):
    path.write_bytes(whole)
    db = sqlite3.connect(path)
    db.executescript(harm)
    db.close()

    with pytest.raises(BadRecord, match="damaged run file"):
        read(path)


def test_a_look_never_changes_the_file(path, whole):
    path.write_bytes(whole)
    os.utime(path, (1e9, 1e9))
    read(path)

    assert path.read_bytes() == whole
    assert path.stat().st_mtime == 1e9
    assert [file.name for file in path.parent.iterdir()] == ["run.sectax"]
