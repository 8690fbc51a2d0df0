"""Runs of the experiment secrets as a user makes them, with AWS's agent and the local Lambda's real sandboxes."""

from __future__ import annotations

import contextlib
import json
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
from sectax.design.planning import Request
from sectax.experiments.secrets.backend import Backend
from sectax.model.plan import Stopping
from sectax.workflow import run as workflow
from tests.experiments.on_lambda.functions import needs_sandbox
from tests.experiments.test_secrets import agents, exposed, read
from tests.fakes.broken_secrets import MARKER
from tests.needs import needs
from tests.program import PROGRAM, Said, sectax

pytestmark = [needs_sandbox, needs("moto"), needs("the agent of Secrets Manager"), pytest.mark.more]

PATH = {"PYTHONPATH": str(Path(__file__).parents[2])}
SMALL = ["--level", "memory=1769", "--level", "access=dictionary,sidecar", "--blocks", "6", "--out", "r.sectax"]


def test_hits_and_misses_are_reported_beside_the_study(tmp_path: Path) -> None:
    result = sectax("run", "secrets", "--published", *SMALL, folder=tmp_path, timeout=900)

    assert result.status == 0, result.err
    document = json.loads(sectax("show", "r.sectax", "--json", folder=tmp_path).out)
    witnessed = {treatment["id"]: treatment["witnesses"]["backend_calls"] for treatment in document["treatments"]}
    assert witnessed["python/hit/32B/1769/back-to-back/sidecar"] == "0 for each access"
    assert witnessed["python/miss/32B/1769/back-to-back/sidecar"] == "1 for each access"
    beside = sectax("compare", "r.sectax", "published:secrets-extension-2022", folder=tmp_path)
    assert beside.status == 0


def test_no_secret_is_in_the_run_file_or_in_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    marker, make = MARKER, Backend.__init__

    def marked(self: Backend, *words: object, **more: object) -> None:
        make(self, *words, **more)  # type: ignore[arg-type]
        self._marker = marker

    monkeypatch.setattr(Backend, "__init__", marked)
    levels = {"memory": ("1769",), "access": ("dictionary", "sidecar"), "situation": ("hit",)}
    request = Request("quick", levels, Stopping(margin=0.02, fixed_blocks=6), seed=1)
    outcome = workflow.start("secrets", request, tmp_path / "r.sectax", progress(quiet=False, verbose=True))

    assert outcome.state == "finished"
    for path in tmp_path.rglob("*"):
        assert marker.encode() not in path.read_bytes(), path
    assert marker not in "".join(capfd.readouterr())
    for form in ([], ["--json"]):
        assert marker not in sectax("show", "r.sectax", "--all", *form, folder=tmp_path).out


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


def shown(folder: Path) -> dict[str, Any]:
    """The treatments of the run by their access, as the program shows them to programs."""
    document = json.loads(sectax("show", "r.sectax", "--json", folder=folder).out)
    return {treatment["levels"]["access"]: treatment for treatment in document["treatments"]}


def test_a_service_that_goes_down_ends_the_run_with_what_to_do(tmp_path: Path) -> None:
    said = broken("down", tmp_path, *ONE, "--level", "access=dictionary,direct")

    assert said.status == 3


@pytest.mark.parametrize("fault", ["agent not ready", "agent killed"])
def test_a_sidecar_that_does_not_answer_fails_alone(fault: str, tmp_path: Path) -> None:
    broken(fault, tmp_path, *ONE, "--level", "access=dictionary,sidecar,direct")

    found = shown(tmp_path)
    assert found["direct"]["state"] == "ok"
    assert found["sidecar"]["state"] == "failed"


def test_a_ttl_that_is_over_in_the_middle_of_a_block_costs_the_figure_its_verdict(tmp_path: Path) -> None:
    result = sectax(
        "run", "secrets", "--quick", *ONE, "--level", "access=dictionary,sidecar", "--ttl", "1s", folder=tmp_path
    )

    assert result.status in (0, 3), result.err
    document = json.loads(sectax("show", "r.sectax", "--json", folder=tmp_path).out)
    verdicts = {finding["metric"]: finding["verdict"]["id"] for finding in document["findings"]}
    assert verdicts["access"] == "withdrawn"


def test_a_jump_of_the_time_of_day_changes_no_figure(tmp_path: Path) -> None:
    said = broken("clock jumps", tmp_path, *ONE, "--level", "access=dictionary,direct")

    assert said.status == 0, said.err
    for item in shown(tmp_path).values():
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
    program = [*PROGRAM, "run", "secrets", *words, "--out", str(small_disk / "r.sectax")]
    with subprocess.Popen(program, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        said = ""
        for line in run.stderr:
            said += line
            if line.startswith("block 2"):
                fill(small_disk)
        run.wait(60)

    assert run.returncode == 3
    assert "Traceback" not in said
    assert sectax("show", str(small_disk / "r.sectax"), folder=tmp_path).status == 0


@needs("mounts")
def test_a_disk_that_is_full_before_the_run_is_reported_with_its_place(small_disk: Path, tmp_path: Path) -> None:
    fill(small_disk, leave=64 * 1024)
    words = ["run", "secrets", "--quick", *ONE, "--level", "access=dictionary,sidecar"]
    environment = os.environ | {"TMPDIR": str(small_disk)}
    result = subprocess.run(
        [*PROGRAM, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )

    assert result.returncode == 3
    assert str(small_disk) in result.stderr
    assert "Traceback" not in result.stderr
