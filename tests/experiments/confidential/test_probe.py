"""Our own probe: what it prints is read strictly, it really does its work, and it leaves alone what it cannot do."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.experiments.confidential import probe
from sectax.experiments.confidential.output import UnknownOutput
from sectax.experiments.confidential.subject import SysbenchSpec
from sectax.experiments.confidential.sysbench_tests import PROBE_TESTS
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work
from tests.experiments.subjects import measured, subject_of
from tests.machines import plan_of
from tests.needs import needs

needs_probe = needs("cc")


def ask(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([probe.built(), *words], capture_output=True, text=True, timeout=60)


@needs_probe
@pytest.mark.parametrize("name", [test.name for test in PROBE_TESTS])
def test_every_test_does_its_operations_and_leaves_nothing_behind(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    reading = probe.read_test(ask(name, "200", "1048576").stdout, name, 200)

    assert 0 < reading.total_s < 60
    assert reading.cpu_s is not None
    assert [*tmp_path.iterdir()] == []


@needs_probe
def test_fifty_times_as_many_operations_use_more_cpu_time():
    few, many = (
        min(probe.read_test(ask("syscalls", str(count), "1").stdout, "syscalls", count).cpu_s or 0.0 for _ in range(3))
        for count in (20_000, 1_000_000)
    )

    assert many > 5 * few > 0


@needs_probe
def test_a_program_under_the_probe_keeps_its_output_and_its_exit_status():
    answer = ask("run", "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; echo done; exit 7")

    output, cpu_s, steal_s = probe.read_run(answer.stdout)

    assert (output, answer.returncode) == ("done\n", 7)
    assert 0 < cpu_s < 60
    assert steal_s is None or steal_s >= 0


@needs_probe
def test_a_test_that_cannot_be_done_is_no_figure(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()

    result = subprocess.run(
        ["sh", "-c", 'rmdir "$PWD"; exec "$0" fsync 1 1', probe.built()], cwd=folder, capture_output=True, text=True
    )

    assert result.returncode == 3
    assert result.stdout == ""
    assert result.stderr.startswith("open: ")


@needs_probe
def test_a_visit_counts_its_cpu_time_and_its_operations():
    time, cpu = measured(SysbenchSpec("local", "syscalls"), Work(count=100_000))[1].observations

    assert (time.count, cpu.count) == (100_000, 100_000)
    assert 0 < cpu.value < 3 * time.value + 0.01


def test_gvisor_is_warm_before_anything_of_it_counts():
    hosts = {"host": ("plain=local", "gvisor=oci:runsc")}

    plan = plan_of("confidential", "quick", {"test": ("syscalls",)}, hosts)

    assert plan.warms_up
    assert plan.settles


@needs_probe
def test_the_probe_stays_alive_between_visits():
    with subject_of(SysbenchSpec("local", "memory-latency", block=2**20)) as subject:
        subject.open()
        children = Path(f"/proc/{subject._child.pid}/task/{subject._child.pid}/children")
        (there,) = children.read_text().split()

        assert [subject.visit(Work(count)).observations[0].count for count in (10, 1000, 1)] == [10, 1000, 1]
        assert children.read_text().split() == [there]
        os.kill(int(there), signal.SIGKILL)
        with pytest.raises(SubjectFailed):
            subject.visit(Work(10))


GOOD = "sectax-probe 1 syscalls 10 1200 900\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "0 times"),
        (GOOD + GOOD, "2 times"),
        (GOOD.replace("probe 1", "probe 2"), "0 times"),
        (GOOD.replace("10 1200", "9 1200"), "9 operations of syscalls"),
        (GOOD.replace("syscalls", "fsync"), "10 operations of fsync"),
        (GOOD.replace("1200", "-1200"), "0 times"),
    ],
)
def test_what_is_not_a_result_is_refused(text, words):
    with pytest.raises(UnknownOutput, match=words):
        probe.read_test(text, "syscalls", 10)


def test_a_result_is_in_seconds():
    reading = probe.read_test(f"warming up\n{GOOD}", "syscalls", 10)

    assert reading.total_s == pytest.approx(1.2e-6)
    assert reading.cpu_s == pytest.approx(0.9e-6)


@given(st.text(max_size=200))
def test_nonsense_is_refused(text):
    with pytest.raises(UnknownOutput):
        probe.read_test(text, "syscalls", 10)
    with pytest.raises(UnknownOutput):
        probe.read_run(text)


def test_cpuid_is_read_leaf_by_leaf():
    leaves = probe.read_cpuid("00000000 00000020 756e6547 6c65746e 49656e69\nnonsense\n80000000 8 0 0 0\n")

    assert leaves == {0: (0x20, 0x756E6547, 0x6C65746E, 0x49656E69)}
