"""The environment is kept by host; a file from before there were hosts stays readable, and can be gone on with."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from sectax.model.environment import Environment
from sectax.record.reader import RunReader
from sectax.record.schema import FORMAT
from sectax.record.writer import RunWriter
from tests.record.runs import ENVIRONMENT, FORMAT_1, plan, record_block

ELSEWHERE = Environment({"cpu": "Z80"}, {"load": "9.00"})
TWO_HOSTS = Environment(ENVIRONMENT.identity, ENVIRONMENT.circumstances, {"ssh://bench": ELSEWHERE})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.sectax"


@pytest.fixture
def of_format_1(path):
    path.write_bytes(FORMAT_1)
    return path


def sessions(path) -> tuple[Environment, ...]:
    with RunReader.open(path) as reader:
        return reader.sessions()


def test_every_host_keeps_what_is_its_own(path):
    with RunWriter.create(path, plan(), TWO_HOSTS, "run-1") as writer:
        assert writer.measured().sessions == (TWO_HOSTS,)

    assert sessions(path) == (TWO_HOSTS,)
    with closing(sqlite3.connect(path)) as db:
        cpus = db.execute("SELECT host, value FROM environment WHERE name = 'cpu'").fetchall()
    assert cpus == [("local", "Intel 8086"), ("ssh://bench", "Z80")]


def test_a_file_of_format_1_is_read_as_a_run_on_this_machine(of_format_1):
    assert sessions(of_format_1) == (ENVIRONMENT,)


def test_a_run_of_format_1_goes_on_even_with_another_host(of_format_1):
    with RunWriter.reopen(of_format_1, TWO_HOSTS) as writer:
        record_block(writer)

    assert sessions(of_format_1) == (ENVIRONMENT, TWO_HOSTS)
    with RunReader.open(of_format_1) as reader:
        assert reader.measured().blocks == (1, 2, 3, 4)
    with closing(sqlite3.connect(of_format_1)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (FORMAT,)


def test_an_identity_names_the_host_that_it_is_of():
    assert TWO_HOSTS.whole_identity() == ENVIRONMENT.identity | {"ssh://bench cpu": "Z80"}
    assert ENVIRONMENT.whole_identity() == ENVIRONMENT.identity
