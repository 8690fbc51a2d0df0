"""`list` and `show` keep what they said, and say something else as soon as something of it has changed."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from sectax.parts.cache_entry import CacheEntry
from tests.program import sectax
from tests.run.sessions import begin, wait_for_block

TWO = ("--baseline", "sleep 0.01", "--treatment", "b=sleep 0.03", "--out", "r.sectax")


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    return {"SECTAX_CACHE": str(tmp_path / "cache")}


def kept(tmp_path: Path, kind: str) -> list[Path]:
    return sorted((tmp_path / "cache" / "kept" / kind).glob("*.json"))


def tamper(path: Path) -> None:
    """Change what is kept, so that a test sees whether it is what was printed."""
    path.write_text(path.read_text().replace("preset: 6 blocks", "as it was kept"))


def test_a_report_is_kept_and_made_again_when_the_file_changes(run_file, tmp_path, cache):
    first = sectax("show", "r.sectax", folder=tmp_path, **cache)
    (answer,) = kept(tmp_path, "show")
    tamper(answer)
    second = sectax("show", "r.sectax", folder=tmp_path, **cache)
    shutil.copy(run_file, tmp_path / "copy")
    shutil.copy(tmp_path / "copy", run_file)
    third = sectax("show", "r.sectax", folder=tmp_path, **cache)

    assert first.out == third.out != second.out
    assert first.out == second.out.replace("as it was kept", "preset: 6 blocks")
    assert answer.stat().st_mode & 0o077 == 0


def test_a_file_that_is_damaged_after_it_was_shown_is_refused(run_file, tmp_path, cache):
    sectax("show", "r.sectax", folder=tmp_path, **cache)
    times = run_file.stat()
    run_file.write_bytes(b"nothing".ljust(times.st_size))
    os.utime(run_file, ns=(times.st_atime_ns, times.st_mtime_ns))

    assert sectax("show", "r.sectax", folder=tmp_path, **cache).status == 2
    run_file.unlink()
    assert sectax("show", "r.sectax", folder=tmp_path, **cache).status == 2


@pytest.mark.more
def test_an_interrupted_run_is_never_kept(tmp_path, cache):
    process = begin(tmp_path, "run", "command", *TWO)
    wait_for_block(tmp_path, process, 1)
    process.send_signal(signal.SIGINT)
    process.communicate()

    assert "sectax resume r.sectax" in sectax("show", "r.sectax", folder=tmp_path, **cache).out
    assert kept(tmp_path, "show") == []


def test_a_condition_is_answered_whether_or_not_the_report_was_kept(run_file, tmp_path, cache):
    said = [sectax("show", "r.sectax", "--fail-if", "slower>5%", folder=tmp_path, **cache).status for _ in range(2)]

    assert said == [1, 1]


def test_what_is_kept_falls_with_age_and_with_the_files_it_was_made_of(tmp_path, monkeypatch):
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    (tmp_path / "source").write_text("one")
    answer = CacheEntry("test", {"a": 1})
    answer.keep("said", [tmp_path / "source", tmp_path / "absent"])

    assert answer.recall() == "said"
    assert answer.recall(longest_s=-1.0) is None
    assert CacheEntry("test", {"a": 2}).recall() is None
    (tmp_path / "absent").write_text("")
    assert answer.recall() is None
    answer.keep("again", [tmp_path / "source"])
    assert answer.recall() == "again"
    (tmp_path / "source").write_text("two")
    assert answer.recall() is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"at": "soon"}', '{"at": 1, "files": [], "text": ""}'])
def test_what_is_kept_and_damaged_is_not_there(tmp_path, monkeypatch, text):
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    answer = CacheEntry("test", {})
    answer.keep("said")
    (path,) = kept(tmp_path, "test")
    path.write_text(text)

    assert answer.recall() is None
