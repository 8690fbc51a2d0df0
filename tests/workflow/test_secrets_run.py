"""Runs of the experiment secrets as a user makes them, with AWS's agent and the local Lambda's real sandboxes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from sectax.cli.options import progress
from sectax.design.planning import Request
from sectax.model.plan import Stopping
from sectax.stack.secrets_manager.backend import Backend
from sectax.workflow import run as workflow
from tests.experiments.test_secrets import agents
from tests.program import PROGRAM, sectax
from tests.stack.secrets_manager.needs import needs_agent, needs_backend
from tests.subjects.function.functions import needs_sandbox

pytestmark = [needs_sandbox, needs_backend, needs_agent, pytest.mark.more]

SMALL = ["--level", "memory=1769", "--level", "access=dictionary,sidecar", "--blocks", "6", "--out", "r.sectax"]


def test_hits_and_misses_are_told_beside_the_study(tmp_path: Path) -> None:
    said = sectax("run", "secrets", "--published", *SMALL, folder=tmp_path, timeout=900)

    assert said.status == 0, said.err
    shown = json.loads(sectax("show", "r.sectax", "--json", folder=tmp_path).out)
    witnessed = {each["id"]: each["witnesses"]["backend_calls"] for each in shown["treatments"]}
    assert witnessed["python/hit/32B/1769/back-to-back/sidecar"] == "0 for each access"
    assert witnessed["python/miss/32B/1769/back-to-back/sidecar"] == "1 for each access"
    beside = sectax("compare", "r.sectax", "published:secrets-extension-2022", folder=tmp_path)
    assert beside.status == 0
    text = " ".join(beside.out.split())
    assert "sectax has no counterpart" not in text
    assert "here, designed as the study" in text
    assert "improvement from 128 to 1769 MB" in text
    assert "stood in for by moto" in " ".join(beside.out.split())


def test_no_secret_is_in_the_run_file_or_in_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    marker, make = "5ec7a85ec7a85ec7", Backend.__init__

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


def test_nothing_of_a_killed_run_goes_on(tmp_path: Path) -> None:
    words = ["run", "secrets", "--quick", "--level", "access=dictionary,sidecar", "--out", "r.sectax"]
    with subprocess.Popen([*PROGRAM, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as run:
        deadline = time.monotonic() + 120
        while not agents(run.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        begun = agents(run.pid)
        run.send_signal(signal.SIGKILL)
    assert begun
    deadline = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}") for pid in begun) and time.monotonic() < deadline:
        time.sleep(0.1)

    assert not any(os.path.exists(f"/proc/{pid}") for pid in begun)
