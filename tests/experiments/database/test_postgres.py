"""A PostgreSQL of the run's own, and the client on libpq."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from sectax.experiments.client_server.client import ClientFailure
from sectax.experiments.client_server.server import ServerFailed
from sectax.experiments.database import parts
from sectax.experiments.database.client import PgClient
from sectax.experiments.database.levels import ACCESS, MD5, QUERIES, ROWS, SCRAM, SELECT, TRUST
from sectax.experiments.database.server import DatabaseFailed, Postgres, new_passwords
from sectax.experiments.database.subject import DatabaseSpec
from sectax.model.subject import Work
from tests.experiments.subjects import measured, refused, values
from tests.needs import needs

pytestmark = needs("PostgreSQL", "libpq", "cc")


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with Postgres(new_passwords(), (SCRAM, MD5, TRUST)) as one:
        yield one


@pytest.fixture
def client() -> PgClient:
    return PgClient(str(parts.client()))


@pytest.fixture
def joined(client: PgClient) -> Iterator[PgClient]:
    client.join("a")
    client.hello()
    yield client
    client.leave("a")


def spec(postgres: Postgres, client: PgClient, level: str, *, kept: bool, query: str = SELECT) -> DatabaseSpec:
    return DatabaseSpec(f"{level}-{kept}", level, query, kept, client, postgres)


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("level", ACCESS)
def test_a_client_comes_in_as_its_level_says(level: str, kept: bool, postgres: Postgres, client: PgClient) -> None:
    subject = spec(postgres, client, level, kept=kept).subject()

    witnesses = subject.open()
    observations = subject.visit(Work(count=3, settle=1)).observations
    closed = subject.close()

    assert witnesses["ssl"] is (ACCESS[level].sslmode != "disable")
    assert witnesses.get("tls", "TLSv1.3") == "TLSv1.3"
    assert witnesses["authentication"] == ACCESS[level].method
    assert len(values(observations, "latency")) == 3
    assert len(values(observations, "connecting")) == (0 if kept else 3)
    assert closed["connections"] == (1 if kept else closed["transactions"] + 1)


def test_connections_that_have_ended_count_into_the_cpu_time_of_the_server(
    postgres: Postgres, client: PgClient
) -> None:
    _, visit, _ = measured(spec(postgres, client, "disable", kept=False), Work(count=40))

    seen = [one for one in visit.observations if one.metric == "server_cpu"]
    # A process that is forked, asked for a password and for a row takes milliseconds, and no connection takes less.
    assert [one.count for one in seen] == [40]
    assert 40 * 0.5e-3 < seen[0].value < 40 * 0.1


def test_many_rows_come_whole(postgres: Postgres, client: PgClient) -> None:
    assert measured(spec(postgres, client, "require", kept=True, query=ROWS), Work(1))[0]["rows"] == 1000


def test_a_known_cost_is_added(postgres: Postgres, joined: PgClient) -> None:
    joined.open("a", postgres.connection("disable"), QUERIES[SELECT], kept=True, added_s=0.03)

    assert min(joined.measure("a", 2, 10.0).elapsed_ns) >= 30_000_000


def test_a_query_that_fails_or_whose_answer_varies_is_a_fault(postgres: Postgres, joined: PgClient) -> None:
    access = postgres.connection("disable")
    with refused("query"):
        joined.open("a", access, "SELECT no_such_column", kept=True, added_s=0)
    joined.open("a", access, "SELECT random() WHERE :aid > 0", kept=True, added_s=0)
    with refused("answer-varies"):
        joined.measure("a", 3, 10.0)


def test_a_password_that_is_wrong_is_refused_and_repeated_nowhere(postgres: Postgres, joined: PgClient) -> None:
    with pytest.raises(ClientFailure) as failed:
        joined.open("a", postgres.connection("md5", "wr0ng-word"), QUERIES[SELECT], kept=True, added_s=0)
    joined.open("b", postgres.connection("md5"), QUERIES[SELECT], kept=True, added_s=0)

    assert failed.value.kind == "connection"
    assert "wr0ng-word" not in failed.value.reason


def test_a_lock_that_is_open_is_found_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Postgres._set_up

    def careless(self: Postgres) -> None:
        own(self)
        rules = self._folder / "data" / "pg_hba.conf"
        rules.write_text(rules.read_text().replace(MD5, TRUST))

    monkeypatch.setattr(Postgres, "_set_up", careless)
    with pytest.raises(DatabaseFailed, match="password"), Postgres(new_passwords(), (MD5,)):
        pass


def test_a_server_that_ends_in_the_middle_ends_the_run(client: PgClient) -> None:
    with Postgres(new_passwords(), (SCRAM,)) as one:
        subject = spec(one, client, "require", kept=True).subject()
        subject.open()
        os.kill(one.server._child.pid, signal.SIGKILL)
        with pytest.raises(ServerFailed, match="ended"):  # its process for this connection lives a moment longer
            _ = [subject.visit(Work(count=50)) for _ in range(1000)]


def processes() -> str:
    return subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout


def test_nothing_is_left_and_no_password_was_in_the_log_or_the_list_of_processes(client: PgClient) -> None:
    passwords = new_passwords()
    with Postgres(passwords, (SCRAM, MD5)) as one:
        subject = spec(one, client, "require", kept=True).subject()
        subject.open()
        shown = processes() + one.server.log.read_text()
        folder = one.authority.parent
        subject.close()

    assert not any(password in shown for password in passwords.values())
    assert not folder.exists()
    assert str(folder) not in processes()
