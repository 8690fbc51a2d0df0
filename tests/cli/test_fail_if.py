"""`--fail-if`: a build fails where a limit is passed beyond doubt, and passes where that is ruled out.

What is measured is measured on virtual time (`tests.fakes.virtual`), so the answers are the same on any machine.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sectax.analysis.conditions import leading_metrics
from sectax.cli.parse import condition
from sectax.model.condition import OpenReason
from sectax.model.errors import ExitStatus, WrongUse
from sectax.run.analyse import analyse_file
from sectax.run.conditions import concluded, settled, with_conditions
from tests.golden import cases, refused_as_agreed
from tests.program import Said, sectax

GOLDEN = Path(__file__).with_name("golden")

HOLDS, RULED_OUT, INCONCLUSIVE = ExitStatus.GATE_MISSED, ExitStatus.DONE, ExitStatus.INCONCLUSIVE


def run(folder, seconds: str, *more: str) -> Said:
    words = ("--baseline", "sleep 0.1", "--treatment", f"new=sleep {seconds}", "--out", "r.sectax")
    return sectax("run", "command", *words, *more, folder=folder, simulated=1)


@pytest.mark.parametrize(
    ("seconds", "condition", "status"),
    [
        ("0.2", "slower>5%", HOLDS),
        ("0.1", "slower>5%", RULED_OUT),
        ("0.2", "faster>5%", RULED_OUT),
        ("0.05", "faster > 50 %", HOLDS),
        ("0.2", "cpu:slower>5%", HOLDS),
        ("0.2", "peak_memory:larger>50%", RULED_OUT),
    ],
)
def test_a_run_ends_with_the_answer(tmp_path, seconds, condition, status):
    result = run(tmp_path, seconds, "--fail-if", condition)

    assert result.status == status, result.err
    assert f"--fail-if {condition}: {'holds' if status else 'ruled out'}" in result.out


def test_values_and_words_are_limits_too(tmp_path):
    """A value is what the treatment has, or with a + what it has more than its baseline; a count may be that alone."""
    run(tmp_path, "0.2", "--blocks", "8")
    analysed = analyse_file(tmp_path / "r.sectax")

    def answer(text: str) -> str:
        (said,) = concluded(analysed, (condition(text),))
        return said.answer.value

    told = {
        "command new memory > +50 %": "ruled out",
        "command new ram > +50 %": "ruled out",
        "new cpu: slower > 5%": "holds",
        "baseline: slower > 5%": "undecided",  # it is compared with nothing
        "wall > 150 ms": "holds",
        "new wall > 0.25 s": "ruled out",
        "wall < 250ms": "holds",
        "wall > +50 ms": "holds",
        "wall > +150 ms": "ruled out",
        "bill > 0.5 USD a million": "holds",
        "bill > 50 USD a million": "ruled out",
        "peak_memory > 1 GiB": "ruled out",
    }
    assert {text: answer(text) for text in told} == told
    lacking = condition("instructions > 0")  # nobody counted them
    with pytest.raises(WrongUse, match="instructions") as refused:
        concluded(analysed, (lacking,))
    assert "wall" in refused.value.hint
    plan = replace(analysed.measured.plan, stopping=replace(analysed.measured.plan.stopping, conditions=(lacking,)))
    (unknown,) = concluded(replace(analysed, measured=replace(analysed.measured, plan=plan)), (lacking,))
    assert unknown.why == (OpenReason.NO_FIGURE,)  # the run began with it, and has been measured
    # Only what was counted is known after the run alone, and no count is in a unit of time.
    with pytest.raises(WrongUse, match="'p99'"):
        concluded(analysed, (condition("p99 > 12 ms"),))


@pytest.mark.parametrize(("limit", "size"), [("2 B/s", 2), ("2 KiB/s", 2048), ("2 kB/s", 2000), ("2MB/s", 2e6)])
def test_a_limit_may_be_in_bytes_per_second(limit, size):
    asked = condition(f"throughput < {limit}")
    assert (asked.limit, asked.unit) == (size, "B/s")


def test_the_metrics_of_its_conditions_keep_a_run_going_and_no_other(tmp_path):
    run(tmp_path, "0.2", "--blocks", "6")
    plan = analyse_file(tmp_path / "r.sectax").measured.plan

    def leading(*texts: str) -> frozenset[str]:
        rules = replace(plan.stopping, fixed_blocks=None)
        asked = settled(map(condition, texts), plan)
        return leading_metrics(replace(plan, stopping=with_conditions(rules, asked, until_was_given=False)))

    assert leading() == leading("slower>5%") == leading("wall > 1 s") == {"wall"}
    assert leading("cpu:slower>5%") == {"cpu"}
    assert leading("memory > +5%", "slower>5%") == {"wall", "peak_memory"}


@pytest.mark.more
def test_a_run_goes_on_until_its_condition_is_answered_and_no_longer(tmp_path):
    """At 4 % past a margin of 2 % the verdict comes at once; whether it is past 5 % takes longer."""
    for folder in ("with", "without"):
        (tmp_path / folder).mkdir()
    usual = json.loads(run(tmp_path / "without", "0.104", "--json").out)

    result = run(tmp_path / "with", "0.104", "--json", "--fail-if", "slower>5%")

    document = json.loads(result.out)
    effect = document["findings"][0]["effect"]
    assert result.status == RULED_OUT, result.err
    assert document["plan"]["stopping"]["until"] == "conditions"
    assert document["run"]["blocks"] > usual["run"]["blocks"]
    assert effect["cost_ratio_high"] <= 1.05 < usual["findings"][0]["effect"]["cost_ratio_high"], effect


def test_what_is_not_known_has_a_status_of_its_own(tmp_path):
    result = run(tmp_path, "0.1048", "--fail-if", "slower>5%", "--blocks", "6")

    assert result.status == INCONCLUSIVE, result.err
    assert "--fail-if slower>5%: undecided" in result.out


@pytest.mark.more
def test_of_several_conditions_the_gravest_answer_counts(tmp_path):
    run(tmp_path, "0.2", "--blocks", "6")

    def show(*conditions: str) -> int:
        words = [word for condition in conditions for word in ("--fail-if", condition)]
        return sectax("show", "r.sectax", *words, folder=tmp_path).status

    assert show() == 0
    assert show("slower>300%") == RULED_OUT
    assert show("slower>300%", "slower>100%") == INCONCLUSIVE  # 2.00 times, give or take
    assert show("slower>300%", "slower>100%", "slower>50%") == HOLDS


def test_a_known_cost_that_was_not_seen_leaves_nothing_ruled_out(tmp_path):
    """A limit under the margin needs a finer proof than the run's own control gives."""
    run(tmp_path, "0.1", "--blocks", "12")

    assert sectax("show", "r.sectax", "--fail-if", "slower>5%", folder=tmp_path).status == RULED_OUT
    assert sectax("show", "r.sectax", "--fail-if", "slower>1.9%", folder=tmp_path).status == INCONCLUSIVE


def test_the_answer_is_in_every_form_of_the_run_and_decides_the_status_behind_a_closed_pipe(tmp_path):
    run(tmp_path, "0.2", "--fail-if", "slower>5%")

    result = sectax("show", "r.sectax", "--json", folder=tmp_path)
    report = sectax("report", "r.sectax", "--format", "json", folder=tmp_path)
    markdown = sectax("report", "r.sectax", folder=tmp_path)
    command = [sys.executable, "-m", "sectax", "show", "r.sectax", "--fail-if", "slower>5%"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as unread:
        unread.stdout.close()
        assert unread.wait() == HOLDS

    for document in (json.loads(result.out), json.loads(report.out)):
        assert [(limit["text"], limit["answer"]) for limit in document["conditions"]] == [("slower>5%", "holds")]
    # A gate was not asked for again.
    assert result.status == report.status == 0
    assert ": holds" in markdown.out


@pytest.mark.more
def test_two_runs_are_compared_by_what_their_effects_became(tmp_path):
    run(tmp_path, "0.1", "--blocks", "8")
    (tmp_path / "r.sectax").rename(tmp_path / "old.sectax")
    run(tmp_path, "0.12", "--blocks", "8")

    def compare(a: str, b: str, condition: str) -> int:
        result = sectax("compare", a, b, "--fail-if", condition, "--json", folder=tmp_path)
        (limit,) = json.loads(result.out)["conditions"]
        (change,) = limit["changes"].values()
        low, high = math.exp(change["log_ratio_low"]), math.exp(change["log_ratio_high"])
        assert limit["comparisons"] == ["all/new:wall"]
        assert low < (1.2 if a != b == "r.sectax" else 1 / 1.2 if a != b else 1.0) < high
        return result.status

    assert compare("old.sectax", "r.sectax", "slower>10%") == HOLDS
    assert compare("r.sectax", "old.sectax", "slower>10%") == RULED_OUT
    assert compare("old.sectax", "r.sectax", "slower>20%") == INCONCLUSIVE
    assert sectax("compare", "old.sectax", "old.sectax", folder=tmp_path).status == ExitStatus.WRONG_USE
    refusals = {"r.sectax": "wall > 1 s", "published:jwt-php": "slower>5%"}
    for other, limit in refusals.items():
        refused = sectax("compare", "old.sectax", other, "--fail-if", limit, folder=tmp_path)
        refused_as_agreed(GOLDEN / "compared.txt", f"{other}: {limit}", refused, tmp_path)


@pytest.mark.parametrize("condition", cases(GOLDEN / "conditions.txt"))
def test_a_condition_that_says_nothing_is_refused_before_anything_is_measured(tmp_path, condition):
    result = run(tmp_path, "0.2", "--fail-if", condition)

    refused_as_agreed(GOLDEN / "conditions.txt", condition, result, tmp_path)
    assert not list(tmp_path.iterdir())


def test_why_it_is_undecided_is_in_the_json_and_nothing_measured_has_its_own_status(tmp_path):
    run(tmp_path, "0.1", "--blocks", "60")
    unseen = sectax("show", "r.sectax", "--json", "--fail-if", "slower>1.9%", folder=tmp_path)
    (tmp_path / "r.sectax").unlink()
    words = ("--baseline", "false", "--treatment", "new=true", "--out", "r.sectax", "--fail-if", "slower>5%")
    measured = sectax("run", "command", *words, folder=tmp_path)

    result = sectax("show", "r.sectax", "--fail-if", "slower>5%", folder=tmp_path)

    assert unseen.status == INCONCLUSIVE
    assert [limit["why"] for limit in json.loads(unseen.out)["conditions"]] == [[OpenReason.UNSEEN.value]]
    assert result.status == measured.status == ExitStatus.NOTHING_MEASURED
