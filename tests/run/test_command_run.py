"""Whole runs of commands, through the program: measure, interrupt, kill, resume, show.

What is asserted of results is measured on virtual time (`tests.fakes.virtual`); what is asserted of processes is real.
"""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import stat
import subprocess
import time
from pathlib import Path

import pytest

from tests.needs import needs
from tests.program import sectax
from tests.run.sessions import begin, finished_blocks, rows, shown, verdicts, wait_for_block

# Two programs of a few milliseconds whose costs differ by much more than any margin.
SLEEPS = ("--baseline", "sleep 0.002", "--treatment", "slow=sleep 0.012")
RUN = ("run", "command", *SLEEPS, "--out", "r.sectax")


def run(folder: Path, *more: str):
    return sectax(*RUN, *more, folder=folder, simulated=1)


def interrupted(folder: Path, number: signal.Signals, blocks: int, *words: str) -> tuple[int, str, str]:
    """The exit status, stdout and stderr of a run that gets a signal when so many blocks are finished."""
    process = begin(folder, *words)
    wait_for_block(folder, process, blocks)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_a_cost_is_found_and_shown_again(tmp_path):
    said = run(tmp_path, "--json")

    document = json.loads(said.out)
    assert said.status == 0
    assert verdicts(document, "primary") == {"all/slow": "slower-material"}
    assert shown(tmp_path)["findings"] == document["findings"]


def test_one_treatment_that_fails_leaves_the_others_measured(tmp_path):
    result = run(tmp_path, "--treatment", "broken=false", "--json")

    document = json.loads(result.out)
    assert result.status == 0
    assert verdicts(document, "primary") == {"all/slow": "slower-material", "all/broken": "not-measured"}
    assert {failure["treatment"] for failure in document["failures"]} == {"all/broken"}


STOPPED = ("--baseline", "timeout 0.2 sleep 5", "--treatment", "other=timeout 0.2 sleep 6", "-i", "--blocks", "6")


def test_a_command_that_stops_by_time_is_named_before_it_is_measured(tmp_path):
    plan = sectax("run", "command", *STOPPED, "--dry-run", folder=tmp_path)

    assert plan.status == 0
    assert "warning: baseline may be stopped by time (timeout 0.2); then its duration says nothing" in plan.out
    assert "warning: other may be stopped by time (timeout 0.2)" in plan.out


@pytest.mark.more
def test_a_command_that_stops_by_time_is_named_in_the_report(tmp_path):
    result = sectax("run", "command", *STOPPED, "--out", "r.sectax", folder=tmp_path)

    assert result.status in (0, 3), result.err
    assert "warning: other may be stopped by time (timeout 0.2)" in result.err
    assert "it stops by time (timeout 0.2)" in result.out


def test_a_cleanup_that_fails_costs_no_result(tmp_path):
    result = run(tmp_path, "--cleanup", "false", "--blocks", "6")

    assert result.status == 3
    assert finished_blocks(tmp_path) == 6


def test_setup_prepare_and_cleanup_run_when_they_should(tmp_path):
    log = tmp_path / "log"
    words = ("--setup", f"sh -c 'echo setup >> {log}'", "--cleanup", f"sh -c 'echo cleanup >> {log}'")
    prepare = ("--prepare", f"slow=sh -c 'echo prepare >> {log}'")

    result = run(tmp_path, *words, *prepare, "--blocks", "6")

    lines = log.read_text().split()
    assert result.status == 0
    assert (lines[0], lines[-1]) == ("setup", "cleanup")
    assert set(lines[1:-1]) == {"prepare"}
    assert lines.count("setup") == lines.count("cleanup") == 1


def test_where_setup_fails_nothing_is_measured_and_cleanup_still_runs(tmp_path):
    log = tmp_path / "log"

    result = run(tmp_path, "--setup", "false", "--cleanup", f"sh -c 'echo cleanup >> {log}'", "--blocks", "6")

    assert result.status == 3
    assert "--setup" in result.err
    assert log.read_text() == "cleanup\n"
    # It would fail again: there is nothing to resume.
    assert not list(tmp_path.glob("*.sectax"))


@pytest.mark.more
def test_ctrl_c_keeps_what_was_measured_and_names_the_command_to_go_on(tmp_path):
    status, out, err = interrupted(tmp_path, signal.SIGINT, 7, *RUN, "--blocks", "400")

    assert status == 130, err
    assert "Traceback" not in err
    assert "sectax resume r.sectax" in err
    assert out
    assert finished_blocks(tmp_path) >= 7


@pytest.mark.more
def test_an_interrupted_run_is_resumed_where_it_was_and_a_finished_one_is_left_alone(tmp_path):
    status, *_ = interrupted(tmp_path, signal.SIGTERM, 2, *RUN, "--blocks", "12")
    assert status == 130

    resumed = sectax("resume", "r.sectax", folder=tmp_path)
    again = sectax("resume", "r.sectax", folder=tmp_path)

    assert resumed.status == again.status == 0
    assert finished_blocks(tmp_path) == 12


@pytest.mark.more
def test_a_resumed_run_goes_on_for_its_own_budget(tmp_path):
    interrupted(tmp_path, signal.SIGTERM, 7, *RUN, "--until", "budget", "--budget", "1h")
    before = finished_blocks(tmp_path)

    resumed = sectax("resume", "r.sectax", "--budget", "4s", "--json", folder=tmp_path, timeout=120)
    again = sectax("resume", "r.sectax", "--budget", "4s", folder=tmp_path)

    assert resumed.status == 0, resumed.err
    assert json.loads(resumed.out)["run"]["state"] == "finished"
    assert finished_blocks(tmp_path) >= before
    assert again.status == 2


def killed_session(folder: Path, words: tuple[str, ...], generator: random.Random) -> None:
    """Call the program and kill it: on its way to its first block, or in one of those that follow."""
    process = begin(folder, *words)
    if generator.random() < 0.5:
        wait_for_block(folder, process, finished_blocks(folder) + 1)
        time.sleep(generator.uniform(0.0, 0.3))
    else:
        time.sleep(generator.uniform(0.0, 1.0))
    process.kill()
    _, err = process.communicate()
    assert process.returncode == -signal.SIGKILL, err


def holds_a_run(folder: Path) -> bool:
    try:
        return bool(rows(folder, "SELECT * FROM run"))
    except sqlite3.Error:
        return False


def observations(folder: Path) -> dict[int, list[tuple[object, ...]]]:
    """Block -> all its observations, from the documented view alone."""
    blocks: dict[int, list[tuple[object, ...]]] = {}
    for block, *rest in rows(
        folder, "SELECT block, treatment, round, metric, value, count FROM observations ORDER BY 1, 2, 3, 4, 5"
    ):
        blocks.setdefault(block, []).append(tuple(rest))
    for seen in blocks.values():
        assert len({row[:3] for row in seen}) == len(seen)  # nothing is counted twice
    return blocks


@pytest.mark.parametrize(
    ("seed", "kills"),
    [
        pytest.param(2, 3, marks=pytest.mark.more),
        *(pytest.param(100 + seed, 5, marks=pytest.mark.full) for seed in range(10)),
    ],
)
def test_a_run_killed_at_random_instants_and_resumed_loses_nothing(tmp_path, seed, kills):
    generator = random.Random(seed)
    blocks = max(6, 4 * kills)  # more than are finished before the last kill: each must meet a session at work
    words: tuple[str, ...] = (*RUN, "--blocks", str(blocks))
    before: dict[int, list[tuple[object, ...]]] = {}
    for _ in range(kills):
        killed_session(tmp_path, words, generator)
        if holds_a_run(tmp_path):
            words = ("resume", "r.sectax")
            after = observations(tmp_path)
            assert before.items() <= after.items()  # no finished block was lost or changed
            before = after
        else:
            assert words[0] == "run"
            (tmp_path / "r.sectax").unlink(missing_ok=True)  # as sectax says where nothing was recorded
    last = sectax(*words, folder=tmp_path)

    assert last.status == 0, last.err
    assert finished_blocks(tmp_path) == blocks
    assert before.items() <= observations(tmp_path).items()


@pytest.mark.more
def test_a_run_is_not_resumed_in_another_environment(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    words = ("--baseline", "true", "--treatment", f"own={program}", "--out", "r.sectax", "--blocks", "400")
    interrupted(tmp_path, signal.SIGINT, 1, "run", "command", *words)
    program.write_text("#!/bin/sh\n# another program\nexit 0\n")

    result = sectax("resume", "r.sectax", folder=tmp_path)

    assert result.status == 2
    assert "command.own" in result.err


@pytest.mark.more
@needs("mounts")
def test_a_full_disk_costs_nothing_that_was_measured(tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(small)], check=True)
    try:
        said = run(small, "--blocks", "400")
        assert said.status == 3
        assert said.out
        result = sectax("show", str(small / "r.sectax"), folder=tmp_path)
        assert result.status == 0
        assert result.out
    finally:
        subprocess.run(["umount", str(small)], check=True)
