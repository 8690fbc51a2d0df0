"""Runs whose clients are on the workers of a cluster, while their blocks are measured from here."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sectax.engines.dask.far import packed, unpacked
from sectax.experiments.http import parts
from sectax.model.errors import ExitStatus
from tests.engines.real_cluster import RealCluster, two_workers
from tests.engines.test_dask_faults import (
    add_hosts,
    check_nothing_counts_twice,
    ended,
    finished,
    machine,
    own,
    started,
    states,
    wait_until,
)
from tests.experiments.s3.servers import needs_minio
from tests.fakes.http_service import HttpService, said
from tests.needs import needs
from tests.program import sectax
from tests.record.runs import read

pytestmark = [pytest.mark.more, needs("the HTTP client in Go")]


@pytest.fixture
def service() -> Iterator[HttpService]:
    with HttpService({"/": said()}) as one:
        yield one


def asked(cluster: RealCluster, service: HttpService, path: Path, *words: str) -> list[str]:
    urls = ["run", "http", service.url(), service.url(), "--clients", "2", "--seed", "7", "--out", str(path)]
    return [*urls, "--on", cluster.on, *words]


def witnesses(path: Path) -> dict[str, Any]:
    """Of the baseline."""
    document = json.loads(sectax("show", path.name, "--json", folder=path.parent).out)
    return next(one["witnesses"] for one in document["treatments"] if one["role"] == "baseline")


def far_clients(cluster: RealCluster) -> list[int]:
    """The client processes that workers of this cluster have started."""
    return own(cluster, str(parts.client().path))


def test_a_command_is_found_again_where_its_folders_are_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = packed([str(parts.client().path), "/elsewhere/cache"])
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path))

    assert unpacked(words) == [str(parts.client().path), "/elsewhere/cache"]
    assert unpacked(words)[0].startswith(str(tmp_path))


def test_clients_on_two_workers_share_the_load_and_leave_nothing(tmp_path: Path, service: HttpService) -> None:
    path = tmp_path / "a.sectax"
    with two_workers(tmp_path) as cluster:
        words = asked(cluster, service, path, "--level", "concurrency=4", "--blocks", "6", "-H", "X-Key: be-arer-5")
        with started(cluster, *words) as process:
            out = ended(process)

        assert far_clients(cluster) == []
        assert "be-arer-5" not in out + cluster.said()
    seen = witnesses(path)
    assert seen["clients"] == 2
    assert {host for _, _, host in states(path)} == {"local"}


@needs_minio
def test_clients_of_s3_share_a_load_on_two_workers(tmp_path: Path) -> None:
    path = tmp_path / "a.sectax"
    levels = ("operation=get", "size=10KB", "encryption=none,sse-s3", "transfer=plain", "concurrency=4")
    with two_workers(tmp_path) as cluster:
        words = ["run", "s3", *(word for level in levels for word in ("--level", level)), "--clients", "2"]
        with started(cluster, *words, "--blocks", "6", "--out", str(path), "--on", cluster.on) as process:
            ended(process, 300)

    assert witnesses(path)["clients"] == 2
    check_nothing_counts_twice(path, 6)


@contextmanager
def with_two_finished(
    tmp_path: Path, service: HttpService, *hosts: str
) -> Iterator[tuple[RealCluster, subprocess.Popen[str]]]:
    """A run of eight blocks with its two clients on the first of these hosts, once two blocks are finished."""
    path = tmp_path / "a.sectax"
    with RealCluster(tmp_path) as cluster:
        add_hosts(cluster, *hosts)
        many = ("--hosts", str(len(hosts)))
        words = asked(cluster, service, path, *many, "--level", "concurrency=4", "--blocks", "8")
        with started(cluster, *words) as process:
            wait_until(lambda: finished(path) >= 2, "two blocks")
            yield cluster, process


@needs("mounts")
def test_what_went_wrong_is_counted_for_each_host(tmp_path: Path, service: HttpService) -> None:
    path = tmp_path / "a.sectax"
    with RealCluster(tmp_path) as cluster:
        add_hosts(cluster, "anna", "ben")
        words = asked(cluster, service, path, "--quick", "--hosts", "2", "--rate", "4000", "--blocks", "6")
        with started(cluster, *words) as process:
            # A noisy pilot asks for many rounds, and one block says it all.
            wait_until(lambda: finished(path) >= 1, "a block")
            process.send_signal(signal.SIGINT)
            ended(process, 60, ExitStatus.INTERRUPTED)

    seen = witnesses(path)
    assert {"late on anna", "late on ben", "dropped on anna", "saturated on ben"} <= set(seen)


@needs("mounts")
@pytest.mark.parametrize(("number", "why"), [(signal.SIGKILL, "its worker"), (signal.SIGSTOP, "it did not answer")])
def test_a_lost_worker_costs_one_block_and_the_record_knows_its_replacement(tmp_path, service, number, why) -> None:
    path = tmp_path / "a.sectax"
    with with_two_finished(tmp_path, service, "anna", "ben", "cleo") as (cluster, process):
        os.killpg(cluster.workers[0].pid, number)
        out = ended(process, 250)

    assert f"is lost: clients on anna: {why}" in out
    check_nothing_counts_twice(path, 8)
    (lost,) = (block for block, state, _ in states(path) if state == "abandoned")
    measured = read(path)
    assert set(measured.sessions[0].hosts) == {"anna", "ben", "cleo"}
    assert f"from block {lost + 1} on the clients ran on ben, cleo" in measured.notes


@needs("mounts")
def test_clients_wait_for_other_runs_on_their_hosts(tmp_path: Path, service: HttpService) -> None:
    path = tmp_path / "a.sectax"
    with with_two_finished(tmp_path, service, "anna", "ben") as (cluster, process):
        with (cluster.folder / "state" / "hosts" / "ben").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            before = finished(path)
            time.sleep(5)
            assert finished(path) - before <= 1  # one that had ended, and was still being recorded
            assert far_clients(cluster) == []
        ended(process)

    check_nothing_counts_twice(path, 8)
    assert {state for _, state, _ in states(path)} == {"finished"}


@needs("mounts")
def test_without_workers_a_run_ends_and_is_resumed_with_new_ones(tmp_path: Path, service: HttpService) -> None:
    path = tmp_path / "a.sectax"
    with with_two_finished(tmp_path, service, "anna", "ben") as (cluster, process):
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_until(lambda: not far_clients(cluster), "clients of a killed run end", 60)
        for worker in cluster.workers:
            os.killpg(worker.pid, signal.SIGKILL)
        add_hosts(cluster, "ben", "cleo")
        with started(cluster, "resume", str(path), "--on", cluster.on, "--hosts", "2") as resumed:
            ended(resumed)

    check_nothing_counts_twice(path, 8)


@needs("mounts")
def test_what_listens_here_alone_is_refused_to_clients_elsewhere(tmp_path: Path) -> None:
    with RealCluster(tmp_path) as cluster:
        cluster.add_worker("--no-nanny", prefix=machine(tmp_path, "anna"))
        urls = ("--baseline", "http://127.0.0.1:$PORT/", "--treatment", "new=http://127.0.0.1:$PORT/")
        servers = ("--start", "baseline=true", "--start", "new=true", "--level", "concurrency=4")
        words = ("run", "http", *urls, *servers, "--clients", "2", "--on", cluster.on, "--out", "a.sectax")
        with started(cluster, *words) as process:
            out = ended(process, 100, ExitStatus.WRONG_USE)

    assert "$PORT" in out
