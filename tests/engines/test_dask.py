"""The engine on a cluster: a real scheduler and two real workers on loopback."""

from __future__ import annotations

import sqlite3
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError

import pytest

from sectax.engines.dask.cluster import Cluster
from sectax.engines.dask.worker import JobFailure, Sealed
from sectax.model.errors import WrongUse
from sectax.record.checksums import frame_checksum
from tests.engines.certificates import certificate
from tests.engines.real_cluster import RealCluster, two_workers
from tests.program import PROGRAM, Said, sectax
from tests.record.runs import read, rows

NEEDLE = "needle-in-no-log-8c1f"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    with two_workers(tmp_path_factory.mktemp("cluster")) as real:
        yield real


@pytest.fixture
def connected(cluster: RealCluster) -> Iterator[Cluster]:
    ours = Cluster.connect(cluster.on.removeprefix("dask://"), ca=None, cert=None, key=None)
    ours.find_hosts()
    yield ours
    ours.close()


def run(cluster: RealCluster, path: Path, *words: str) -> Said:
    commands = ("command", "true", "sh -c :", "--blocks", "6", "--seed", "7", "--out", str(path))
    return sectax("run", *commands, "--on", cluster.on, *words, folder=cluster.folder)


@pytest.fixture(scope="module")
def finished(cluster: RealCluster) -> tuple[Path, Said]:
    """A run on both workers."""
    path = cluster.folder / "run.sectax"
    return path, run(cluster, path)


def test_two_workers_of_one_machine_take_turns_as_one_host(finished: tuple[Path, Said]) -> None:
    path, said = finished

    assert said.status == 0, said.err
    measured = read(path)
    (host,) = measured.hosts
    assert measured.blocks == (1, 2, 3, 4, 5, 6)
    assert set(measured.sessions[0].hosts) == {host}
    assert measured.sessions[0].hosts[host].identity["host.cpus"]
    assert rows(path, "SELECT DISTINCT state, host FROM block WHERE number > 0") == [("finished", host)]
    assert all(seconds > 0 for (seconds,) in rows(path, "SELECT seconds FROM block WHERE number > 0"))
    assert "6 blocks" in said.out
    assert " on 1 host" in said.err


def test_a_run_of_a_cluster_is_not_resumed_here(finished: tuple[Path, Said], tmp_path: Path) -> None:
    path = tmp_path / "run.sectax"
    path.write_bytes(finished[0].read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE run SET state = 'interrupted'")
        for sql, parameters in frame_checksum(db):
            db.execute(sql, parameters)
    said = sectax("resume", str(path))

    assert said.status == 2
    assert "--on" in said.err


def test_no_log_and_no_page_of_the_cluster_has_an_input(cluster: RealCluster, connected: Cluster) -> None:
    (host,) = connected.present()
    line = NEEDLE.encode()
    # A job that cannot be done, one whose program does not exist, and one that hangs until its time limit.
    for module, limit_s in (("sectax.cluster.job", 10.0), ("no.such.module", 10.0), ("http.server", 0.5)):
        ((answer,),) = (some.values() for some in connected.do({host: line}, module, limit_s))
        assert isinstance(answer, JobFailure)
        assert NEEDLE not in answer.reason
    client = connected._client
    state = str(client.run_on_scheduler(lambda dask_scheduler: [repr(t) for t in dask_scheduler.tasks.values()]))
    stories = str(client.run(lambda dask_worker: list(map(str, dask_worker.state.log))))

    assert NEEDLE not in state + stories + str(client.get_events())
    for page in ("info/main/workers.html", "info/logs.html", "json/identity.json", "json/index.html", "metrics"):
        assert NEEDLE not in _page(cluster, page)
    assert NEEDLE not in cluster.said()
    assert NEEDLE not in repr(Sealed(NEEDLE.encode()))


def _page(cluster: RealCluster, path: str) -> str:
    said = cluster.logs[0].read_text()
    dashboard = said.partition("dashboard at:")[2].split()[0].removesuffix("/status")
    try:
        with urllib.request.urlopen(f"{dashboard}/{path}", timeout=10) as answer:  # noqa: S310 - of our own scheduler
            return str(answer.read())
    except HTTPError as error:
        error.close()
        return ""  # this build of Dask has no such page


@pytest.mark.parametrize("address", ["10.1.2.3:8786", "bench.example:8786", "[2001:db8::1]:8786"])
def test_keys_do_not_go_over_a_network_without_tls(address: str) -> None:
    with pytest.raises(WrongUse, match="TLS"):
        Cluster.connect(address, ca=None, cert=None, key=None)


@pytest.mark.more
def test_a_first_try_on_four_workers_of_this_machine(tmp_path: Path) -> None:
    """As somebody who has just installed it would."""
    path = tmp_path / "run.sectax"
    words = ("jwt", "--quick", "--level", "language=python", "--on", "local:4", "--blocks", "8", "--out", str(path))
    # A process of its own: workers are started as the program itself was.
    said = subprocess.run([*PROGRAM, "run", *words], cwd=tmp_path, capture_output=True, text=True, timeout=400)

    assert said.returncode == 0, said.stderr
    assert "Traceback" not in said.stderr
    assert "4 workers" in said.stderr
    measured = read(path)
    counts = {host: len(blocks) for host, blocks in measured.hosts.items()}
    assert counts == {f"worker-{number}": 2 for number in range(1, 5)}


@pytest.mark.more
def test_without_the_right_certificate_nothing_is_measured(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    members = [certificate(folder, "authority") for folder in (ours, theirs)]
    tls = ("--tls-ca-file", str(ours / "authority.pem"), "--tls-cert", str(members[0]), "--tls-key", str(members[0]))
    wrong = ("--tls-ca", str(theirs / "authority.pem"), "--tls-cert", str(members[1]), "--tls-key", str(members[1]))
    right = ("--tls-ca", str(ours / "authority.pem"), "--tls-cert", str(members[0]), "--tls-key", str(members[0]))
    path = tmp_path / "run.sectax"
    with RealCluster(tmp_path, tls=tls) as secured:
        secured.add_worker("--no-nanny")
        statuses = []
        for words in (wrong, ("--insecure",), right):
            statuses.append(run(secured, path, *words).status)
            assert path.exists() == (words is right)

    assert statuses == [3, 3, 0]
