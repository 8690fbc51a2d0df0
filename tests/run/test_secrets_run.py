"""Runs of the experiment secrets as a user makes them, with AWS's agent and the local Lambda's real sandboxes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sectax.cli.options import progress
from sectax.design.planning import RunRequest
from sectax.experiments.secrets.backend import Backend
from sectax.model.plan import Stopping
from sectax.run.start import start
from tests.experiments.on_lambda.functions import needs_sandbox
from tests.experiments.test_secrets import agents, exposed, read
from tests.fakes.broken_secrets import MARKER, marked
from tests.needs import needs
from tests.program import Said, sectax
from tests.run.sessions import begin, shown

pytestmark = [needs_sandbox, needs("moto"), needs("the agent of Secrets Manager"), pytest.mark.more]

PATH = {"PYTHONPATH": str(Path(__file__).parents[2])}
SMALL = ["--level", "memory=1769", "--level", "access=dictionary,sidecar", "--blocks", "6", "--out", "r.sectax"]


def test_hits_and_misses_are_reported_beside_the_study(tmp_path: Path) -> None:
    result = sectax("run", "secrets", "--published", *SMALL, folder=tmp_path, timeout=900)

    assert result.status == 0, result.err
    treatments = shown(tmp_path)["treatments"]
    witnessed = {treatment["id"]: treatment["witnesses"]["backend_calls"] for treatment in treatments}
    assert witnessed["python/hit/32B/1769/back-to-back/sidecar"] == "0 for each access"
    assert witnessed["python/miss/32B/1769/back-to-back/sidecar"] == "1 for each access"
    beside = sectax("compare", "r.sectax", "published:secrets-extension-2022", folder=tmp_path)
    assert beside.status == 0


def test_no_secret_is_recorded_or_printed(tmp_path, monkeypatch, capfd) -> None:
    monkeypatch.setattr(Backend, "__init__", Backend.__init__)  # and put back
    marked()
    levels = {"memory": ("1769",), "access": ("dictionary", "sidecar"), "situation": ("hit",)}
    request = RunRequest("quick", levels, Stopping(margin=0.02, fixed_blocks=6), seed=1)
    outcome = start("secrets", request, tmp_path / "r.sectax", progress(quiet=False, verbose=True))

    assert outcome.state == "finished"
    for path in tmp_path.rglob("*"):
        assert MARKER.encode() not in path.read_bytes(), path
    assert MARKER not in "".join(capfd.readouterr())
    for form in ([], ["--json"]):
        assert MARKER not in sectax("show", "r.sectax", "--all", *form, folder=tmp_path).out


def test_a_killed_run_leaves_no_process_and_no_secret(tmp_path: Path) -> None:
    words = ["run", "secrets", "--quick", "--level", "access=dictionary,sidecar", "--out", "r.sectax"]
    program = [sys.executable, "-m", "tests.fakes.broken_secrets", "marked", *words]
    with subprocess.Popen(
        program, cwd=tmp_path, env=os.environ | PATH, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as run:
        deadline = time.monotonic() + 120
        while not agents(run.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        begun = agents(run.pid)
        time.sleep(2)  # so that secrets are read
        run.send_signal(signal.SIGKILL)
        assert MARKER.encode() not in run.stdout.read()
    assert begun
    deadline = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}") for pid in begun) and time.monotonic() < deadline:
        time.sleep(0.1)

    assert not any(os.path.exists(f"/proc/{pid}") for pid in begun)
    left = [*exposed(), *(path for path in tmp_path.rglob("*") if path.is_file())]
    assert [path for path in left if MARKER.encode() in read(path)] == []


def broken(fault: str, folder: Path, *words: str) -> Said:
    """The program with one thing broken around it; a traceback fails the test."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fakes.broken_secrets", fault, "run", "secrets", "--quick", *words],
        cwd=folder,
        env=os.environ | PATH | {"COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    return Said(done.returncode, " ".join(done.stdout.split()), " ".join(done.stderr.split()))


ONE = ["--level", "memory=1769", "--blocks", "6", "--out", "r.sectax"]


def by_access(folder: Path) -> dict[str, Any]:
    """The treatments of the run."""
    return {treatment["levels"]["access"]: treatment for treatment in shown(folder)["treatments"]}


def test_a_service_that_goes_down_ends_the_run(tmp_path: Path) -> None:
    assert broken("down", tmp_path, *ONE, "--level", "access=dictionary,direct").status == 3


@pytest.mark.parametrize("fault", ["agent not ready", "agent killed"])
def test_a_sidecar_that_does_not_answer_fails_alone(fault: str, tmp_path: Path) -> None:
    broken(fault, tmp_path, *ONE, "--level", "access=dictionary,sidecar,direct")

    found = by_access(tmp_path)
    assert found["direct"]["state"] == "ok"
    assert found["sidecar"]["state"] == "failed"


def test_a_ttl_that_is_over_in_the_middle_of_a_block_costs_the_figure_its_verdict(tmp_path: Path) -> None:
    words = ("--level", "access=dictionary,sidecar", "--ttl", "1s")
    result = sectax("run", "secrets", "--quick", *ONE, *words, folder=tmp_path)

    assert result.status in (0, 3), result.err
    verdicts = {finding["metric"]: finding["verdict"]["id"] for finding in shown(tmp_path)["findings"]}
    assert verdicts["access"] == "withdrawn"


def test_a_jump_of_the_time_of_day_changes_no_figure(tmp_path: Path) -> None:
    said = broken("clock jumps", tmp_path, *ONE, "--level", "access=dictionary,direct")

    assert said.status == 0, said.err
    for item in by_access(tmp_path).values():
        worst = next(one["estimate"] for one in item["estimates"] if one["metric"] == "worst_access")
        assert 0 < worst["point"] < 60


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(small)], check=True)
    yield small
    subprocess.run(["umount", str(small)], check=True)


def fill(disk: Path, leave: int = 0) -> None:
    free = os.statvfs(disk)
    # What runs meanwhile may take some of it first.
    with contextlib.suppress(OSError):
        (disk / "filler").write_bytes(bytes(free.f_bavail * free.f_frsize - leave))


@needs("mounts")
def test_a_disk_that_is_full_in_the_middle_costs_nothing_that_was_measured(small_disk: Path, tmp_path: Path) -> None:
    words = ["--quick", "--level", "memory=1769", "--level", "access=dictionary,direct", "--blocks", "400"]
    with begin(tmp_path, "run", "secrets", *words, "--out", str(small_disk / "r.sectax")) as run:
        said = ""
        for line in run.stderr:
            said += line
            if line.startswith("block 2"):
                fill(small_disk)

    assert run.returncode == 3
    assert "Traceback" not in said
    assert sectax("show", str(small_disk / "r.sectax"), folder=tmp_path).status == 0
