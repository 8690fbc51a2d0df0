"""The revision that was measured: read from git without starting what a repository names, and kept in the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sectax.run.git import revision_facts as revision
from tests.program import sectax
from tests.workflow.repositories import commit, git

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
