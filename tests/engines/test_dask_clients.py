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

from sectax.engines.dask.remote_clients import packed, unpacked
from sectax.experiments.http import parts
from tests.engines.real_cluster import RealCluster, two_workers
from tests.engines.test_dask_faults import (
    add_hosts,
    check_nothing_counts_twice,
    ended,
    finished,
    own,
    started,
    states,
    wait_until,
)
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
@pytest.mark.parametrize(("number", "why"), [(signal.SIGKILL, "its worker"), (signal.SIGSTOP, "it did not answer")])
def test_a_lost_worker_costs_one_block_and_the_record_knows_its_replacement(tmp_path, service, number, why) -> None:
    path = tmp_path / "a.sectax"
    with with_two_finished(tmp_path, service, "anna", "ben", "cleo") as (cluster, process):
        os.killpg(cluster.workers[0].pid, number)
        out = ended(process, 250)

    assert f"clients on anna: {why}" in out
    check_nothing_counts_twice(path, 8)
    (lost,) = (block for block, state, _ in states(path) if state == "abandoned")
    measured = read(path)
    assert set(measured.sessions[0].hosts) == {"anna", "ben", "cleo"}
    assert any(f"block {lost + 1} " in note and "ben, cleo" in note for note in measured.notes)


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
