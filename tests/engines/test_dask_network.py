"""TLS between all of a cluster, and a network that is cut: the hosts have cables of their own, made by the test."""

from __future__ import annotations

import fcntl
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engines.certificates import certificate
from tests.engines.real_cluster import RealCluster
from tests.engines.test_dask_faults import (
    check_nothing_counts_twice,
    ended,
    finished,
    machine,
    running,
    started,
    wait_until,
)
from tests.fakes.http_service import HttpService, said
from tests.needs import needs
from tests.record.runs import read

pytestmark = [pytest.mark.more, needs("mounts", "ip")]

OURS, THEIRS = "10.77.41.1", "10.77.41.2"
OUR_END, THEIR_END = "sxcut0", "sxcut1"


@pytest.fixture
def other_end() -> Iterator[list[str]]:
    """A cable from this machine to a network of its own: the words behind which a program runs there."""
    with Path(tempfile.gettempdir(), "sectax-test-cable.lock").open("w") as lock:
        # Its names and addresses are the machine's, and tests run side by side.
        fcntl.flock(lock, fcntl.LOCK_EX)
        holder = subprocess.Popen(["unshare", "--net", "sleep", "1000"])
        inside = ["nsenter", "-t", str(holder.pid), "-n"]
        try:
            wait_until(
                lambda: os.readlink(f"/proc/{holder.pid}/ns/net") != os.readlink("/proc/self/ns/net"), "a network"
            )
            _ip("link", "add", OUR_END, "type", "veth", "peer", "name", THEIR_END)
            _ip("addr", "add", f"{OURS}/24", "dev", OUR_END)
            _ip("link", "set", OUR_END, "up")
            _ip("link", "set", THEIR_END, "netns", str(holder.pid))
            _ip("addr", "add", f"{THEIRS}/24", "dev", THEIR_END, inside=inside)
            for name in ("lo", THEIR_END):
                _ip("link", "set", name, "up", inside=inside)
            yield inside
        finally:
            holder.kill()
            holder.wait()
            subprocess.run(["ip", "link", "del", OUR_END], stderr=subprocess.DEVNULL, check=False)


@contextmanager
def cut(other_end: list[str]) -> Iterator[None]:
    _ip("link", "set", THEIR_END, "down", inside=other_end)
    yield
    _ip("link", "set", THEIR_END, "up", inside=other_end)


def _ip(*words: str, inside: Sequence[str] = ()) -> None:
    subprocess.run([*inside, "ip", *words], check=True, timeout=20)


@pytest.fixture
def cluster(other_end: list[str], tmp_path: Path) -> Iterator[RealCluster]:
    member = certificate(tmp_path, "authority")
    tls = ("--tls-ca-file", str(tmp_path / "authority.pem"), "--tls-cert", str(member), "--tls-key", str(member))
    with RealCluster(tmp_path, tls=tls, host=OURS) as real:
        real.add_worker("--no-nanny", "--host", OURS, prefix=machine(tmp_path, "anna"))
        # A worker that has lost its scheduler for longer than TCP waits ends; whoever runs it starts it again.
        real.add_worker("--no-nanny", "--host", THEIRS, prefix=machine(tmp_path, "bert", *other_end, again=True))
        yield real


def our_files(cluster: RealCluster) -> tuple[str, ...]:
    member = str(cluster.folder / "authority-member.pem")
    return "--tls-ca", str(cluster.folder / "authority.pem"), "--tls-cert", member, "--tls-key", member


def test_a_network_that_is_cut_for_half_a_minute_loses_no_finished_block(cluster, other_end, tmp_path) -> None:
    path = tmp_path / "run.sectax"
    with running(cluster, path, "--blocks", "20", *our_files(cluster)) as run:
        wait_until(lambda: finished(path) >= 2, "two blocks")
        with cut(other_end):
            time.sleep(30)
        ended(run, 300)

    assert set(read(path).hosts) == {"anna", "bert"}
    check_nothing_counts_twice(path, 20)


@needs("the HTTP client in Go")
def test_clients_behind_a_cable_that_is_cut_go_on_over_tls(cluster, other_end, tmp_path) -> None:
    path = tmp_path / "run.sectax"
    with HttpService({"/": said()}, host=OURS) as service:
        urls = ["run", "http", service.url(), service.url(), "--clients", "2", "--level", "concurrency=4"]
        words = ("-H", "X-Key: be-arer-5", "--blocks", "8", "--out", str(path), "--on", cluster.on)
        with started(cluster, *urls, *words, *our_files(cluster)) as run:
            wait_until(lambda: finished(path) >= 2, "two blocks")
            with cut(other_end):
                time.sleep(30)
            printed = ended(run, 300)

    assert "be-arer-5" not in printed + cluster.said()
    assert set(read(path).sessions[0].hosts) == {"anna", "bert"}
    check_nothing_counts_twice(path, 8)


def test_without_the_right_certificate_nothing_is_measured(cluster: RealCluster, tmp_path: Path) -> None:
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    other = str(certificate(stranger, "authority"))
    path = tmp_path / "run.sectax"
    wrong = ("--tls-ca", str(stranger / "authority.pem"), "--tls-cert", other, "--tls-key", other)
    for words, status in ((wrong, 3), ((), 2), (("--insecure",), 3)):
        given = ["run", "command", "true", "sh -c :", "--out", str(path), "--on", cluster.on, *words]
        with started(cluster, *given) as run:
            ended(run, 100, status)
        assert not path.exists()
    assert os.path.exists(our_files(cluster)[1])
