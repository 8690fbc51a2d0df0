"""The gate's rules: what two sessions make of a build, and the checkouts that they measure."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.experiments.command.hook import HookFailed
from sectax.gate.checkouts import Repository
from sectax.gate.gate import _agree
from sectax.model.condition import ConditionAnswer
from sectax.model.errors import WrongUse
from sectax.model.gate import Gate, GateLimit, GateOutcome, GateSession, Revision
from sectax.reports.gate import github_annotations, junit, lines, markdown
from tests.gate.repositories import commit as commit_all
from tests.gate.repositories import git
from tests.golden import as_agreed
from tests.needs import needs

GOLDEN = Path(__file__).with_name("golden")
HOLDS = GateLimit("slower>5%", ConditionAnswer.HOLDS, ("new: 9 % slower (7 to 11 %)",), "")
KEPT = GateLimit("cpu:slower>5%", ConditionAnswer.RULED_OUT, ("new: 1 % slower (0 to 2 %)",), "")
OPEN = GateLimit("slower>5%", ConditionAnswer.OPEN, ("new: undecided",), "run it again")
SIDES = (Revision("main", "0" * 40), Revision("HEAD", "1" * 40))


def session(*limits: GateLimit) -> GateSession:
    return GateSession("a.sectax", 12, "EPYC", limits)


def gate(outcome: GateOutcome, *sessions: GateSession, why: str = "") -> Gate:
    return Gate(outcome, why, *SIDES, sessions, 0.000625)


@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [
        ((HOLDS, KEPT), (HOLDS, KEPT), True),
        ((HOLDS, KEPT), (OPEN, KEPT), False),
        # Each session beyond another limit is no agreement.
        ((HOLDS, KEPT), (KEPT, HOLDS), False),
    ],
)
def test_a_limit_is_exceeded_where_both_sessions_exceed_it(
    first: tuple[GateLimit, ...], second: tuple[GateLimit, ...], agree: bool
) -> None:
    assert _agree(session(*first), session(*second)) is agree


def test_what_a_gate_prints_is_as_agreed() -> None:
    nothing = replace(OPEN, why="main --build: exit status 2 (by hand: make)", seen=())
    gates = (
        gate(GateOutcome.EXCEEDED, session(HOLDS, KEPT), session(HOLDS, KEPT)),
        gate(GateOutcome.UNKNOWN, session(OPEN, KEPT)),
        gate(GateOutcome.NOTHING, session(nothing), why=nothing.why),
    )
    as_agreed(GOLDEN / "gate-outcomes.txt", "\n\n".join("\n".join(lines(gate)) for gate in gates) + "\n")


def test_a_summary_has_a_row_for_each_limit_and_no_markup_of_others() -> None:
    evil = replace(HOLDS, seen=("a|b <img src=x>",))
    rows = markdown(gate(GateOutcome.EXCEEDED, session(evil, KEPT))).splitlines()

    assert sum(row.startswith("| ") for row in rows) == 4
    assert "<img" not in "".join(rows).replace("\\<", "")


@pytest.mark.parametrize(
    ("outcome", "limit", "kinds"),
    [
        (GateOutcome.EXCEEDED, HOLDS, ["error"]),
        (GateOutcome.UNKNOWN, OPEN, ["warning"]),
        (GateOutcome.PASSED, KEPT, []),
    ],
)
def test_annotations_are_errors_only_where_the_gate_is_red(
    outcome: GateOutcome, limit: GateLimit, kinds: list[str]
) -> None:
    said = list(github_annotations(gate(outcome, session(limit))))

    assert [line.split()[0].strip(":") for line in said] == kinds
    assert all("\n" not in line and "5%25" in line for line in said)


def test_false_alarms_are_of_limits_on_changes() -> None:
    assert any("at most 0.063 %" in line for line in lines(gate(GateOutcome.PASSED, session(KEPT))))
    of_values = replace(gate(GateOutcome.PASSED, session(KEPT)), false_alarms=None)
    assert [line for line in lines(of_values) if "pushes" in line] == []


def test_junit_fails_what_is_exceeded_and_skips_what_is_undecided() -> None:
    undecided = gate(GateOutcome.EXCEEDED, session(HOLDS, KEPT, OPEN))
    suite = junit(undecided, may_pass=True)

    assert 'failures="1" errors="1" skipped="0"' in junit(undecided)
    assert 'tests="3" failures="1" errors="0" skipped="1"' in suite
    found = re.findall(r"<(testcase|failure|skipped)\b", suite)
    assert found == ["testcase", "failure", "testcase", "testcase", "skipped"]


def test_nothing_measured_is_not_called_undecided() -> None:
    nothing = gate(GateOutcome.NOTHING, session(replace(OPEN, why="main --build: exit status 2", seen=())))

    reports = (junit(nothing), markdown(nothing), *github_annotations(nothing))
    assert all("slower" in report and "nothing measured" in report for report in reports)
    assert not any("undecided" in report for report in reports)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Two commits: what the file says is the number of the commit."""
    monkeypatch.setenv("SECTAX_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    git(root, "init", "--quiet", "--initial-branch=main", ".")
    for number in ("one", "two"):
        (root / "said").write_text(number)
        commit_all(root)
    return Repository.here()


def test_a_revision_is_checked_out_and_built_once(repository: Repository) -> None:
    build = "echo built >> log; cp said made"
    commit = repository.commit("HEAD~1")
    for _ in range(2):
        with repository.cached(commit, build) as tree:
            assert (tree / "made").read_text() == "one"
            assert (tree / "log").read_text() == "built\n"
    assert Path("said").read_text() == "two"


def test_a_fresh_checkout_is_built_again_and_removed(repository: Repository) -> None:
    commit = repository.commit("main")
    with repository.cached(commit, "cp said made") as kept, repository.fresh(commit, "cp said made") as fresh:
        assert fresh != kept
        assert (fresh / "made").read_text() == "two"
    assert kept.exists()
    assert not fresh.exists()


@needs("root")
def test_a_cached_checkout_of_another_user_is_refused(repository: Repository, tmp_path: Path) -> None:
    commit = repository.commit("main")
    with repository.cached(commit, None) as tree:
        os.chown(tree.parent, 12345, -1)

    with pytest.raises(WrongUse, match="another user"), repository.cached(commit, None):
        pass


def test_a_build_that_fails_is_not_kept(repository: Repository) -> None:
    commit = repository.commit("main")
    with pytest.raises(HookFailed), repository.cached(commit, "echo no room >&2; exit 3"):
        pass
    with repository.cached(commit, "true") as tree:
        assert (tree / "said").exists()


def test_a_checkout_starts_no_program_of_the_repository(repository: Repository, tmp_path: Path) -> None:
    """Its hooks, wherever its settings say that they are, its monitor, and the filters that its files ask for."""
    ran = tmp_path / "ran"
    root = Path.cwd()
    for folder in (root / ".git" / "hooks", root / "hooks"):
        folder.mkdir(exist_ok=True)
        hook = folder / "post-checkout"
        hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
        hook.chmod(0o755)
    (root / ".gitattributes").write_text("* filter=evil\n")
    (root / ".gitmodules").write_text('[submodule "a"]\n\tpath = a\n\turl = ext::touch /nowhere\n\tupdate = !touch x\n')
    commit_all(root)
    git(root, "config", "core.hooksPath", "hooks")
    git(root, "config", "core.fsmonitor", str(root / "hooks" / "post-checkout"))
    git(root, "config", "submodule.recurse", "true")

    with repository.fresh(repository.commit("HEAD"), "true") as tree:
        assert (tree / "hooks" / "post-checkout").exists()
    assert not ran.exists()


@pytest.mark.parametrize("name", ["nowhere", "--upload-pack=touch x", ""])
def test_an_invalid_revision_is_refused(repository: Repository, name: str) -> None:
    with pytest.raises(WrongUse):
        repository.commit(name)


def test_a_push_has_no_base_and_a_shallow_clone_few_revisions(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository.root}", "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    shallow = Repository.here()
    hints = []
    for place, revision in ((shallow, "origin/"), (shallow, "0" * 40), (shallow, "HEAD~1"), (repository, "nosuch")):
        with pytest.raises(WrongUse) as refused:
            place.commit(revision)
        hints.append(refused.value.hint)

    assert ["shallow" in hint for hint in hints] == [False, False, True, False]
    assert all("--baseline-rev" in hint for hint in hints[:2])


def test_a_checkout_may_be_removed_by_another_gate(repository: Repository) -> None:
    with repository.cached(repository.commit("main"), None) as tree:
        for number in range(8):  # what stands in a list of files, and is gone
            (tree.parents[1] / f"gone-{number}").symlink_to("nowhere")
    assert (tree / "said").exists()
