"""What is counted beside the times: by programs that others wrote, of which these tests need none."""

import os
from pathlib import Path

import pytest

from sectax.experiments.command.counting import COUNTERS, count_execution, counters, working_counter
from sectax.model.errors import WrongUse
from sectax.model.subject import Witnesses

PERF = "# started on Mon Nov 23\n\n{},,instructions:u,403000,100.00,,\n"
CACHEGRIND = "==7== \n==7== I   refs:      {}\n"
STRACE = """\
% time     seconds  usecs/call     calls    errors syscall
 60.00    0.000030           1        20           mmap
------ ----------- ----------- --------- --------- ----------------
100.00    0.000050           1        {}         3 total
"""


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("instructions", PERF.format(128_405), 128_405),
        ("instructions", PERF.format("<not supported>"), None),
        # One file for each process: a shell and what it starts are one execution.
        ("instructions=cachegrind", CACHEGRIND.format("1,200") + CACHEGRIND.format("34"), 1_234),
        ("system_calls", STRACE.format(31), 31),
        ("allocations", "==7==   total heap usage: 1,002 allocs, 1,000 frees, 9 bytes allocated\n", 1_002),
        ("allocations", "", None),
    ],
)
def test_a_count_is_read_from_what_its_program_wrote(name: str, text: str, count: int | None) -> None:
    assert COUNTERS[name].read(text) == count


def test_of_one_figure_there_is_one_count() -> None:
    for names in (("instructions", "instructions=cachegrind"), ("syscalls",)):
        with pytest.raises(WrongUse):
            counters(names)


@pytest.fixture
def strace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Takes the place of strace: its count is the number of lines in a file, to which each execution adds one."""
    fake = tmp_path / "bin" / "strace"
    fake.parent.mkdir()
    fake.write_text('#!/bin/sh\nshift 3\necho "100.00 0.1 1 $(wc -l < lines) total" > "$1"\nshift\nexec "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    (tmp_path / "lines").write_text("")
    return tmp_path


def count(folder: Path, *argv: str, prepare: tuple[str, ...] | None = None) -> Witnesses:
    counter = COUNTERS["system_calls"]
    return count_execution(counter, argv, cwd=str(folder), input=os.devnull, deadline_s=10, prepare=prepare)


@pytest.mark.parametrize("command", ["true", "false"])
def test_a_count_that_is_always_the_same_is_one_number_even_where_the_command_fails(strace: Path, command: str) -> None:
    assert count(strace, command) == {"system_calls": 0}


def test_a_count_that_varies_has_its_ends(strace: Path) -> None:
    more = ("/bin/sh", "-c", "echo >> lines")

    assert count(strace, "true", prepare=more) == {"system_calls": 1, "system_calls_most": 3}


def test_a_tool_that_is_missing_or_silent_is_a_reason(strace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (strace / "bin" / "strace").write_text("#!/bin/sh\nexit 1\n")
    assert count(strace, "true").keys() == {"system_calls_missing"}
    monkeypatch.setenv("PATH", "/nowhere")
    assert "strace" in str(count(strace, "true")["system_calls_missing"])


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


PERF_WITHOUT_COUNTERS = 'echo "<not supported>,,instructions:u,0,100.00,," > "$7"'
VALGRIND = """for word; do case $word in --log-file=*) out=${word#--log-file=};; esac; done
echo "I refs: 1,234" > "${out%.%p}.1\""""


def test_where_perf_cannot_count_cachegrind_does_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path, "perf", PERF_WITHOUT_COUNTERS)
    wanted = COUNTERS["instructions"]
    assert working_counter(wanted, str(tmp_path)) == (wanted, {})  # neither works: the reason is perf's

    program(tmp_path, "valgrind", VALGRIND)
    counter, said = working_counter(wanted, str(tmp_path))
    assert counter == COUNTERS["instructions=cachegrind"]
    assert said == {"instructions_counted_by": "cachegrind (perf: not supported by this machine or kernel)"}

    program(tmp_path, "perf", PERF_WITHOUT_COUNTERS.replace("<not supported>", "99"))
    assert working_counter(wanted, str(tmp_path)) == (wanted, {})
