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
from contextlib import closing
from pathlib import Path

import pytest

from tests.needs import needs
from tests.program import PROGRAM, sectax

# Two programs of a few milliseconds whose costs differ by much more than any margin.
SLEEPS = ("--baseline", "sleep 0.002", "--treatment", "slow=sleep 0.012")


def run(folder: Path, *more: str, simulated: int | None = 1):
    return sectax(
        "run", "command", *SLEEPS, "--out", "r.sectax", "--seed", "1", *more, folder=folder, simulated=simulated
    )


def begin(folder: Path, *more: str) -> subprocess.Popen[str]:
    """The same in real time and in the background, to be interrupted."""
    return subprocess.Popen(
        [*PROGRAM, "run", "command", *SLEEPS, "--out", "r.sectax", *more],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )


def wait_for_block(folder: Path, process: subprocess.Popen[str], blocks: int) -> None:
    deadline = time.monotonic() + 60
    while finished_blocks(folder) < blocks:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def finished_blocks(folder: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{folder / 'r.sectax'}?mode=ro", uri=True)) as db:
            return db.execute("SELECT count(*) FROM block WHERE state = 'finished' AND number > 0").fetchone()[0]
    except sqlite3.Error:
        return 0


def test_a_cost_that_is_there_is_found_and_reported_in_words_and_in_json(tmp_path):
    said = run(tmp_path, "--json")

    document = json.loads(said.out)
    primary = [finding for finding in document["findings"] if finding["standing"] == "primary"]
    assert said.status == 0
    assert [finding["verdict"]["id"] for finding in primary] == ["slower-material"]
    result = sectax("show", "r.sectax", "--json", folder=tmp_path)
    assert result.status == 0
    assert json.loads(result.out)["findings"] == document["findings"]


def test_one_arm_that_fails_is_a_failed_treatment_with_its_reason_and_the_others_are_measured(tmp_path):
    result = run(tmp_path, "--treatment", "broken=false", "--json")

    document = json.loads(result.out)
    verdicts = {
        finding["treatment"]: finding["verdict"]["id"]
        for finding in document["findings"]
        if finding["standing"] == "primary"
    }
    assert result.status == 0
    assert verdicts == {"all/slow": "slower-material", "all/broken": "not-measured"}
    assert {failure["treatment"] for failure in document["failures"]} == {"all/broken"}


def test_where_the_baseline_fails_nothing_is_measured_and_the_status_says_so(tmp_path):
    result = sectax(
        "run", "command", "--baseline", "false", "--treatment", "a=true", "--out", "r.sectax", folder=tmp_path
    )

    assert result.status == 3
    assert "baseline failed" in result.err


def test_a_cleanup_that_fails_is_reported_after_the_results_and_costs_none_of_them(tmp_path):
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
def test_ctrl_c_keeps_what_was_measured_prints_it_and_says_how_to_go_on(tmp_path):
    process = begin(tmp_path, "--blocks", "400")
    wait_for_block(tmp_path, process, 7)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "sectax resume r.sectax" in err
    assert out
    assert finished_blocks(tmp_path) >= 7


@pytest.mark.more
def test_an_interrupted_run_is_resumed_where_it_was_and_a_finished_one_is_left_alone(tmp_path):
    process = begin(tmp_path, "--blocks", "12")
    wait_for_block(tmp_path, process, 2)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 130

    resumed = sectax("resume", "r.sectax", folder=tmp_path)
    again = sectax("resume", "r.sectax", folder=tmp_path)

    assert resumed.status == again.status == 0
    assert finished_blocks(tmp_path) == 12


@pytest.mark.more
def test_a_resumed_run_goes_on_for_its_own_budget(tmp_path):
    process = begin(tmp_path, "--until", "budget", "--budget", "1h")
    wait_for_block(tmp_path, process, 7)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    before = finished_blocks(tmp_path)

    resumed = sectax("resume", "r.sectax", "--budget", "4s", "--json", folder=tmp_path, timeout=120)
    again = sectax("resume", "r.sectax", "--budget", "4s", folder=tmp_path)

    assert resumed.status == 0, resumed.err
    assert json.loads(resumed.out)["run"]["state"] == "finished"
    assert finished_blocks(tmp_path) >= before
    assert again.status == 2


def killed_and_resumed(folder: Path, seed: int, kills: int) -> None:
    """Kill a run at random instants, resuming it in between, and hold the file against itself."""
    generator = random.Random(seed)
    blocks = max(6, 4 * kills)  # more than are finished before the last kill: each must meet a session at work
    words = ["run", "command", *SLEEPS, "--out", "r.sectax", "--blocks", str(blocks)]
    before: dict[int, list[tuple[object, ...]]] = {}
    for _ in range(kills):
        killed_session(folder, words, generator)
        if holds_a_run(folder):
            words = ["resume", "r.sectax"]
            after = finished_rows(folder)
            assert before.items() <= after.items()  # no finished block was lost or changed
            before = after
        else:
            assert words[0] == "run"
            (folder / "r.sectax").unlink(missing_ok=True)  # as sectax bids where nothing was recorded
    last = sectax(*words, folder=folder)
    assert last.status == 0, last.err
    assert finished_blocks(folder) == blocks
    assert before.items() <= finished_rows(folder).items()


def holds_a_run(folder: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"file:{folder / 'r.sectax'}?mode=ro", uri=True)) as db:
            return bool(db.execute("SELECT count(*) FROM run").fetchone()[0])
    except sqlite3.Error:
        return False


def killed_session(folder: Path, words: list[str], generator: random.Random) -> None:
    """Call the program and kill it: on its way to its first block, or in one of those that follow."""
    process = subprocess.Popen(
        [*PROGRAM, *words],
        cwd=folder,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    if generator.random() < 0.5:
        wait_for_block(folder, process, finished_blocks(folder) + 1)
        time.sleep(generator.uniform(0.0, 0.3))
    else:
        time.sleep(generator.uniform(0.0, 1.0))
    process.kill()
    _, err = process.communicate()
    assert process.returncode == -signal.SIGKILL, err


def finished_rows(folder: Path) -> dict[int, list[tuple[object, ...]]]:
    """Block -> all its observations, from the documented view alone."""
    with closing(sqlite3.connect(folder / "r.sectax")) as db:
        rows = db.execute(
            "SELECT block, treatment, round, metric, value, count FROM observations ORDER BY 1, 2, 3, 4, 5"
        )
        blocks: dict[int, list[tuple[object, ...]]] = {}
        for block, *rest in rows:
            blocks.setdefault(block, []).append(tuple(rest))
    for observations in blocks.values():
        assert len({row[:3] for row in observations}) == len(observations)  # nothing is counted twice
    return blocks


@pytest.mark.parametrize(
    ("seed", "kills"),
    [
        pytest.param(2, 3, marks=pytest.mark.more),
        *(pytest.param(100 + seed, 5, marks=pytest.mark.full) for seed in range(10)),
    ],
)
def test_a_run_killed_at_random_instants_and_resumed_loses_nothing(tmp_path, seed, kills):
    killed_and_resumed(tmp_path, seed, kills)


@pytest.mark.more
def test_a_run_is_not_resumed_in_another_environment(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    process = subprocess.Popen(
        [
            *PROGRAM,
            "run",
            "command",
            "--baseline",
            "true",
            "--treatment",
            f"own={program}",
            "--out",
            "r.sectax",
            "--blocks",
            "400",
        ],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for_block(tmp_path, process, 1)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
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
