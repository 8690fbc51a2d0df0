"""The revision that was measured: read from git without starting what a repository names, and kept in the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sectax.gate import history as gate_history
from sectax.gate.checkouts import Repository
from sectax.gate.history import history
from sectax.model.errors import WrongUse
from sectax.run import git as run_git
from sectax.run.git import read_blob
from sectax.run.git import revision_facts as revision
from tests.gate.repositories import commit, git
from tests.program import sectax

RUN = ("run", "command", "--baseline", "true", "--treatment", "b=false", "--ignore-failure", "--blocks", "6")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q")
    (tmp_path / "code").write_text("one")
    commit(tmp_path)
    return tmp_path


def test_a_commit_and_whether_files_differ_from_it(repository: Path) -> None:
    assert revision({}) == {"revision": git(repository, "rev-parse", "HEAD"), "revision.changed": "no"}

    (repository / "code").write_text("two")

    assert revision({})["revision.changed"] == "yes"


def test_a_job_is_named_and_nothing_else_of_the_environment() -> None:
    given = {"GITHUB_RUN_ID": "7", "GITHUB_TOKEN": "secret", "CI_PIPELINE_ID": ""}

    assert revision(given)["ci.GITHUB_RUN_ID"] == "7"
    assert "secret" not in str(revision(given))


def test_a_hostile_repository_starts_no_program(repository: Path) -> None:
    git(repository, "config", "core.fsmonitor", f"touch {repository}/started; false")

    assert revision({})["revision"]
    assert not (repository / "started").exists()


@pytest.mark.parametrize("driver", ["mark", "m.a.rk"])
@pytest.mark.parametrize("key", ["clean", "smudge", "process"])
def test_filters_of_a_repository_are_not_started(repository: Path, tmp_path: Path, driver: str, key: str) -> None:
    started = tmp_path / "started"
    (repository / ".gitattributes").write_text(f"code filter={driver}\n")
    commit(repository)
    (repository / "included").write_text(f'[filter "{driver}"]\n\t{key} = touch {started}; cat\n\trequired = true\n')
    git(repository, "config", "include.path", "../included")
    (repository / "code").write_text("two")

    assert revision({})["revision.changed"] == "yes"
    with Repository.here().fresh(git(repository, "rev-parse", "HEAD"), None) as tree:
        assert (tree / "code").read_text() == "one"
    assert not started.exists()


def test_filters_of_the_user_run(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "gitconfig"
    settings.write_text('[filter "upper"]\n\tclean = tr a-z A-Z\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    (repository / ".gitattributes").write_text("code filter=upper\n")
    commit(repository)
    (repository / "code").write_text("ONE")  # as the filter stored it

    assert revision({})["revision.changed"] == "no"


def test_a_partial_clone_fetches_nothing(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    (repository / "r.sectax").write_text("a run file")
    commit(repository)
    started, clone = tmp_path / "started", tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{repository}", str(clone))
    git(clone, "config", "remote.origin.uploadpack", f"touch {started}; git-upload-pack")
    monkeypatch.chdir(clone)

    assert revision({})["revision"]
    with pytest.raises(WrongUse):
        history("HEAD")
    assert not started.exists()


def test_the_run_records_the_revision_and_the_conditions(repository: Path) -> None:
    summary = repository / "summary.md"
    env = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_RUN_ID": "7"}

    limits = ("--fail-if", "slower>50%", "--fail-if", "faster>300%")
    done = sectax(*RUN, *limits, "--json", "--out", "r.sectax", folder=repository, simulated=1, **env)

    document = json.loads(done.out)
    assert document["run"]["revision"] == git(repository, "rev-parse", "HEAD")
    assert document["run"]["changed"] is False
    assert document["run"]["job"] == {"GITHUB_RUN_ID": "7"}
    assert r"slower\>50%" in summary.read_text()
    lines = [line for line in summary.read_text().replace("\\", "").splitlines() if line.startswith("- --fail-if")]
    assert [limit["text"] for limit in document["conditions"]] == ["slower>50%", "faster>300%"]
    for line, limit in zip(lines, document["conditions"], strict=True):
        assert line.startswith(f"- --fail-if {limit['text']}: {limit['answer']}")
    for command in (("show", "r.sectax", "--all"), ("compare", "r.sectax", "again.sectax")):
        if command[0] == "compare":
            sectax(*RUN, "--out", "again.sectax", folder=repository, simulated=2, **env)
        shown = sectax(*command, folder=repository).out
        assert document["run"]["revision"] in shown.replace("\n  ", "")
        assert "GITHUB_RUN_ID 7" in shown.replace("\n  ", " ")


def test_a_long_path_in_a_branch_is_read_like_others(repository: Path) -> None:
    for folder in ("a" * 200 + "/" + "é" * 100, "b"):
        (repository / folder).mkdir(parents=True)
        (repository / folder / "run.sectax").write_text("no run")
    commit(repository)

    unreadable = history("HEAD").unreadable

    assert len(unreadable) == 2
    assert all(name.endswith(".sectax") and len(name.encode()) < 256 for name in unreadable)


def test_files_of_a_revision_have_a_limit(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "run.sectax").write_text("x" * 2000)
    commit(repository)
    monkeypatch.setattr(gate_history, "_MOST_BYTES", 1000)
    monkeypatch.setattr(run_git, "_MOST_TEXT", 1000)

    with pytest.raises(WrongUse, match="GiB"):
        history("HEAD")
    assert read_blob("HEAD", "run.sectax") is None
    assert read_blob("HEAD", "code") == "one"
