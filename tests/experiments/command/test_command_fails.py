"""A command that fails is said to have failed, with what happened and what to try."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sectax.experiments.command.subject import CommandSpec
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work
from tests.golden import failed_as_agreed
from tests.hosts.groups import little_memory
from tests.needs import needs

from .conftest import SubjectOf

FAILURES = Path(__file__).with_name("failures.txt")


def failure(subject_of: SubjectOf, *argv: str, **conditions: object) -> SubjectFailed:
    """How opening this command fails."""
    with pytest.raises(SubjectFailed) as caught:
        subject_of(CommandSpec("it", argv, **conditions)).open()  # type: ignore[arg-type]
    return caught.value


HANGS = {"deadline_s": 0.2}
ONCE = "[ -e mark ] && exit 0; touch mark; exit 3"
STUBBORN = "trap '' TERM INT HUP; sleep 60 & wait; sleep 60"
SITUATIONS: dict[str, tuple[tuple[str, ...], dict[str, object]]] = {
    "an exit status": (("sh", "-c", "echo first >&2; echo 'no \033[31mkey' >&2; exit 3"), {}),
    "a signal": (("sh", "-c", "kill -SEGV $$"), {}),
    "it does not fail again": (("sh", "-c", ONCE), {}),
    "much noise before the reason": (("sh", "-c", "yes | head -n 500000 >&2; echo the reason >&2; exit 1"), {}),
    "no program on PATH": (("no-such-program",), {}),
    "no program at a path": (("./no-such-program",), {}),
    "a folder": (("./",), {}),
    "not executable": (("./text",), {}),
    "not a program": (("./unreadable",), {}),
    "its interpreter is missing": (("./orphan",), {}),
    "no folder": (("true",), {"cwd": "/no/such"}),
    "no input": (("true",), {"input": "/no/such"}),
    "no output": (("true",), {"output": "/no/such/file"}),
    "NUL in a word": (("true", "a\0b"), {}),
    "it hangs": (("sh", "-c", "sleep 60"), HANGS),
    "it hangs and ignores signals": (("sh", "-c", STUBBORN), HANGS),
    "it hangs where failures are accepted": (("sleep", "60"), HANGS | {"ignore_failure": True}),
    "its preparation fails": (("true",), {"prepare": ("sh", "-c", "echo full >&2; exit 5")}),
    "its preparation hangs": (("true",), HANGS | {"prepare": ("sleep", "60")}),
    "its preparation is missing": (("true",), {"prepare": ("no-such-program",)}),
    "its conclusion fails": (("true",), {"conclude": ("sh", "-c", "echo stuck >&2; exit 5")}),
    # The command itself has to end within the deadline, also on a busy machine.
    "its conclusion hangs": (("true",), {"deadline_s": 3, "conclude": ("sleep", "60")}),
    "it fails before its conclusion does": (("sh", "-c", "exit 3"), {"conclude": ("false",)}),
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_command_that_fails_says_what_happened(subject_of: SubjectOf, tmp_path: Path, situation: str) -> None:
    (tmp_path / "text").write_text("hello")
    for name, text in (("unreadable", "hello"), ("orphan", "#!/no/such/interpreter\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    argv, conditions = SITUATIONS[situation]
    began = time.monotonic()

    failed = failure(subject_of, *argv, **{"cwd": str(tmp_path)} | conditions)

    assert time.monotonic() - began < 20
    failed_as_agreed(FAILURES, situation, failed, FOLDER=tmp_path)


def test_a_failure_in_the_middle_of_a_visit_ends_it(subject_of: SubjectOf, tmp_path: Path) -> None:
    tally = tmp_path / "tally"
    third_fails = f"echo >> {tally}; [ $(wc -l < {tally}) -ne 3 ]"
    subject = subject_of(CommandSpec("it", ("sh", "-c", third_fails)))
    subject.open()

    with pytest.raises(SubjectFailed, match="exit status 1") as caught:
        subject.visit(Work(count=10))

    assert caught.value.stage == "visit"
    assert len(tally.read_text()) == 3 + 1  # and once more to hear what it says


def test_extra_executions_are_refused(subject_of: SubjectOf) -> None:
    subject = subject_of(CommandSpec("it", ("true",)))
    subject.open()

    with pytest.raises(ValueError, match="injected_s"):
        subject.visit(Work(count=1, extra=1))


def test_a_launcher_that_was_killed_is_a_failure_of_the_subject(subject_of: SubjectOf) -> None:
    assert "launcher" in failure(subject_of, "sh", "-c", "kill -KILL $PPID; sleep 60").message


@pytest.mark.parametrize("around", ['exec "$@"', '"$@"'], ids=["itself", "in a shell"])
@needs("control groups")
def test_a_command_killed_for_memory_is_recognised(subject_of: SubjectOf, around: str) -> None:
    hog = ("dd", "if=/dev/zero", "of=/dev/null", "bs=200M", "count=1")
    with little_memory(64 * 2**20) as group:
        limited = ("sh", "-c", f"echo $$ > {group}/cgroup.procs; {around}", "sh")
        failed = failure(subject_of, *limited, *hog, ignore_failure=True)

    failed_as_agreed(FAILURES, "killed for memory", failed)
