"""An ended run is a single file; an active or killed one is complete together with its log."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import threading
from contextlib import suppress

import pytest

from tests.needs import needs
from tests.record.runs import create, read, record_block


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "runs of this ? and 100 % #1"  # special characters of URIs
    folder.mkdir()
    return folder / "run.sectax"


def reading(path) -> sqlite3.Connection:
    """Another program that is reading the file."""
    reader = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM observation").fetchone()
    return reader


def test_a_run_that_has_ended_is_one_file(path):
    with create(path) as writer:
        record_block(writer)
        writer.finish("finished")

    assert os.listdir(path.parent) == ["run.sectax"]
    assert path.read_bytes()[18:20] == b"\x01\x01"  # not in WAL mode any more
    assert read(path) == writer.measured()


def test_a_run_that_failed_on_its_way_is_one_file_too(path):
    with suppress(RuntimeError), create(path) as writer:
        record_block(writer)
        raise RuntimeError

    assert os.listdir(path.parent) == ["run.sectax"]
    assert read(path).state == "interrupted"
    assert read(path) == writer.measured()


def test_bare_file_of_a_killed_run_has_every_finished_block(path, tmp_path):
    with create(path) as writer:
        record_block(writer)
        record_block(writer)
        writer.note("after the last block")
        bare = shutil.copyfile(path, tmp_path / "bare.sectax")

    assert read(bare).blocks == (1, 2)


def test_block_finished_during_a_read_is_in_the_bare_file(path, tmp_path):
    with create(path) as writer:
        record_block(writer)
        reader = reading(path)
        release = threading.Timer(0.2, reader.rollback)
        release.start()
        record_block(writer)
        bare = shutil.copyfile(path, tmp_path / "bare.sectax")
        release.join()
        reader.close()

    assert read(bare).blocks == (1, 2)


def test_long_reader_does_not_block_the_writer(path, monkeypatch):
    monkeypatch.setattr("sectax.record.appender._READERS_MS", 50)
    with create(path) as writer:
        record_block(writer)
        reader = reading(path)
        record_block(writer)
        reader.close()

        assert read(path).blocks == (1, 2)


def test_file_closed_during_a_read_is_readable(path, monkeypatch):
    monkeypatch.setattr("sectax.record.appender._READERS_MS", 50)
    writer = create(path)
    record_block(writer)
    reader = reading(path)
    record_block(writer)
    writer.finish("finished")
    writer.close()
    copy = shutil.copytree(path.parent, path.parent.with_name("copy")) / "run.sectax"
    reader.close()

    assert read(path) == writer.measured()
    assert read(copy) == writer.measured()


def test_a_writer_may_be_closed_twice(path):
    writer = create(path)
    writer.close()
    writer.close()

    assert read(path).blocks == ()


@pytest.fixture
def read_only(tmp_path):
    """Make a folder read-only, even for root."""
    mounted = []

    def make(folder):
        for command in (["mount", "--bind", folder, folder], ["mount", "-o", "remount,ro,bind", folder]):
            subprocess.run(command, check=True)
            if folder not in mounted:
                mounted.append(folder)

    yield make
    for folder in mounted:
        subprocess.run(["umount", folder], check=True)


@needs("mounts")
def test_a_finished_run_is_read_on_a_read_only_disk(path, read_only):
    with create(path) as writer:
        record_block(writer)
        writer.finish("finished")
    read_only(path.parent)

    assert read(path) == writer.measured()


@pytest.mark.parametrize("logs", [(), ("-wal",), ("-wal", "-shm")])
@needs("mounts")
def test_a_killed_run_is_read_on_a_read_only_disk(path, read_only, tmp_path, logs):
    killed = tmp_path / "killed"
    killed.mkdir()
    with create(path) as writer:
        record_block(writer)
        for end in ("", *logs):
            shutil.copyfile(f"{path}{end}", killed / f"run.sectax{end}")
        live = writer.measured()
    read_only(killed)

    assert read(killed / "run.sectax").values == live.values
