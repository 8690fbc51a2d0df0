"""What a command is said to cost is what it costs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sectax.experiments.command.launchers import Launcher
from sectax.experiments.command.subject import CommandSpec
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work
from tests.experiments.subjects import values
from tests.hosts.processes import is_running
from tests.needs import needs

from .conftest import Measure, SubjectOf

# -S and -I: an interpreter that does little of its own. Not the venv's: some of those start a second program.
PYTHON = (os.path.realpath(sys.executable), "-I", "-S", "-c")
MIB = 1024 * 1024


def test_sleeping_takes_wall_time_and_no_cpu_time(measure: Measure) -> None:
    _, batch, _ = measure("sleep", "0.02", work=Work(count=3))
    _, visit, _ = measure("sleep", "0.1", work=Work(count=2, each=True))

    assert values(batch.observations, "wall")[0] >= 0.06
    assert all(0.1 <= wall < 10 for wall in values(visit.observations, "wall"))
    assert values(visit.observations, "cpu")[0] < 0.08


def test_cpu_time_is_that_of_the_command_and_what_it_waited_for(measure: Measure) -> None:
    busy = "import time\nwhile time.process_time() < 0.1: pass"

    _, visit, _ = measure("sh", "-c", '"$@"; "$@"', "sh", *PYTHON, busy)

    assert 0.2 <= values(visit.observations, "cpu")[0] < 1


def test_a_batch_is_one_sum_with_its_count_and_single_executions_are_observed_one_by_one(measure: Measure) -> None:
    def observed(**work: int) -> list[tuple[str, str, int]]:
        return [(one.metric, one.unit, one.count) for one in measure("true", work=Work(**work))[1].observations]

    assert observed(count=3) == [("wall", "s", 3), ("cpu", "s", 3), ("peak_memory", "B", 1)]
    times = [("wall", "s", 1), ("cpu", "s", 1)]
    assert sorted(observed(count=4, each=True)) == sorted([*times * 4, ("peak_memory", "B", 1)])


def test_settling_executions_are_run_and_thrown_away(measure: Measure, tmp_path: Path) -> None:
    tally = tmp_path / "tally"

    _, visit, _ = measure("sh", "-c", f"echo >> {tally}", work=Work(count=3, settle=2))

    assert len(tally.read_text()) == 1 + 2 + 3  # with the first one
    assert visit.observations[0].count == 3


def test_the_first_execution_is_observed_by_itself(subject_of: SubjectOf, tmp_path: Path) -> None:
    mark = tmp_path / "warm"
    slow_at_first = f"[ -e {mark} ] || {{ touch {mark}; sleep 0.5; }}"
    subject = subject_of(CommandSpec("it", ("sh", "-c", slow_at_first)))

    subject.open()
    visit = subject.visit(Work(count=1))

    (first,) = subject.first
    assert first.metric == "first"
    assert first.value >= 0.5
    assert values(visit.observations, "wall")[0] < 0.5


def test_peak_memory_is_that_of_the_command(measure: Measure) -> None:
    # Were it the memory of whoever started it, this would be seen in every command.
    ballast = bytearray(300 * MIB)

    # Both above the launcher's own, which a small interpreter alone may lie below.
    _, small, _ = measure(*PYTHON, f"bytearray({20 * MIB})")
    _, large, closed = measure(*PYTHON, f"bytearray({70 * MIB})")

    grown = values(large.observations, "peak_memory")[0] - values(small.observations, "peak_memory")[0]
    assert grown == pytest.approx(50 * MIB, rel=0.05)
    assert values(large.observations, "peak_memory")[0] < 90 * MIB
    assert closed["peak_memory_at_most"] is False
    assert len(ballast) == 300 * MIB


def test_a_peak_at_the_launchers_own_is_marked(measure: Measure) -> None:
    opened, visit, closed = measure("true")

    floor, peak = opened["peak_memory_floor_bytes"], values(visit.observations, "peak_memory")[0]
    assert isinstance(floor, int)
    assert closed["peak_memory_at_most"] is (peak <= floor + 256 * 1024)
    assert floor < (2 * MIB if str(opened["launcher"]).startswith("c") else 16 * MIB)


@needs("cc")
def test_a_program_of_a_fraction_of_a_megabyte_is_seen_as_that_or_as_the_launchers_own(
    measure: Measure, using: Launcher, tmp_path: Path
) -> None:
    """A static program needs 0.7 MiB. Above the floor it is measured, below it is marked as 'at most'."""
    tiny = tmp_path / "tiny"
    subprocess.run(
        ["cc", "-static", "-O2", "-x", "c", "-", "-o", tiny], input=b"int main(void) { return 0; }", check=True
    )

    opened, visit, closed = measure(str(tiny))

    floor, peak = opened["peak_memory_floor_bytes"], values(visit.observations, "peak_memory")[0]
    assert isinstance(floor, int)
    assert peak <= floor + 256 * 1024
    assert closed["peak_memory_at_most"] is True
    assert peak < (1.25 * MIB if using.name.startswith("c") else 16 * MIB)


def test_witnesses_say_how_it_was_timed(measure: Measure) -> None:
    opened, _, _ = measure("true")

    assert str(opened["launcher"]).startswith(("c, ", "python 3."))
    assert str(opened["program"]).endswith("/true")
    assert 0 < float(opened["launch_cost_s"]) < 0.1
    assert 0 < float(opened["clock_granularity_s"]) < 1e-4
    assert 0 <= float(opened["clock_read_s"]) < 1e-4


def test_an_injected_cost_is_seen_in_wall_and_cpu_time(subject_of: SubjectOf) -> None:
    plain = subject_of(CommandSpec("plain", ("true",)))
    injected = subject_of(CommandSpec("injected", ("true",), injected_s=0.005))
    plain.open()
    injected.open()
    cost: dict[str, list[float]] = {"plain wall": [], "plain cpu": [], "injected wall": [], "injected cpu": []}

    for _ in range(6):
        for name, subject in (("plain", plain), ("injected", injected)):
            visit = subject.visit(Work(count=5, each=True))
            for metric in ("wall", "cpu"):
                cost[f"{name} {metric}"] += values(visit.observations, metric)

    # Other work on the machine only ever adds to the wall time, and takes from the CPU time that is spent in it.
    assert min(cost["injected wall"]) >= 0.005
    assert max(cost["injected cpu"]) - min(cost["plain cpu"]) > 0.003
    assert min(cost["injected cpu"]) - min(cost["plain cpu"]) < 0.01


def test_the_preparation_runs_before_every_execution_untimed(measure: Measure, tmp_path: Path) -> None:
    tally = tmp_path / "tally"
    prepare = ("sh", "-c", f"echo prepared >> {tally}; sleep 0.5")

    _, visit, _ = measure("sh", "-c", f"echo executed >> {tally}", prepare=prepare, work=Work(count=1))

    assert tally.read_text().split() == ["prepared", "executed"] * 2
    assert values(visit.observations, "wall")[0] < 0.5


def test_a_conclusion_is_run_after_every_execution_with_what_was_prepared_and_takes_none_of_its_time(
    measure: Measure, tmp_path: Path
) -> None:
    tally, pid = tmp_path / "tally", tmp_path / "pid"
    prepare = ("sh", "-c", f"sleep 100 & echo $! > {pid}")
    conclude = ("sh", "-c", f"kill -0 $(cat {pid}) && echo $WHAT >> {tally}; sleep 0.5")

    _, visit, _ = measure(
        "sh", "-c", f"echo executed >> {tally}", prepare=prepare, conclude=conclude, env={"WHAT": "concluded"}
    )

    assert tally.read_text().split() == ["executed", "concluded"] * 2
    assert values(visit.observations, "wall")[0] < 0.5
    assert values(visit.observations, "cpu")[0] < 0.5


def test_a_conclusion_is_run_even_after_a_failure(subject_of: SubjectOf, tmp_path: Path) -> None:
    spec = CommandSpec("it", ("sh", "-c", "kill -9 $$"), conclude=("touch", str(tmp_path / "concluded")))

    with pytest.raises(SubjectFailed):
        subject_of(spec).open()

    assert (tmp_path / "concluded").exists()


def test_what_the_preparation_started_lives_until_the_execution_has_ended(measure: Measure, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    prepare = ("sh", "-c", f"sleep 100 & echo $! > {pid}")

    measure("sh", "-c", f"kill -0 $(cat {pid})", prepare=prepare)

    assert not is_running(int(pid.read_text()))


def test_what_left_its_session_does_not_outlive_the_execution(measure: Measure, tmp_path: Path) -> None:
    pid, own = tmp_path / "pid", tmp_path / "own"
    prepare = ("sh", "-c", f"setsid sh -c 'setsid sleep 100 & echo $! > {pid}'; test -s {pid}")

    measure("sh", "-c", f"kill -0 $(cat {pid}); setsid sleep 100 & echo $! > {own}", prepare=prepare)

    assert not is_running(int(pid.read_text()))
    assert not is_running(int(own.read_text()))


@pytest.mark.parametrize(
    ("script", "conditions"),
    [
        # Its input is read from the beginning every time, and without one there is nothing to read.
        ('read word; test "$word" = hello', {"input": "input", "work": Work(count=2)}),
        ("! read word", {}),
        # A flood costs nothing and blocks nothing.
        ("yes | head -n 3000000", {"deadline_s": 5.0}),
        ("yes | head -n 3000000 >&2", {"deadline_s": 5.0}),
        # A pipe ends as in a shell: whoever ignores SIGPIPE, as Python does, and hands that on, makes `yes` fail.
        ("{ yes; echo $? >&3; } 3>status 2>/dev/null | head -n 1; test $(cat status) = 141", {}),
    ],
)
def test_a_command_finds_its_surroundings_as_in_a_shell(measure: Measure, tmp_path: Path, script, conditions) -> None:
    (tmp_path / "input").write_text("hello\n")

    measure("sh", "-c", script, cwd=str(tmp_path), **conditions)


def test_other_exit_statuses_are_counted_where_they_are_accepted(measure: Measure, tmp_path: Path) -> None:
    fails_every_other_time = f"[ -e {tmp_path}/odd ] && rm {tmp_path}/odd && exit 3; touch {tmp_path}/odd"

    _, visit, closed = measure("sh", "-c", fails_every_other_time, ignore_failure=True, work=Work(count=5))

    assert visit.observations[0].count == 5
    assert closed["exit_statuses"] == "0, 3"
    assert closed["failed_executions"] == 3


def test_words_arrive_as_they_were_given(measure: Measure, tmp_path: Path) -> None:
    words = ["", " ", "a b", "'\"$\\", "x\ny", "ü€", os.fsdecode(b"\xff")]
    output = tmp_path / "output"

    measure("printf", "%s\\0", *words, output=str(output))

    assert output.read_bytes() == b"".join(os.fsencode(word) + b"\0" for word in words)
