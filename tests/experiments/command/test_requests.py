"""What is said to a launcher and understood of it, without one."""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.experiments.command import requests
from sectax.experiments.command.requests import Done, Execution, HookStatus, Late, LauncherRefused


@given(st.lists(st.text(st.characters(exclude_characters="\0", codec="utf-8"))))
def test_any_words_make_one_line_of_plain_words(argv: list[str]) -> None:
    line = requests.program(1, "/dev/null", requests.truncated("/dev/null"), "-", "/bin/true", argv)

    words = line.decode("ascii").split()
    assert line.count(b"\n") == 1
    assert [bytes.fromhex(word[1:]).decode() for word in words[6:]] == argv


def test_executions_are_read_in_seconds_and_bytes() -> None:
    done = requests.read_done(b"done 1500000,400,600,1024,3,4,9,0 2500000,1,2,2048,5,6,768,1\n")

    assert done == Done(
        (
            # A death by a signal is a negative status.
            Execution(pytest.approx(0.0015), pytest.approx(0.001), 1024 * 1024, 3, 4, -9, False, pytest.approx(6e-4)),
            Execution(pytest.approx(0.0025), pytest.approx(3e-6), 2048 * 1024, 5, 6, 3, True, pytest.approx(2e-6)),
        ),
        None,
    )


@pytest.mark.parametrize(
    ("word", "end"),
    [
        ("late:1", Late(1)),
        ("refused:1:program:2", LauncherRefused(1, "program", errno.ENOENT)),
        ("status:0:256", HookStatus(0, 1)),
    ],
)
def test_an_end_before_the_last_execution_is_understood(word: str, end: object) -> None:
    done = requests.read_done(f"done 1,0,0,0,0,0,0,0 {word}\n".encode())

    assert len(done.executions) == 1
    assert done.end == end


HELLOS = [b"launcher 2 20 25\n", b"hello\n", b"\xff\n", b"probe 1 2 3\n"]
DONES = [b"", b"error no such slot\n", b"done 1,2\n", b"done late:x\n", b"done gone:1\n"]


@pytest.mark.parametrize(
    ("read", "line"), [(requests.read_hello, line) for line in HELLOS] + [(requests.read_done, line) for line in DONES]
)
def test_anything_else_is_refused(read: Callable[[bytes], object], line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any, as the caller takes them all
        read(line)
