"""sysbench as a subject: the real one, and programs of its name that hang, fail, lie or are not there."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sectax.experiments.confidential import probe
from sectax.experiments.confidential.circuit_breaker import CIRCUIT_BREAKER
from sectax.experiments.confidential.subject import SysbenchSpec
from sectax.experiments.confidential.sysbench_tests import TESTS
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work
from tests.experiments.subjects import measured, subject_of
from tests.hosts.processes import eventually
from tests.machines import plan_of
from tests.needs import needs

GOLDEN = Path(__file__).with_name("golden") / "mutex-1.0.20.txt"
needs_sysbench = needs("sysbench")


@pytest.fixture(autouse=True)
def _reset_circuit_breaker():
    CIRCUIT_BREAKER.answered(*list(CIRCUIT_BREAKER._hangs))
    yield
    CIRCUIT_BREAKER.answered(*list(CIRCUIT_BREAKER._hangs))


def pretend(folder: Path, monkeypatch, body: str, version: str = "sysbench 1.0.20") -> None:
    """Put a program of this name first on PATH; `$golden` is a real output of two events."""
    script = folder / "sysbench"
    asked = f"if [ \"$1\" = --version ]; then printf '{version}\\n'; exit; fi"
    script.write_text(f"#!/bin/sh\n{asked}\ngolden={GOLDEN}\n{body}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def left_by(subject) -> list[Path]:
    return [*Path("/var/tmp").glob(f"{subject._mark}*")]


@needs_sysbench
@needs("cc")
@pytest.mark.parametrize("test", sorted(TESTS))
def test_every_test_of_sysbench_does_as_many_operations_as_it_is_asked(test):
    with subject_of(SysbenchSpec("local", test, block=2**20)) as subject:
        witnesses = subject.open()
        visit = subject.visit(Work(count=3, extra=1))
        subject.close()

    time, *cpu = visit.observations
    assert time.count == 3
    assert time.clock == TESTS[test].program
    assert 0 <= time.value < 60
    assert all(observation.metric == "cpu_time" and 0 <= observation.value < 60 for observation in cpu)
    assert bool(cpu) == (probe.built() is not None)
    assert witnesses["tool"].startswith(("sysbench 1.0.", "sectax-probe 1 "))
    assert witnesses["kernel"] == os.uname().release
    assert left_by(subject) == []


@needs_sysbench
def test_more_operations_take_longer_by_the_clock_of_sysbench():
    with subject_of(SysbenchSpec("local", "sysbench-cpu")) as subject:
        subject.open()
        few, many = (subject.visit(Work(count)).observations[0].value for count in (20, 400))

    assert many > 4 * few


def test_files_of_a_shell_that_was_killed_are_removed_by_the_next_one():
    killed, other = (SysbenchSpec("local", "sysbench-cpu").subject() for _ in range(2))
    killed.start()
    assert eventually(lambda: [*Path("/var/tmp").glob(f"{killed._mark}-*/.shell")])
    killed._child.kill()
    left = left_by(killed)

    other.start()
    other._ask("env")
    there = left_by(other)
    other.kill()

    assert len(left) == len(there) == 1
    assert left_by(killed) == left_by(other) == []


@pytest.mark.more
@pytest.mark.parametrize("status", ["9" * 5000, "", "-1", "0x0"])
def test_a_host_that_lies_about_an_exit_status_is_not_believed(tmp_path, monkeypatch, status):
    # It knows the mark that ends an answer: its shell was started with it.
    shell = '/proc/$(cut -d " " -f 4 "/proc/$PPID/stat")/cmdline'
    liar = f'mark=$(tr "\\0" "\\n" <"{shell}" | grep -a "^sectax-"); echo; echo "$mark {status}"'
    pretend(tmp_path, monkeypatch, liar)

    with pytest.raises(SubjectFailed):
        SysbenchSpec("local", "sysbench-mutex").subject().open()


@pytest.mark.more
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sed s/1.0.20/1.1.0/ $golden", r"sysbench 1\.1\.0"),
        ('sed "s/events:  .*2$/events:                     1/" $golden', "1 of 2 events"),
        ("head -n 5 $golden", "0 times"),
        ("kill -9 $PPID", "probe"),
        ('kill -9 "$(cut -d " " -f 4 "/proc/$PPID/stat")"', "shell"),
        ("yes", "prints"),
        ("head -c 100000 /dev/zero", "line break"),
        ("exit 0", "0 times"),
        ("sed 's/total time: .*/total time:                          999999999.9999s/' $golden", r"1e\+09 s"),
        ("echo 'FATAL: Failed to write file! errno = 28 (No space left on device)'", "No space left on device"),
    ],
)
def test_a_sysbench_that_fails_or_lies_gives_no_figure(tmp_path, monkeypatch, body, words):
    pretend(tmp_path, monkeypatch, body)
    subject = SysbenchSpec("local", "sysbench-mutex").subject()

    with pytest.raises(SubjectFailed, match=words) as caught:
        subject.open()

    assert "sysbench mutex" in caught.value.hint
    assert caught.value.stage == "open"
    assert left_by(subject) == []


@pytest.mark.more
def test_a_sysbench_that_hangs_costs_its_own_time_and_no_more(tmp_path, monkeypatch):
    pretend(tmp_path, monkeypatch, "sleep 1000")
    monkeypatch.setattr("sectax.experiments.confidential.subject._GRACE_S", 0.5)

    def waited_s(test: str = "sysbench-mutex") -> float:
        began = time.monotonic()
        subject = SysbenchSpec("local", test, longest_s=1).subject()
        with pytest.raises(SubjectFailed):
            subject.open()
        assert left_by(subject) == []
        return time.monotonic() - began

    hung_s = waited_s()
    assert 1 < hung_s < 60
    assert waited_s() > 1  # once may have been an accident
    assert waited_s() < max(1.0, hung_s / 2)
    assert waited_s("sysbench-threads") > 1  # the host itself is alive


@needs("cc")
def test_the_environment_of_a_test_is_named_and_nothing_else_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.setenv("A_VARIABLE_OF_OURS", "x" * 1000)
    witnesses, _, _ = measured(SysbenchSpec("local", "syscalls"), Work(1))

    names = sorted(part.partition("=")[0] for part in str(witnesses["environment"]).split(", "))
    assert names == ["LC_ALL", "PATH"]


def test_hosts_with_other_environments_do_unequal_work() -> None:
    plan = plan_of("confidential", "quick", {}, {"host": ("a=local", "b=local")})

    assert "environment" in plan.equal_witnesses
