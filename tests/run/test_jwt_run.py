"""Whole runs of jwt: with real probes that are killed in the middle, and with probes that lie or die."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest

from sectax.cli import present
from sectax.experiments.interface import RunRequest
from sectax.model.analysed import RunReport
from sectax.model.plan import Stopping
from sectax.parts import probes
from sectax.parts.probes import Manifest, Probe
from sectax.run.start import start
from tests.fakes.watcher import Watcher
from tests.program import sectax
from tests.run.sessions import begin, finished_blocks, rows, wait_for_block

LEVELS = ("language=php", "operation=verify", "algorithm=RS256,EdDSA")
SMALL = ("jwt", "--quick", *(word for level in LEVELS for word in ("--level", level)), "--blocks", "6")
FAKES = Path(__file__).parents[1] / "fakes"


def inputs_below(state: Path) -> list[Path]:
    return [path for path in state.rglob("*") if path.is_file() and path.parent.name != "processors"]


@pytest.mark.more
def test_a_run_that_is_killed_keeps_its_keys_for_the_resumption_and_then_forgets_them(tmp_path):
    state = tmp_path / "state"
    process = begin(tmp_path, "run", *SMALL, "--out", "r.sectax", SECTAX_STATE=str(state))
    wait_for_block(tmp_path, process, 1)
    process.kill()
    process.communicate()
    kept = inputs_below(state)
    assert [oct(path.stat().st_mode & 0o777) for path in kept] == ["0o600"]
    assert "PRIVATE KEY" in kept[0].read_text()

    resumed = sectax("resume", "r.sectax", folder=tmp_path, SECTAX_STATE=str(state))

    assert resumed.status == 0, resumed.err
    assert finished_blocks(tmp_path) == 6
    assert inputs_below(state) == []
    assert b"PRIVATE KEY" not in (tmp_path / "r.sectax").read_bytes()
    assert rows(tmp_path, "SELECT text FROM note WHERE text LIKE '%new ones%'") == []


@pytest.mark.more
@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("dies", "exit status"),
        ("killed", "killed"),
        ("garbage", "no valid reply"),
        ("floods", "bytes"),
        ("wrong-version", "protocol"),
    ],
)
def test_a_probe_that_cannot_be_used_is_named_with_its_reason(mode, says, tmp_path, monkeypatch):
    fake = Probe(FAKES, Manifest("fake", "Fake", [sys.executable, "probe.py", mode]))
    monkeypatch.setattr(probes, "names", lambda: ("fake",))
    monkeypatch.setattr(probes, "load", lambda name: fake)
    monkeypatch.setattr(probes, "missing", lambda probe, **_: None)
    watcher = Watcher()
    request = RunRequest("quick", {"language": ("fake",)}, Stopping(margin=0.02, max_blocks=6), seed=1)

    outcome = start("jwt", request, tmp_path / "r.sectax", watcher)

    text = present.render(RunReport(outcome.analysed, "r.sectax"), "terminal", present.View(show_all=True))
    assert outcome.analysed.measured.blocks == ()
    assert says in " ".join(watcher.lines)
    assert says in " ".join(text.split())
    assert sectax("show", "r.sectax", folder=tmp_path).status == 0


def test_a_budget_shorter_than_the_pilot_is_refused(tmp_path):
    began = time.monotonic()

    result = sectax("run", "jwt", "--quick", "--budget", "0.2s", "--out", "r.sectax", folder=tmp_path)

    assert result.status == 3
    assert "--budget" in result.err
    assert "sectax resume" not in result.err
    assert result.out == ""
    assert time.monotonic() - began < 60
    assert not (tmp_path / "r.sectax").exists()


def test_a_command_that_hangs_keeps_the_budget_and_leaves_no_file(tmp_path):
    began = time.monotonic()

    result = sectax("run", "command", "sleep 600", "sleep 601", "--budget", "2s", "--out", "r.sectax", folder=tmp_path)

    assert result.status == 3
    assert "was still running after 2 s" in result.err
    assert time.monotonic() - began < 60
    assert list(tmp_path.iterdir()) == []


def test_a_budget_that_turns_out_too_small_in_the_pilot_leaves_no_file(tmp_path):
    words = ("--baseline", "sleep 0.4", "--treatment", "b=sleep 0.5", "--budget", "1s", "--out", "r.sectax")

    result = sectax("run", "command", *words, folder=tmp_path)

    assert result.status == 3
    assert re.search(r"--budget \d+s", result.err)
    assert result.out == ""
    assert list(tmp_path.iterdir()) == []
