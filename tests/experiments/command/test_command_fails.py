"""A command that fails is said to have failed, with what happened and what to try."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sectax.experiments.command.subject import CommandSpec, CommandSubject
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work
from tests.needs import needs

SubjectOf = Callable[[CommandSpec], CommandSubject]


def failure(subject_of: SubjectOf, *argv: str, **conditions: object) -> SubjectFailed:
    """What opening this command says."""
    with pytest.raises(SubjectFailed) as caught:
        subject_of(CommandSpec("it", argv, **conditions)).open()  # type: ignore[arg-type]
    assert caught.value.hint
    assert caught.value.message.isprintable()
    return caught.value


def test_an_exit_status_other_than_0_is_reported_with_the_last_words(subject_of: SubjectOf) -> None:
    failed = failure(subject_of, "sh", "-c", "echo first >&2; echo 'no \033[31mkey' >&2; exit 3")

    assert failed.message == "command it (sh): exit status 3; last on its stderr: first | no \\x1b[31mkey"
    assert "--ignore-failure" in failed.hint
    assert failed.stage == "open"


def test_a_death_by_a_signal_is_named(subject_of: SubjectOf) -> None:
    failed = failure(subject_of, "sh", "-c", "kill -SEGV $$")

    assert "exit status 139, killed by SIGSEGV" in failed.message


def test_a_failure_that_does_not_come_back_says_so(subject_of: SubjectOf, tmp_path: Path) -> None:
    once = f"[ -e {tmp_path}/mark ] && exit 0; touch {tmp_path}/mark; exit 3"

    failed = failure(subject_of, "sh", "-c", once)

    assert "exit status 3" in failed.message
    assert "run once more to read its stderr, it ended with exit status 0" in failed.message


def test_a_failure_in_the_middle_of_a_visit_ends_it(subject_of: SubjectOf, tmp_path: Path) -> None:
    tally = tmp_path / "tally"
    third_fails = f"echo >> {tally}; [ $(wc -l < {tally}) -ne 3 ]"
    subject = subject_of(CommandSpec("it", ("sh", "-c", third_fails)))
    subject.open()

    with pytest.raises(SubjectFailed, match="exit status 1") as caught:
        subject.visit(Work(count=10))

    assert caught.value.stage == "visit"
    assert len(tally.read_text()) == 3 + 1  # and once more to hear what it says


def test_a_noisy_failure_keeps_the_end(subject_of: SubjectOf) -> None:
    failed = failure(subject_of, "sh", "-c", "yes noise | head -n 500000 >&2; echo the reason >&2; exit 1")

    assert failed.message.endswith("| the reason")
    assert len(failed.message) < 500


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("no-such-program", "was not found on PATH"),
        ("./no-such-program", "was not found"),
        ("./", "is a folder"),
        ("./text", "may not be executed"),
        ("./unreadable", "is no program that this system can run"),
        ("./orphan", "the interpreter that its first line names is not there"),
    ],
)
def test_what_cannot_be_started_is_reported_before_anything_runs(
    subject_of: SubjectOf, tmp_path: Path, program: str, message: str
) -> None:
    (tmp_path / "text").write_text("hello")
    for name, text in (("unreadable", "hello"), ("orphan", "#!/no/such/interpreter\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)

    failed = failure(subject_of, program, cwd=str(tmp_path))

    assert message in failed.message
    assert f"command it ({program})" in failed.message
    assert failed.stage == "open"


def test_a_folder_that_is_not_there_is_named(subject_of: SubjectOf) -> None:
    assert "there is no folder /no/such" in failure(subject_of, "true", cwd="/no/such").message


def test_an_input_and_an_output_that_cannot_be_had_are_named(subject_of: SubjectOf) -> None:
    assert "its input /no/such cannot be read" in failure(subject_of, "true", input="/no/such").message
    assert "its output /no/such/file cannot be written" in failure(subject_of, "true", output="/no/such/file").message


def test_a_word_with_a_nul_is_refused(subject_of: SubjectOf) -> None:
    assert "NUL" in failure(subject_of, "true", "a\0b").message


@pytest.mark.parametrize("script", ["sleep 60", "trap '' TERM INT HUP; sleep 60 & wait; sleep 60"])
def test_a_command_that_hangs_is_killed_at_its_deadline(subject_of: SubjectOf, script: str) -> None:
    began = time.monotonic()

    failed = failure(subject_of, "sh", "-c", script, deadline_s=0.2)

    assert time.monotonic() - began < 20
    assert "was still running after 0.2 s and was killed" in failed.message
    assert "--timeout" in failed.hint


def test_a_hang_is_a_failure_even_where_failures_are_accepted(subject_of: SubjectOf) -> None:
    assert "still running" in failure(subject_of, "sleep", "60", deadline_s=0.1, ignore_failure=True).message


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (("sh", "-c", "echo full >&2; exit 5"), "exit status 5; last on its stderr: full"),
        (("sleep", "60"), "still running"),
        (("no-such-program",), "was not found"),
    ],
)
def test_a_preparation_that_fails_is_distinguished(
    subject_of: SubjectOf, prepare: tuple[str, ...], message: str
) -> None:
    failed = failure(subject_of, "true", prepare=prepare, deadline_s=0.3)

    assert failed.message.startswith(f"the preparation of command it ({prepare[0]}): ")
    assert message in failed.message


def test_extra_executions_are_refused(subject_of: SubjectOf) -> None:
    subject = subject_of(CommandSpec("it", ("true",)))
    subject.open()

    with pytest.raises(ValueError, match="injected_s"):
        subject.visit(Work(count=1, extra=1))


def test_a_launcher_that_was_killed_is_a_failure_of_the_subject(subject_of: SubjectOf) -> None:
    assert "its launcher failed" in failure(subject_of, "sh", "-c", "kill -KILL $PPID; sleep 60").message


@pytest.fixture
def small_memory() -> Iterator[Path]:
    """A control group in which 64 MB is all there is."""
    version_1 = Path("/sys/fs/cgroup/memory")
    folder = (version_1 if version_1.is_dir() else Path("/sys/fs/cgroup")) / f"sectax-test-{os.getpid()}"
    limit = "memory.limit_in_bytes" if version_1.is_dir() else "memory.max"
    folder.mkdir()
    (folder / limit).write_text(str(64 * 1024 * 1024))
    yield folder
    folder.rmdir()


@pytest.mark.parametrize("around", ['exec "$@"', '"$@"'], ids=["itself", "in a shell"])
@needs("control groups")
def test_a_command_killed_for_memory_is_recognised(subject_of: SubjectOf, small_memory: Path, around: str) -> None:
    hog = ("dd", "if=/dev/zero", "of=/dev/null", "bs=200M", "count=1")

    failed = failure(
        subject_of, "sh", "-c", f"echo $$ > {small_memory}/cgroup.procs; {around}", "sh", *hog, ignore_failure=True
    )

    assert "exit status 137, killed for memory" in failed.message
    assert "more memory" in failed.hint
