"""A busy machine is said at the start of a run, as `doctor` says it."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from sectax.cli import machine_checks as doctor
from sectax.experiments.interface import RunRequest
from sectax.model.plan import Stopping
from sectax.run import start as run
from sectax.run.environment import machine_load, slowdown
from tests.fakes.watcher import Watcher


@pytest.mark.parametrize(("per_cpu", "busy"), [(0.1, False), (3.0, True)])
def test_a_load_is_judged_by_the_processors(monkeypatch: pytest.MonkeyPatch, per_cpu: float, busy: bool) -> None:
    load = per_cpu * len(os.sched_getaffinity(0))
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))

    assert machine_load().busy is busy
    assert (doctor._load().health is doctor.Health.WARNING) is busy


@pytest.mark.more
def test_a_run_warns_before_it_measures(monkeypatch: pytest.MonkeyPatch, capsys, tmp_path) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (77.0, 0.0, 0.0))
    watcher = Watcher()
    commands = {"baseline": ("true",), "treatment": ("t=true",)}
    request = RunRequest("default", {}, Stopping(margin=0.02, max_blocks=1), 1, commands)
    run.start("command", request, tmp_path / "r.sectax", watcher)

    assert any(line.startswith("warning: ") and "77.00" in line for line in watcher.lines)


@pytest.mark.more
def test_work_beside_others_takes_longer() -> None:
    """Two workers on the one processor that this test keeps to: it gets a third of the time."""
    processors = os.sched_getaffinity(0)
    one = {min(processors)}
    os.sched_setaffinity(0, one)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        time.sleep(0.5)
        longer = slowdown(1.0)
    finally:
        for item in busy:
            item.kill()
            item.wait()
        os.sched_setaffinity(0, processors)

    assert longer > 1.5
