"""What a tired person types: each gets one clear message, what to try next, and the documented exit status."""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
import sys

import pytest

from sectax.cli import main
from sectax.record.appender import WriterLock
from tests.program import sectax

TWO = ("--baseline", "true", "--treatment", "other=true")


def test_help_in_words_is_that_of_the_option():
    assert sectax("help", "run", "jwt").out == sectax("help", "jwt").out == sectax("run", "jwt", "--help").out
    assert sectax("help").out == sectax("--help").out


@pytest.mark.parametrize(("text", "words"), [("90", "90 s"), ("1m30s", "90 s"), ("1h", "60 min"), ("0.5m", "30 s")])
def test_a_budget_is_read_as_people_write_it(text, words):
    result = sectax("run", "command", *TWO, "--dry-run", "--budget", text)

    assert f"about {words}" in result.out


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [["list"], ["list", "--json"], ["--help"]])
def test_a_full_disk_behind_stdout_is_reported(words, unbuffered):
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sectax", *words], stdout=full, stderr=subprocess.PIPE, text=True, env=environment
        )

    assert done.returncode == 2
    assert done.stderr.count(os.strerror(errno.ENOSPC)) == 1
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "key.pem"), "Permission denied: key.pem"),
        (OSError(errno.ENOSPC, "No space left on device"), "the output cannot be written: No space left on device"),
    ],
)
def test_a_file_that_the_system_refuses_is_named_with_the_reason(error, says, monkeypatch, capfd):
    def refused(**_):
        raise error

    monkeypatch.setattr(main.cli, "main", refused)
    # What belongs to the whole process stays that of the tests.
    monkeypatch.setattr(main.signal, "signal", lambda *_: None)
    monkeypatch.setattr(main, "make_usable", lambda **_: None)

    with pytest.raises(SystemExit) as ended:
        main.main()

    assert ended.value.code == 2
    assert capfd.readouterr().err.splitlines()[0] == f"sectax: {says}"


@pytest.mark.more
def test_a_report_never_overwrites_a_file_least_of_all_the_run(run_file, tmp_path):
    before = (tmp_path / "r.sectax").read_bytes()

    result = sectax("report", "r.sectax", "--format", "html", "--out", "r.sectax", folder=tmp_path)

    assert result.status == 2
    assert "exists already" in result.err
    assert (tmp_path / "r.sectax").read_bytes() == before


@pytest.mark.more
def test_a_watcher_that_goes_away_does_not_end_a_run(tmp_path):
    words = f"{shlex.quote(sys.executable)} -m sectax run command {shlex.join(TWO)} --blocks 6 --out r.sectax"

    subprocess.run(["bash", "-c", f"{words} 2>&1 >out | head -1"], cwd=tmp_path, capture_output=True, timeout=120)

    assert "preset: 6 blocks" in sectax("show", "r.sectax", folder=tmp_path).out


def test_a_program_that_is_not_a_probe_fails_the_first_check():
    result = sectax("probe", "check", "cat")

    assert result.status == 1
    assert "FAIL  hello-answers" in result.out


def test_a_dry_run_refuses_a_budget_and_a_file_that_the_run_could_not_use(tmp_path):
    (tmp_path / "there.sectax").touch()
    for words, status in ((("--budget", "2s"), 3), (("--out", "there.sectax"), 2), (("--out", "no/r.sectax"), 2)):
        dry, real = (sectax("run", "jwt", *words, *more, folder=tmp_path) for more in (("--dry-run",), ()))

        assert (dry.status, dry.out) == (real.status, real.out) == (status, "")
        assert dry.err.split(":")[:2] == real.err.split(":")[:2]


def test_a_file_in_use_has_one_status_whoever_asks_for_it(tmp_path):
    lock = WriterLock(tmp_path / "r.sectax")
    run = ("run", "command", *TWO, "--out", "r.sectax")

    said = [sectax(*words, folder=tmp_path) for words in (run, (*run, "--dry-run"), ("resume", "r.sectax"))]
    lock.release()

    assert {(one.status, one.err) for one in said} == {(3, said[0].err)}
    assert str(os.getpid()) in said[0].err


def test_a_line_break_in_the_name_of_a_file_stays_on_its_line(tmp_path):
    said = [
        sectax(*words, folder=tmp_path).err for words in (("show", "a\nb"), ("runs", "a\nb"), ("audit", "a\nb.csv"))
    ]

    assert all("a\\nb" in one and one.count("\n") <= 2 for one in said), said
