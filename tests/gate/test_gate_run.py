"""The gate from its command line, on revisions of a real repository; what commands take is simulated."""

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from sectax.run.analyse import analyse_file
from tests.gate.repositories import commit, git
from tests.golden import cases, refused_as_agreed
from tests.program import Said, sectax

GOLDEN = Path(__file__).with_name("golden")

ROOT = Path(__file__).parents[2]
LIMIT = ("--limit", "slower>5%")
TWO = ("--baseline-rev", "main", "--treatment-rev", "change", *LIMIT)
SEED = ("--seed", "1")
CI = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "summary.md"}
SELF_TEST = ("--baseline-rev", "main", "--self-test", "--limit")
# On the virtual clock the seconds are what counts, and the folder behind them is that of a revision.
OLD = ("--baseline", "sleep 0.1 {baseline}")
SLOWER = (*OLD, "--treatment", "new=sleep 0.12 {treatment}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two branches with a program that says which of them it is from."""
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "--quiet", "--initial-branch=main", ".")
    for branch in ("main", "change"):
        git(project, "checkout", "--quiet", "-B", branch)
        bench = project / "bench"
        bench.write_text(f"#!/bin/sh\necho {branch} >> {tmp_path}/ran\n")
        bench.chmod(0o755)
        commit(project)
    return project


def gate(project: Path, *words: str, **environment: str) -> Said:
    cache = str(project.parent / "cache")
    return sectax("gate", *words, folder=project, simulated=1, SECTAX_CACHE=cache, **environment)


def test_a_change_beyond_the_limit_fails_after_two_sessions(project):
    more = ("--json", "--quiet", "--junit", "out.xml", "--out", "g.sectax")
    said = gate(project, *TWO, *more, "--", "run", "command", *SLOWER, *SEED, **CI)
    told = json.loads(said.out)

    assert (said.status, told["outcome"]) == (1, "exceeded"), said.err
    assert [session["run"] for session in told["sessions"]] == ["g.sectax", "g-2.sectax"]
    assert [session["limits"][0]["answer"] for session in told["sessions"]] == ["holds", "holds"]
    # An error on one side of the interval, in both sessions.
    assert told["false_alarms"] == pytest.approx(0.025**2)
    assert 'failures="1"' in (project / "out.xml").read_text()
    assert [line.split()[0] for line in said.err.splitlines()] == ["::error"]
    assert (project / "summary.md").read_text().count("\n| slower") == 1
    # In another order, whoever named the seed.
    seeds = [analyse_file(project / session["run"]).measured.plan.seed for session in told["sessions"]]
    assert seeds == [1, 2]


def test_a_change_of_nothing_passes_after_one(project):
    said = gate(project, *TWO, "--json", "--", "run", "command", "sleep 0.1", *SEED)

    assert (said.status, json.loads(said.out)["outcome"]) == (0, "passed"), said.err
    assert len(json.loads(said.out)["sessions"]) == 1


@pytest.mark.parametrize(
    "words", [("./bench",), ("--baseline", "{baseline}/bench", "--treatment", "new={treatment}/bench")]
)
def test_commands_run_in_the_checkouts_of_both(project, words):
    said = gate(project, *TWO, "--json", "--", "run", "command", *words, *SEED, "--budget", "20s")

    assert json.loads(said.out)["outcome"] in {"passed", "undecided"}, said.err
    assert set((project.parent / "ran").read_text().split()) == {"main", "change"}


def test_changes_that_are_not_committed_are_named(project):
    with (project / "bench").open("a") as bench:
        bench.write("# changed")
    said = gate(project, *TWO, "--", "run", "command", "sleep 0.1", *SEED)

    assert said.err.count("uncommitted") == 1


@pytest.mark.parametrize(
    ("limit", "more", "status", "outcome"),
    [
        ("slower>5%", (), 0, "exceeded"),
        # Its plant is within the noise of six blocks: two sessions disagree.
        ("cpu:slower>2%", ("--blocks", "6"), 4, "undecided"),
    ],
)
def test_a_self_test_finds_what_it_plants_unless_it_is_within_the_noise(project, limit, more, status, outcome):
    said = gate(project, *SELF_TEST, limit, "--json", "--", "run", "command", "sleep 0.1", *more, *SEED)

    assert (said.status, json.loads(said.out)["outcome"]) == (status, outcome), said.err


@pytest.mark.parametrize(("choice", "status"), [("pass", 0), ("fail", 4)])
def test_what_the_gate_cannot_say_is_the_users_choice(project, choice, status):
    words = (*OLD, "--treatment", "new=sleep 0.105 {treatment}", "--blocks", "6")
    said = gate(project, *TWO, "--on-unknown", choice, "--json", "--", "run", "command", *words, *SEED)

    assert (said.status, json.loads(said.out)["outcome"]) == (status, "undecided"), said.err


def test_a_run_that_is_there_is_judged_by_one_session(tmp_path):
    sectax("run", "command", "sleep 0.1", "sleep 0.12", "--out", "a.sectax", folder=tmp_path, simulated=1)
    (tmp_path / "limits.toml").write_text("limits = ['slower>5%', 'cpu:slower>50%']")
    said = sectax("gate", "a.sectax", "--limits", "limits.toml", "--json", folder=tmp_path)
    told = json.loads(said.out)

    assert (said.status, told["outcome"], told["baseline"]) == (1, "exceeded", None), said.err
    assert [limit["answer"] for limit in told["sessions"][0]["limits"]] == ["holds", "ruled out"]


def test_a_value_and_what_sectax_toml_says_count_too(project):
    """The budget that is typed puts the number of blocks of the file aside; both are said once."""
    (project / "sectax.toml").write_text("[run]\nmax-blocks = 30\nmargin = '1%'\n")
    commands = (*OLD, "--treatment", "new=sleep 0.1 {treatment}", "--budget", "20s")
    limits = ("--limit", "wall > 2 s", "--limit", "wall > +1 s", "--limit", "system_calls > 0")
    said = gate(project, *TWO, *limits, "--json", "--", "run", "command", *commands, *SEED)
    told = json.loads(said.out)

    answers = [limit["answer"] for limit in told["sessions"][0]["limits"]]
    assert (said.status, answers[1:]) == (4, ["ruled out", "ruled out", "undecided"]), said.err
    assert said.err.count("from ") == 1
    assert "--margin 1%" in said.err
    assert "--max-blocks" not in said.err


@pytest.mark.more
@pytest.mark.parametrize(("limit", "status"), [("instructions > +1 %", 1), ("instructions:slower>50%", 0)])
def test_a_count_has_limits_in_per_cent_and_a_history(project, limit, status):
    """The count is the size of the program, which is two bytes more in the change."""
    programs = project.parent / "programs"
    programs.mkdir()
    for name, text in (
        ("perf", 'echo "<not supported>,,instructions:u,0,100.00,," > "$7"'),
        (
            "valgrind",
            "for word; do case $word in --log-file=*) out=${word#--log-file=};; esac; done\n"
            'echo "I refs: $(wc -c < bench)" > "${out%.%p}.1"',
        ),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    revisions = ("--baseline-rev", "main", "--treatment-rev", "change", "--limit", limit, "--out", "g.sectax")
    words = ("run", "command", "sleep 0.1", "--count", "instructions", "--blocks", "6", *SEED)
    said = gate(project, *revisions, "--", *words, PATH=f"{programs}:{os.environ['PATH']}")

    assert said.status == status, said.err
    assert re.search(r"change: [\d.]+ % more than its baseline, counted by cachegrind \(perf: not supported", said.out)
    # The margin is of effects: 2 %, not the 1 % of the count.
    assert analyse_file(project / "g.sectax").measured.plan.stopping.margin == 0.02
    told = json.loads(sectax("history", ".", "--json", folder=project).out)
    assert [line["metric"] for line in told["lines"] if line["primary"]][-1] == "instructions"


def test_a_limit_on_what_is_not_counted_names_the_option(project):
    limit = ("--baseline-rev", "main", "--treatment-rev", "change", "--limit", "instructions > +1 %")
    said = gate(project, *limit, "--", "run", "command", "sleep 0.1")

    assert (said.status, "add --count instructions" in said.err) == (2, True)


def test_a_probe_of_ones_own_is_measured_in_both_revisions(project):
    """What differs is the probe: each algorithm is a cell of its own, and the first revision its baseline."""
    left_by_tools = shutil.ignore_patterns("__pycache__", ".*")
    for branch in ("main", "change"):
        git(project, "checkout", "--quiet", branch)
        shutil.copytree(ROOT / "probes" / "python", project / "probe", ignore=left_by_tools)
        (project / "probe" / "branch").write_text(branch)
        commit(project)
    levels = "language=main={baseline}/probe,change={treatment}/probe algorithm=HS256 layer=primitive operation=sign"
    chosen = [word for level in (*levels.split(), "key_use=parsed-once") for word in ("--level", level)]
    said = sectax("gate", *TWO, "--json", "--", "run", "jwt", *chosen, "--budget", "15s", folder=project)

    (limit,) = json.loads(said.out)["sessions"][0]["limits"]
    assert said.status in {0, 1, 4}, said.err
    assert all(seen.startswith("change ·") for seen in limit["seen"])


def test_a_change_that_breaks_the_program_is_in_every_report(project):
    git(project, "checkout", "--quiet", "change")
    (project / "bench").write_text("#!/bin/sh\nexit 1\n")
    commit(project)
    summary, junit = project / "summary.md", project / "out.xml"
    said = gate(project, *TWO, "--junit", "out.xml", "--", "run", "command", "./bench", *SEED, **CI)

    assert said.status == 3, said.err
    for text in (said.out, summary.read_text(), junit.read_text(), said.err[said.err.index("::error") :]):
        assert re.search(r"exit.status.1", text.replace("\\", "")), text
    assert 'failures="0" errors="1" skipped="0"' in junit.read_text()


def test_a_revision_that_does_not_build_is_in_every_report(project):
    build = "grep -q main bench || { echo no rule >&2; exit 7; }"
    said = gate(project, *TWO, "--build", build, "--junit", "out.xml", "--", "run", "command", "./bench", *SEED)

    assert said.status == 3
    assert re.search(r"change \([0-9a-f]{12}\) --build: .*exit status 7.*no rule", said.out.splitlines()[0])
    assert 'errors="1"' in (project / "out.xml").read_text()


def test_a_second_build_that_fails_leaves_what_the_first_session_has(project):
    # Each checkout is built once, and both again for the second session.
    build = f"echo built >> {project.parent}/builds; test $(wc -l < {project.parent}/builds) -lt 4"
    said = gate(project, *TWO, "--build", build, "--", "run", "command", *SLOWER, *SEED)

    assert said.status == 4, said
    assert [line for line in said.out.splitlines() if line.startswith("session ")] != []


def test_the_history_shows_what_the_limit_is_about(project):
    words = ("run", "command", "sleep 0.1", "--blocks", "6", *SEED)
    gate(project, *TWO[:4], "--limit", "cpu:slower>90%", "--out", "g.sectax", "--", *words)
    told = json.loads(sectax("history", ".", "--json", folder=project).out)

    assert [line["metric"] for line in told["lines"] if line["primary"]] == ["cpu"]


def test_the_history_names_the_commits_that_were_judged(project):
    """Whatever is checked out, and however dirty it is; a self-test is about none."""
    git(project, "checkout", "--quiet", "main")
    with (project / "bench").open("a") as bench:
        bench.write("# changed")
    for more in (TWO, (*SELF_TEST, "slower>5%")):
        gate(project, *more, "--on-unknown", "pass", "--", "run", "command", "sleep 0.1", *SEED)
    made = json.loads(sectax("history", "--json", folder=project).out)

    seen = {(seen["commit"], seen["changed"]) for line in made["lines"] for seen in line["seen"]}
    assert seen == {(git(project, "rev-parse", "change"), False)}
    assert made["planted"] == made["runs"] - 1 > 0
    assert "planted" not in {line["words"] for line in made["lines"]}


@pytest.mark.parametrize("typed", cases(GOLDEN / "gate.txt"))
def test_wrong_use_is_refused_before_anything_is_measured(project, typed):
    refused_as_agreed(GOLDEN / "gate.txt", typed, gate(project, *shlex.split(typed)), project)
    assert not list(project.glob("*.sectax"))


def write_config(project: Path, branch: str, text: str | None, name: str = "sectax.toml") -> None:
    """Commit a file on a branch, or its removal, and return to the branch `change`."""
    git(project, "checkout", "--quiet", branch)
    if text is None:
        (project / name).unlink()
    else:
        (project / name).write_text(text)
    commit(project)
    git(project, "checkout", "--quiet", "change")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("[gate]\nself-test = true\n", 1),
        ('[gate]\non-unknown = "pass"\nlimit = ["slower>10000%"]\n', 1),
        ('[run.command]\ntreatment = ["new=sleep 0.1"]\n', 1),
        (None, 1),
    ],
)
def test_a_change_does_not_decide_about_its_own_gate(project: Path, text: str | None, status: int) -> None:
    write_config(project, "main", "[run]\nblocks = 6\n")
    git(project, "merge", "--quiet", "-X", "ours", "main")
    write_config(project, "change", text)

    words = ("--baseline-rev", "main", "--limit", "slower>5%", "--json", "--", "run", "command")
    said = gate(project, *words, *OLD, "--treatment", "new=sleep 0.2 {treatment}", *SEED)

    assert said.status == status, said.err
    assert json.loads(said.out)["outcome"] == "exceeded"
    assert {len(analyse_file(file).measured.blocks) for file in project.glob("*.sectax")} == {6}


def test_a_baseline_named_in_a_changed_file_is_refused(project: Path) -> None:
    write_config(project, "change", '[gate]\nbaseline-rev = "main"\nlimit = ["slower>5%"]\n')

    assert gate(project, "--", "run", "command", *SLOWER).status == 2
    write_config(project, "main", '[gate]\nbaseline-rev = "main"\nlimit = ["slower>5%"]\n')
    assert gate(project, "--trust-config", "--", "run", "command", *SLOWER, *SEED).status == 1


def test_limits_are_those_of_the_baseline(project: Path) -> None:
    write_config(project, "main", 'limits = ["slower>5%"]\n', "limits.toml")
    git(project, "merge", "--quiet", "-X", "ours", "main")
    write_config(project, "change", 'limits = ["slower>900%"]\n', "limits.toml")
    write_config(project, "change", 'limits = ["slower>900%"]\n', "own.toml")

    words = ("--baseline-rev", "main", "--limits")
    assert gate(project, *words, "limits.toml", "--", "run", "command", *SLOWER, *SEED).status == 1
    assert gate(project, *words, "own.toml", "--", "run", "command", *SLOWER, *SEED).status == 2


def test_no_config_ignores_the_file_after_the_dashes_too(project: Path) -> None:
    write_config(project, "main", "[run]\nblocks = 6\n[run.command]\nprepare = ['touch started']\n")
    git(project, "merge", "--quiet", "-X", "ours", "main")

    said = gate(project, "--no-config", *TWO, "--", "run", "command", "sleep 0.1", *SEED)

    assert said.status == 0, said.err
    assert not (project / "started").exists()


def test_a_failing_build_does_not_show_a_token(project: Path) -> None:
    build = ("--build", "echo leaked: $MY_TOKEN >&2; exit 3")
    words = ("--json", "--junit", "out.xml", *build, "--", "run", "command", "sleep 0.1")
    said = gate(project, *TWO, *words, MY_TOKEN="s3cr3t-t0ken", **CI)

    assert said.status == 3
    everything = said.out + said.err + (project / "out.xml").read_text() + (project / "summary.md").read_text()
    assert "s3cr3t" not in everything
    assert "leaked: [MY_TOKEN]" in everything
