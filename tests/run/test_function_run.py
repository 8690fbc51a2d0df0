"""Whole runs of real functions in real sandboxes, through the program: measured, interrupted, killed, audited."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.experiments.on_lambda.functions import needs_sandbox
from tests.hosts.processes import eventually, is_running, running_with
from tests.needs import needs
from tests.program import PROGRAM, sectax
from tests.run.sessions import begin, rows, verdicts

pytestmark = needs_sandbox

SLEEPS = """
import os, time
def lambda_handler(event, context):
    time.sleep({seconds})
    return {{"echo": event["say"]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, seconds in (("fast", 0.01), ("slow", 0.02)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lambda_function.py").write_text(SLEEPS.format(seconds=seconds))
    (tmp_path / "event.json").write_text('{"say": "hello"}')
    (tmp_path / "answer.json").write_text('{"echo": "hello"}')
    return tmp_path


def words(*more: str) -> list[str]:
    functions = ["--baseline", "fast", "--treatment", "slow=slow", "--event", "event.json", "--expect", "answer.json"]
    return ["run", "function", *functions, "--level", "memory=1769", "--out", "r.sectax", *more]


@pytest.mark.more
def test_functions_are_measured_under_the_limits_that_were_declared(folder):
    (folder / "broken").mkdir()
    (folder / "broken" / "lambda_function.py").write_text("def lambda_handler(event, context):\n    return 0\n")

    result = sectax(*words("--blocks", "6", "--treatment", "broken=broken", "--json"), folder=folder)

    document = json.loads(result.out)
    assert result.status == 0, result.err
    # Real time: which verdict it is depends on the machine.
    assert verdicts(document, "primary")["1769/back-to-back/slow"] != "not-measured"
    assert verdicts(document, "primary")["1769/back-to-back/broken"] == "not-measured"
    assert {failure["treatment"] for failure in document["failures"]} == {"1769/back-to-back/broken"}
    metrics = {finding["metric"] for finding in document["findings"]}
    assert metrics == {"duration", "cpu_time", "mean_duration", "first", "max_memory_used"}
    witnessed: dict[str, set[str]] = {}
    for name, value in rows(folder, "SELECT witness, value FROM witnesses"):
        witnessed.setdefault(name, set()).add(str(value))
    assert witnessed["memory_mb"] == {"1769"}
    assert witnessed["memory_limit_mb"] == {"1769.0"}
    assert {float(item) for item in witnessed["cpu_quota"]} == {1.0}


@pytest.mark.more
@needs("mounts")
def test_where_there_are_no_control_groups_every_treatment_is_skipped_with_the_reason(folder):
    result = subprocess.run(
        ["unshare", "-m", "sh", "-c", 'umount -R -l /sys/fs/cgroup && exec "$@"', "sh", *PROGRAM, *words()],
        cwd=folder,
        capture_output=True,
        text=True,
    )

    assert result.returncode == 3
    assert "control groups" in result.stderr
    assert "sectax setup" not in result.stderr  # which cannot change that
    assert not (folder / "r.sectax").exists()


@pytest.mark.more
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_takes_its_server_and_instances_with_it(folder, number):
    mark = folder / "mark"  # in the environment of whatever the run starts
    process = begin(folder, *words(), MARK=str(mark))
    sandboxes: list[int] = []
    # By one look, as an instance may end between two; of the server, not of the check before the run.
    assert eventually(lambda: sandboxes.extend(below(servers(str(mark), "serve"))) or sandboxes)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)

    assert sandboxes
    assert eventually(lambda: not [*filter(is_running, sandboxes), *servers(str(mark))])
    assert process.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL), err


def servers(mark: str, *words: str) -> list[int]:
    return running_with("lambda_local", *words, environment=mark)


def below(parents: list[int]) -> list[int]:
    found = []
    for pid in parents:
        try:
            lists = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
        except OSError:
            continue
        found += [int(child) for text in lists for child in text.split()]
    return found
