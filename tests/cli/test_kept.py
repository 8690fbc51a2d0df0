"""`list` and `show` keep what they said, and say something else as soon as something of it has changed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sectax.parts.cache import cache_folder
from sectax.parts.cache_entry import CacheEntry
from tests.needs import needs
from tests.program import sectax
from tests.workflow.sessions import begin, wait_for_block

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


@pytest.mark.more
def test_a_run_keeps_the_report_that_show_will_be_asked_for(tmp_path, cache):
    run = sectax("run", "command", *TWO, "--blocks", "6", folder=tmp_path, simulated=1, **cache)
    (answer,) = kept(tmp_path, "show")
    made_again = sectax("show", "r.sectax", folder=tmp_path, SECTAX_CACHE=str(tmp_path / "another"))
    tamper(answer)

    assert run.out == made_again.out
    assert "as it was kept" in sectax("show", "r.sectax", folder=tmp_path, **cache).out


@pytest.mark.more
def test_a_report_of_another_form_is_another(run_file, tmp_path, cache):
    for words in ((), ("--all",), ("--json",)):
        sectax("show", "r.sectax", *words, folder=tmp_path, **cache)
    sectax("show", str(run_file), folder=tmp_path, **cache)
    sectax("show", "r.sectax", folder=tmp_path, **cache, COLUMNS="80")

    assert len(kept(tmp_path, "show")) == 5


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


@pytest.mark.more
@needs("php")
def test_the_list_is_kept_and_starts_no_probe_then(tmp_path, cache):
    """A php that counts its starts; it is the real one besides."""
    php = shutil.which("php")
    (tmp_path / "bin").mkdir()
    counter = tmp_path / "bin" / "php"
    counter.write_text(f'#!/bin/sh\necho >>{tmp_path}/starts\nexec {php} "$@"\n')
    counter.chmod(0o755)
    environment = {"PATH": f"{counter.parent}:{os.environ['PATH']}"}
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "probes").symlink_to(cache_folder() / "probes")

    def starts() -> int:
        return len((tmp_path / "starts").read_text().splitlines())

    first = sectax("list", **environment, **cache)
    asked = starts()
    second = sectax("list", **environment, **cache)
    assert first.out == second.out
    assert "php: ready" in first.out
    assert "python: ready" in first.out
    assert (asked, starts()) == (1, 1)

    counter.write_text("#!/bin/sh\nexit 1\n")
    assert "php: php is broken" in sectax("list", **environment, **cache).out


def test_what_is_kept_needs_no_numpy(run_file, tmp_path, cache):
    environment = os.environ | cache
    script = str(Path(sys.executable).with_name("sectax"))  # with -m, this folder is where modules are looked for
    words = [sys.executable, "-X", "importtime", script, "show", "r.sectax"]
    subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, check=True)

    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)

    assert "preset: 6 blocks" in done.stdout
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "click" in loaded
    assert not loaded & {"numpy", "sqlite3", "msgspec", "sectax.record.reader", "sectax.experiments.registry"}


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


@pytest.mark.more
def test_old_answers_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    for number in range(70):
        CacheEntry("test", {"number": number}).keep("")

    assert len(kept(tmp_path, "test")) == 64


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"at": "soon"}', '{"at": 1, "files": [], "text": ""}'])
def test_what_is_kept_and_damaged_is_not_there(tmp_path, monkeypatch, text):
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    answer = CacheEntry("test", {})
    answer.keep("said")
    (path,) = kept(tmp_path, "test")
    path.write_text(text)

    assert answer.recall() is None
