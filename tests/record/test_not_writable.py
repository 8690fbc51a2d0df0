"""Errors while writing have a reason and a hint; earlier data stay."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from sectax.model.errors import RecordNotWritable, WrongUse
from sectax.record.appender import Appender, WriterLock, check_new, is_locked
from sectax.record.reader import RunReader
from sectax.record.writer import RunWriter
from tests.needs import needs
from tests.record.runs import ENVIRONMENT, create, read, record_block


def test_a_run_never_overwrites_a_file(path):
    path.write_text("precious")

    with pytest.raises(WrongUse, match=r"run\.sectax") as caught:
        create(path)
    assert path.read_text() == "precious"
    assert "--out" in caught.value.hint
    assert os.listdir(path.parent) == ["run.sectax"]


@pytest.mark.parametrize(("name", "word"), [(".", "folder"), ("runs/run.sectax", "folder"), ("x" * 300, "long")])
def test_invalid_location_is_wrong_use(tmp_path, name, word):
    with pytest.raises(WrongUse, match=word):
        create(tmp_path / name)


def test_only_one_session_writes_at_a_time(path):
    with create(path) as writer:
        for begin in (lambda: RunWriter.reopen(path, ENVIRONMENT), lambda: create(path)):
            with pytest.raises(RecordNotWritable, match=f"process {os.getpid()}"):
                begin()
        record_block(writer)  # does not affect the first one

    assert read(path).blocks == (1,)


def test_lock_file_removed_by_another_process_does_not_stay_locked(path):
    lock = WriterLock(path)
    path.with_name("run.sectax-lock").unlink()
    WriterLock(path).release()
    lock.release()

    assert not is_locked(path)


def test_a_reader_does_not_disturb_a_writer(path):
    with create(path) as writer, RunReader.open(path) as reader:
        for number in (1, 2, 3):
            assert record_block(writer) == number
            assert reader.measured().blocks == tuple(range(1, number + 1))


def test_a_full_disk_is_named_and_keeps_what_was_written(path):
    with create(path) as writer:
        record_block(writer)
        full = fill(writer)
        assert "is full" in full.message
        assert "sectax resume" in full.hint
        writer.finish("interrupted")
        assert writer.measured().blocks == (1,)

    assert writer.measured().state == "interrupted"
    assert read(path).blocks == (1,)
    with RunWriter.reopen(path, ENVIRONMENT) as writer:
        assert record_block(writer) == 3


def fill(writer) -> RecordNotWritable:
    """Make the disk of a running session full in the middle of a block."""
    db = writer._file.db
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages + 1}").fetchone()
    with pytest.raises(RecordNotWritable) as caught:
        record_block(writer, rounds=200)
    return caught.value


def test_run_continues_after_disk_space_was_freed(path):
    with create(path) as writer:
        fill(writer)
        writer._file.db.execute("PRAGMA max_page_count = 1000000").fetchone()
        writer.abandon_block(1)
        assert record_block(writer) == 2

    assert read(path).blocks == (2,)


@pytest.fixture
def tiny_disk(tmp_path, request):
    place = tmp_path / "tiny"
    place.mkdir()
    size = getattr(request, "param", "800k")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place], check=True)
    yield place
    subprocess.run(["umount", place], check=True)


@needs("mounts")
def test_a_disk_that_is_really_full(tiny_disk):
    path = tiny_disk / "run.sectax"
    finished = 0
    with create(path) as writer:
        with pytest.raises(RecordNotWritable, match="is full"):  # noqa: PT012
            for _ in range(1000):
                record_block(writer)
                finished += 1
        live = writer.measured()

    assert finished > 1
    assert read(path).blocks == live.blocks
    assert len(live.blocks) in (finished, finished + 1)  # the sync of the last block may have failed


@pytest.mark.parametrize("tiny_disk", ["16k", "64k", "128k", "192k", "256k", "320k"], indirect=True)
@needs("mounts")
def test_resume_is_suggested_only_for_an_existing_run(tiny_disk):
    path = tiny_disk / "run.sectax"
    with pytest.raises(RecordNotWritable, match="is full") as caught, create(path) as writer:  # noqa: PT012
        for _ in range(1000):
            record_block(writer)

    hint = caught.value.hint
    del caught  # its traceback refers to the connection, which blocks unmounting
    assert ("sectax resume" in hint) == path.exists()
    assert os.listdir(tiny_disk) == (["run.sectax"] if path.exists() else [])
    if path.exists():
        assert read(path).blocks == writer.measured().blocks


@needs("mounts")
def test_a_disk_without_room_for_a_new_run(tiny_disk):
    with open(tiny_disk / "ballast", "wb", buffering=0) as ballast, suppress(OSError):
        while True:
            ballast.write(bytes(4096))

    with pytest.raises(RecordNotWritable, match="is full") as caught:
        create(tiny_disk / "run.sectax")
    hint = caught.value.hint
    del caught
    assert "sectax resume" not in hint
    assert os.listdir(tiny_disk) == ["ballast"]


@pytest.mark.parametrize("change", ["removed", "replaced"])
def test_removed_file_is_detected_at_the_next_block(path, change):
    with create(path) as writer:
        record_block(writer)
        path.rename(path.with_name("moved.sectax"))
        if change == "replaced":
            path.write_text("another")

        with pytest.raises(RecordNotWritable, match="removed"):
            record_block(writer)


def test_another_writing_program_is_waited_for_and_reported(path, monkeypatch):
    monkeypatch.setattr("sectax.record.appender._BUSY_S", 0.1)
    with create(path) as writer:
        browser = sqlite3.connect(path, isolation_level=None)
        browser.execute("BEGIN IMMEDIATE")
        with pytest.raises(RecordNotWritable, match="another program"):
            writer.note("hello")
        browser.execute("ROLLBACK")
        browser.close()
        writer.note("hello again")

    assert writer.measured().notes == ("hello again",)


ACT_AS_OTHER_USER = """
import os, sys, tempfile
from pathlib import Path
from sectax.model.errors import SectaxError
from sectax.record.reader import RunReader
from sectax.record.writer import RunWriter
from tests.record.runs import ENVIRONMENT, create, read, record_block

# First as root for lazy imports: the other user may have no access to checkout and interpreter.
with tempfile.TemporaryDirectory() as folder:
    rehearsed = Path(folder, "run.sectax")
    with create(rehearsed) as writer:
        record_block(writer)
    read(rehearsed)
os.setgid(65534); os.setuid(65534)
try:
    if sys.argv[1] == "read":
        print(read(Path(sys.argv[2])).blocks)
    elif sys.argv[1] == "resume":
        RunWriter.reopen(sys.argv[2], ENVIRONMENT)
    else:
        create(Path(sys.argv[2]))
except SectaxError as error:
    print(type(error).__name__, error.message)
"""


def as_other_user(what, path) -> str:
    """The output for a user with read permission only."""
    for folder in path.parents[:-2]:
        folder.chmod(folder.stat().st_mode | 0o055)
    answer = subprocess.run(
        [sys.executable, "-c", ACT_AS_OTHER_USER, what, path],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert answer.stderr == ""
    return answer.stdout.strip()


@pytest.mark.more
@needs("root")
def test_no_permission_is_named(path):
    with create(path) as writer:
        record_block(writer)

    assert as_other_user("read", path) == "(1,)"
    assert as_other_user("resume", path).startswith("RecordNotWritable ")
    assert as_other_user("create", path.with_name("new")).startswith("RecordNotWritable ")
    path.chmod(0o600)
    assert as_other_user("read", path).startswith("BadRecord ")


@needs("root")
def test_killed_run_of_another_user_can_be_read(path, tmp_path):
    with create(path) as writer:
        record_block(writer)
        record_block(writer)
        killed = tmp_path / "killed" / "run.sectax"
        killed.parent.mkdir()
        for end in ("", "-wal"):
            (tmp_path / f"killed/run.sectax{end}").write_bytes((tmp_path / f"run.sectax{end}").read_bytes())

    assert as_other_user("read", killed) == "(1, 2)"
    assert sorted(file.name for file in killed.parent.iterdir()) == ["run.sectax", "run.sectax-wal"]


@needs("root")
def test_active_run_of_another_user_can_be_read(path):
    with create(path) as writer:
        record_block(writer)

        assert as_other_user("read", path) == "(1,)"


@pytest.mark.parametrize("folder", ["/proc", "/proc/self"])
def test_a_folder_of_the_kernel_is_named_as_such(folder: str) -> None:
    """There is such a folder, and more permissions would not help."""
    path = Path(folder, "run.sectax")
    for refuses in (check_new, lambda path: Appender(path, new=True)):
        with pytest.raises(WrongUse, match="made by the kernel"):
            refuses(path)
