"""The environment is kept by host; a file from before there were hosts stays readable, and can be gone on with."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from sectax.model.environment import Environment
from sectax.record.reader import RunReader
from sectax.record.writer import RunWriter
from tests.record.runs import ENVIRONMENT, plan

ELSEWHERE = Environment({"cpu": "Z80"}, {"load": "9.00"})
TWO_HOSTS = Environment(ENVIRONMENT.identity, ENVIRONMENT.circumstances, {"ssh://bench": ELSEWHERE})


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


def test_an_identity_names_the_host_that_it_is_of():
    assert TWO_HOSTS.whole_identity() == ENVIRONMENT.identity | {"ssh://bench cpu": "Z80"}
    assert ENVIRONMENT.whole_identity() == ENVIRONMENT.identity
