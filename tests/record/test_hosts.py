"""Environments by host; files without hosts stay readable and can be resumed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from sectax.model.environment import LOCAL_HOST, Environment
from sectax.model.errors import BadRecord
from sectax.record.checksums import frame_checksum
from sectax.record.schema import FORMAT
from sectax.record.writer import RunWriter
from tests.record.runs import ENVIRONMENT, create, edit, events, plan, planned_block, read, record_block, rows

ELSEWHERE = Environment({"cpu": "Z80"}, {"load": "9.00"})
TWO_HOSTS = Environment(ENVIRONMENT.identity, ENVIRONMENT.circumstances, {"ssh://bench": ELSEWHERE})


def test_each_host_has_its_own_environment(path):
    with create(path, TWO_HOSTS) as writer:
        assert writer.measured().sessions == (TWO_HOSTS,)

    assert read(path).sessions == (TWO_HOSTS,)
    cpus = rows(path, "SELECT host, value FROM environment WHERE name = 'cpu'")
    assert cpus == [("local", "Intel 8086"), ("ssh://bench", "Z80")]


def test_identity_names_its_host():
    assert TWO_HOSTS.whole_identity() == ENVIRONMENT.identity | {"ssh://bench cpu": "Z80"}
    assert ENVIRONMENT.whole_identity() == ENVIRONMENT.identity


def test_every_block_knows_its_host(path):
    with create(path, TWO_HOSTS) as writer:
        for host in ("ssh://bench", LOCAL_HOST, "ssh://bench"):
            record_block(writer, host=host)
        live = writer.measured()

    assert live.hosts == {LOCAL_HOST: (2,), "ssh://bench": (1, 3)}
    assert read(path).hosts == live.hosts
    assert read(path).record == live.record


def test_block_with_an_edited_host_is_rejected(path):
    with create(path, TWO_HOSTS) as writer:
        record_block(writer)
    edit(path, "UPDATE block SET host = 'ssh://bench' WHERE number = 1")

    with pytest.raises(BadRecord, match="block 1"):
        read(path)


def test_blocks_of_format_3_ran_on_this_machine(path):
    with create(path) as writer:
        record_block(writer)
        writer.finish("interrupted")
    with closing(sqlite3.connect(path)) as db:
        # The checksum outside blocks has the pilot's row, and that had one value less.
        db.execute("ALTER TABLE block DROP COLUMN host")
        db.execute("PRAGMA user_version = 3")
        for sql, parameters in frame_checksum(db):
            db.execute(sql, parameters)
        db.commit()
    assert read(path).hosts == {LOCAL_HOST: (1,)}

    with RunWriter.reopen(path, TWO_HOSTS) as writer:
        record_block(writer, host="ssh://bench")

    assert read(path).hosts == {LOCAL_HOST: (1,), "ssh://bench": (2,)}
    assert rows(path, "PRAGMA user_version") == [(FORMAT,)]


def test_blocks_of_several_hosts_run_concurrently(path):
    with create(path, TWO_HOSTS) as writer:
        blocks = [replace(planned_block(plan(), number), host=host) for number, host in ((1, "a"), (2, "b"), (3, "c"))]
        for block in blocks:
            writer.begin_block(block)
        with pytest.raises(ValueError, match="block 4"):
            writer.begin_block(replace(planned_block(plan(), 4), host="b"))
        for block in (blocks[2], blocks[0]):
            for event in events(block):
                writer.event(block.number, event)
            writer.finish_block(block.number, 1.5)
        live = writer.measured()
        writer.finish("interrupted")

    assert live.hosts == {"a": (1,), "c": (3,)}
    assert replace(read(path), state="running") == live
    assert rows(path, "SELECT state FROM block WHERE number = 2") == [("abandoned",)]
