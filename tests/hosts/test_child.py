"""A child is talked to line by line, within deadlines, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sectax.hosts.process.child import STDERR_TAIL, Child
from sectax.hosts.process.errors import ChildDied, ChildFlooded, ChildNotStarted, ChildSilent, describe_exit
from tests.hosts.processes import is_running, soon, wait_until_gone


def python(program: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-E", "-c", program]


@pytest.fixture
def echo() -> Iterator[Child]:
    with Child(["cat"]) as child:
        yield child


@pytest.fixture(params=["pidfd", "no pidfd"])
def either_kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "no pidfd":

        def _fail(pid: int) -> int:
            raise OSError(38, "Function not implemented")

        monkeypatch.setattr(os, "pidfd_open", _fail)


def test_lines_come_back_and_those_that_come_together_are_taken_one_by_one(echo: Child) -> None:
    echo.send(b"one\n\ntwo\nthr", soon())

    assert [echo.receive_line(soon()) for _ in range(3)] == [b"one\n", b"\n", b"two\n"]
    echo.send(b"ee\n", soon())
    assert echo.receive_line(soon()) == b"three\n"


def test_a_line_of_megabytes_goes_both_ways_without_deadlock(echo: Child) -> None:
    # cat answers while it is still written to: whoever only writes would wait for ever.
    line = b"x" * (8 * 1024 * 1024) + b"\n"
    echo.send(line, soon(20))

    assert echo.receive_line(soon(20)) == line


def test_silence_is_noticed_at_the_deadline_and_half_a_line_is_no_line(echo: Child) -> None:
    echo.send(b"half", soon())
    began = time.monotonic()
    with pytest.raises(ChildSilent) as caught:
        echo.receive_line(began + 0.5)

    assert 0.5 <= time.monotonic() - began < 30
    assert 0 < caught.value.seconds <= 0.5  # what was left of it when the waiting began
    echo.send(b" whole\n", soon())
    assert echo.receive_line(soon()) == b"half whole\n"


def test_a_child_that_does_not_read_is_noticed_at_the_deadline() -> None:
    with Child(["sleep", "60"]) as child, pytest.raises(ChildSilent):
        child.send(b"x" * 1_000_000, soon(0.05))


def test_a_line_that_came_in_time_is_taken_though_sectax_was_late() -> None:
    with Child(["sh", "-c", "echo in time; sleep 60"]) as child:
        time.sleep(0.5)

        assert child.receive_line(soon(-0.01)) == b"in time\n"


def death(script: str, seconds: float = 60.0) -> ChildDied:
    with Child(["sh", "-c", script]) as child, pytest.raises(ChildDied) as caught:
        child.receive_line(soon(seconds))
    return caught.value


@pytest.mark.usefixtures("either_kernel")
def test_a_death_has_its_exit_status_and_last_words() -> None:
    died = death("echo out of cheese >&2; exit 3")

    assert (died.exit_status, died.stderr_tail, died.out_of_memory) == (3, b"out of cheese\n", False)
    assert str(died) == "exit status 3"


def test_what_a_dead_child_has_written_is_still_read() -> None:
    with Child(["sh", "-c", "echo last; echo words; exit 1"]) as child:
        time.sleep(0.05)

        assert child.receive_line(soon()) == b"last\n"
        assert child.receive_line(soon()) == b"words\n"
        with pytest.raises(ChildDied):
            child.receive_line(soon())


@pytest.mark.usefixtures("either_kernel")
@pytest.mark.parametrize(("script", "status"), [("sleep 60 & exit 4", 4), ("exec >&-; sleep 60", None)])
def test_a_death_is_noticed_though_a_grandchild_holds_the_pipes_and_a_closed_stdout_is_one(script, status) -> None:
    assert death(script, 0.3).exit_status == status


def test_writing_to_a_dead_child_reports_its_death() -> None:
    with Child(["sh", "-c", "exit 5"]) as child:
        time.sleep(0.05)
        with pytest.raises(ChildDied) as caught:
            child.send(b"hello\n", soon())

    assert caught.value.exit_status == 5


def test_a_flood_ends_at_the_limit() -> None:
    flood = python("import sys\nwhile True: sys.stdout.write('x' * 65536)")
    with Child(flood, line_limit=200_000) as child, pytest.raises(ChildFlooded) as caught:
        child.receive_line(soon())

    assert 200_000 < caught.value.bytes <= 200_000 + 64 * 1024


def test_a_flood_of_lines_is_read_no_further_than_asked() -> None:
    with Child(["yes"]) as child:
        assert child.receive_line(soon()) == b"y\n"
        time.sleep(0.02)
        assert child.receive_line(soon()) == b"y\n"
        assert len(child.unread) <= 64 * 1024


def test_megabytes_on_stderr_never_block_and_the_tail_is_kept() -> None:
    noisy = """
import sys
for line in sys.stdin:
    sys.stderr.write('n' * 4_000_000 + 'the end')
    sys.stderr.flush()
    print('done', flush=True)
"""
    with Child(python(noisy)) as child:
        for _ in range(2):
            child.send(b"go\n", soon())
            assert child.receive_line(soon()) == b"done\n"
        child.close(5)

        assert len(child.stderr_tail) == STDERR_TAIL
        assert child.stderr_tail.endswith(b"nthe end")


def test_stderr_without_end_does_not_outlast_the_deadline() -> None:
    with Child(python("import sys\nwhile True: sys.stderr.write('x' * 65536)")) as child, pytest.raises(ChildSilent):
        child.receive_line(soon(0.1))


FLUSHES = "import sys\nsys.stdin.read()\nsys.stdout.write('x' * 1_000_000)\nsys.exit(7)"


@pytest.mark.usefixtures("either_kernel")
@pytest.mark.parametrize(("argv", "status"), [(["sh", "-c", "cat >/dev/null; exit 6"], 6), (python(FLUSHES), 7)])
def test_close_gives_the_exit_status_and_reads_away_what_would_block_the_end(argv: list[str], status: int) -> None:
    with Child(argv) as child:
        assert child.close(grace=5) == status


def test_close_kills_a_child_that_stays() -> None:
    with Child(["sleep", "60"]) as child:
        assert child.close(grace=0.05) == -signal.SIGKILL
    assert not is_running(child.pid)


@pytest.mark.usefixtures("either_kernel")
def test_waiting_for_a_child_that_stays_ends_at_the_deadline() -> None:
    with Child(["sleep", "60"]) as child, pytest.raises(ChildSilent):
        child.wait(soon(0.05))


@pytest.mark.parametrize("orderly", [True, False])
def test_a_grandchild_survives_neither_an_orderly_end_nor_that_of_the_context(orderly: bool) -> None:
    with Child(["sh", "-c", f"sleep 60 & echo $!; {'read line' if orderly else 'wait'}"]) as child:
        grandchild = int(child.receive_line(soon()))
        assert is_running(grandchild)
        if orderly:
            child.close(grace=5)
            assert wait_until_gone(grandchild)

    assert wait_until_gone(grandchild)
    assert not is_running(child.pid)


def test_killing_twice_is_harmless_and_opens_leak_nowhere() -> None:
    open_before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        child = Child(["cat"])
        child.kill()
        child.kill()
        with pytest.raises(ChildDied):
            child.send(b"hello\n", soon())
        with pytest.raises(ChildDied):
            child.receive_line(soon())
        assert child.close(1) == -signal.SIGKILL
    assert len(os.listdir("/proc/self/fd")) <= open_before + 1  # the guardian's pipe, where it is new


@pytest.mark.parametrize(
    ("argv", "cwd", "reason"),
    [
        (["no-such-program-anywhere"], None, "command not found"),
        (["cat"], "/no/such/folder", "/no/such/folder"),
        (["/etc"], None, "Permission denied"),
        (["cat\0"], None, "null byte"),
        ([], None, "no command"),
    ],
)
def test_a_program_that_cannot_start_says_why(argv: list[str], cwd: str | None, reason: str) -> None:
    with pytest.raises(ChildNotStarted) as caught:
        Child(argv, cwd=cwd)
    assert reason in caught.value.reason


def test_it_runs_where_and_with_what_it_was_given(tmp_path: Path) -> None:
    with Child(["/bin/sh", "-c", "echo $PWD $COLOUR"], cwd=tmp_path, env={"COLOUR": "blue"}) as child:
        assert child.receive_line(soon()).decode().split() == [str(tmp_path), "blue"]


def test_ctrl_c_is_not_for_the_child(echo: Child) -> None:
    assert os.getsid(echo.pid) == os.getpgid(echo.pid) == echo.pid


@pytest.mark.parametrize(
    ("status", "out_of_memory", "words"),
    [
        (0, False, "exit status 0"),
        (137, True, "exit status 137, killed for memory"),
        (-9, True, "exit status 137, killed for memory"),
        (-9, False, "exit status 137, killed by SIGKILL"),
        (-40, False, "exit status 168, killed by signal 40"),
    ],
)
def test_an_exit_status_is_reported_as_a_shell_numbers_it(status: int, out_of_memory: bool, words: str) -> None:
    assert describe_exit(status, out_of_memory) == words


def test_a_child_that_ends_itself_and_is_killed_leaves_nothing_of_its_session() -> None:
    starts = "import os, subprocess as s; p = s.Popen(['sleep', '60'], preexec_fn=os.setpgrp)"
    with Child(python(f"{starts}; print(p.pid, flush=True); p.wait()"), ends_itself=True) as child:
        in_a_group_of_its_own = int(child.receive_line(soon()))
        assert os.getpgid(in_a_group_of_its_own) != child.pid

        child.kill()

        assert wait_until_gone(in_a_group_of_its_own)
