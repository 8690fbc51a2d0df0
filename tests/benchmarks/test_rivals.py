"""What the rivals print is read as they mean it, and counted against what was true. Outputs in recorded/ are real."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.rivals import benchstat, criterion, first_answer, hyperfine, ours, pyperf
from benchmarks.rivals.__main__ import next_visits, treatments
from benchmarks.rivals.calling import ToolFailed
from benchmarks.rivals.kept import BASELINE, Claim, Judged, Visit, append, read
from benchmarks.rivals.summary import show
from benchmarks.rivals.tools import TOOLS

RECORDED = Path(__file__).with_name("recorded")
AUDITED = Path(__file__).parents[1] / "audit" / "tools" / "samples"


def recorded(name: str) -> str:
    return (RECORDED / name).read_text()


def test_hyperfine_is_judged_by_welchs_test_of_its_runs() -> None:
    exported = json.loads(recorded("hyperfine.json"))

    (same,) = hyperfine.judge(exported, 6.5)
    for result in exported["results"]:
        if result["command"] == "again":
            result["times"] = [1.05 * seconds for seconds in result["times"]]
            result["mean"] *= 1.05
    (slower,) = hyperfine.judge(exported, 6.5)

    assert (same.level, same.claim, same.seconds) == ("again", Claim.NONE, 6.5)
    assert same.said == "p = 0.292"  # as scipy's ttest_ind(equal_var=False) has it
    assert slower.claim is Claim.SLOWER
    assert slower.ratio == pytest.approx(0.0463666 * 1.05 / 0.0466256, rel=1e-5)


def test_the_exports_of_both_versions_of_hyperfine_are_read() -> None:
    """Version 2 has a given name beside the command, and every metric of every run."""
    of_1 = {"command": "short", "times": [1.0, 2.0], "memory_usage_byte": [4096, 8192]}
    (of_2, *_) = json.loads((AUDITED / "hyperfine-2-parameters.json").read_text())["results"]
    renamed = [of_2 | {"name": name} for name in (BASELINE, "again")]

    assert hyperfine.values(of_1) == [1.0, 2.0]
    assert hyperfine.values(of_1, "memory_peak_resident") == [4096, 8192]
    assert len(hyperfine.values(of_2)) == len(hyperfine.values(of_2, "memory_peak_resident")) == 3
    (judged,) = hyperfine.judge({"results": renamed}, 1.0)
    assert (judged.level, judged.claim, judged.ratio) == ("again", Claim.NONE, 1.0)


@pytest.mark.parametrize(
    ("judge", "file", "claim", "ratio", "said"),
    [
        # A wave means that there is no difference, however large the ratio.
        (benchstat.judge, "benchstat-slower.csv", Claim.SLOWER, 1.0574, "+5.74% (p=0.000 n=10)"),
        (benchstat.judge, "benchstat-faster.csv", Claim.FASTER, 0.9457, "-5.43% (p=0.000 n=10)"),
        (benchstat.judge, "benchstat-none.csv", Claim.NONE, 0.8587, "~ (p=0.971 n=10)"),
        (criterion.judge, "criterion-slower.txt", Claim.SLOWER, 1.047258, None),
        (criterion.judge, "criterion-faster.txt", Claim.FASTER, 0.82152, None),
        # p < 0.05, but less than its threshold of 1 %.
        (criterion.judge, "criterion-noise.txt", Claim.NONE, 1.003210, None),
        (criterion.judge, "criterion-none.txt", Claim.NONE, 1.006104, None),
        (pyperf.judge, "pyperf-slower.txt", Claim.SLOWER, 1.02, "t = -2.39"),
        (pyperf.judge, "pyperf-faster.txt", Claim.FASTER, 1 / 1.03, "t = 3.34"),
        (pyperf.judge, "pyperf-none.txt", Claim.NONE, 1 / 1.19, "not significant"),
    ],
)
def test_what_a_rival_prints_is_its_claim(judge, file: str, claim: Claim, ratio: float, said: str | None) -> None:
    judged = judge("+5%", recorded(file), 24.0)

    assert judged.claim is claim
    assert said in (None, judged.said)
    assert judged.ratio == pytest.approx(ratio, rel=1e-4)


def test_a_significant_difference_that_pyperf_rounds_away_keeps_its_direction() -> None:
    printed = recorded("pyperf-slower.txt").replace("1.02x slower", "1.00x slower")

    assert pyperf.judge("again", printed, 30.0).claim is Claim.SLOWER


def test_a_failed_test_of_pyperf_is_not_a_claim() -> None:
    printed = recorded("pyperf-slower.txt").replace(
        "Significant (t=-2.39)", "ERROR when testing if values are significant\nSignificant"
    )

    with pytest.raises(ToolFailed):
        pyperf.judge("again", printed, 30.0)


@pytest.mark.parametrize(
    ("judge", "printed"),
    [
        (benchstat.judge, "goos: linux\n,sec/op,CI\n"),
        (criterion.judge, recorded("criterion-first.txt")),  # a first run has nothing to compare with
        (pyperf.judge, "Benchmark suites have no benchmark in common\n"),
    ],
)
def test_an_output_that_is_not_understood_is_an_error(judge: object, printed: str) -> None:
    with pytest.raises(ToolFailed):
        judge("again", printed, 1.0)  # type: ignore[operator]


def test_sectax_is_judged_by_its_verdicts_in_the_first_metric_and_their_own_seconds() -> None:
    honesty = ours.judge(json.loads(recorded("sectax-honesty.json")), {"python/again": 27.3, "python/+5%": 39.3})
    command = ours.judge(json.loads(recorded("sectax-command.json")), {"all/again": 29.3, "all/plus5": 29.3})

    assert [(its.level, its.claim, its.said, its.seconds) for its in honesty] == [
        ("again", Claim.NONE, "equivalent", 27.3),
        ("+2%", Claim.SLOWER, "slower-materiality-open", None),
        ("+5%", Claim.SLOWER, "slower-material", 39.3),
    ]
    assert [(its.level, its.claim, its.said, its.seconds) for its in command] == [
        ("again", Claim.NONE, "inconclusive", None),  # the run ended, but no answer came
        ("+5%", Claim.SLOWER, "slower-material", 29.3),
    ]


def test_a_session_goes_on_where_the_file_ended_and_in_the_order_it_had() -> None:
    names = list(TOOLS)
    whole = list(next_visits(set(), 2, names))

    rest = list(next_visits(set(whole[:3]), 1, names))

    assert rest == whole[3:]
    assert {tool for _, tool in whole} == set(TOOLS)
    assert [session for session, tool in whole if TOOLS[tool].every == 2] == [2, 2, 2]


def test_every_session_has_the_baseline_again_and_the_costs_take_turns() -> None:
    assert [treatments(session)[1] for session in (1, 2, 3, 4, 5, 6)] == ["+5%", "+2%", "+2%", "+5%", "+5%", "+2%"]


def test_the_summary_counts_claims_against_the_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "visits.jsonl"
    for session, claim in enumerate([Claim.SLOWER, Claim.FASTER, Claim.NONE], start=1):
        judged = [Judged("again", claim, 1.001, "p = 0.5", 24.0), Judged("+2%", claim, 1.02, "p = 0.5", 25.0)]
        append(file, Visit(session, "pyperf", "2026-11-21T03:00:00+00:00", 60.0, (1.0, 1.5), judged))
    append(file, Visit(4, "pyperf", "2026-11-21T03:10:00+00:00", 0.1, (1.0, 1.0), trouble="lost"))

    show(list(read(file)))

    said = capsys.readouterr().out
    row = next(line for line in said.splitlines() if line.strip().startswith("pyperf"))
    assert "2 of 3: 66.7 %" in row  # a difference between a program and itself, in whichever direction
    assert "1 of 3: 33.3 %" in row  # slower is found, faster is wrong
    assert re.search(r"pyperf\b.* 4: lost", said)
    assert "benchstat" not in said  # it never visited


def report_of(verdict: str) -> dict[str, object]:
    primary = {"standing": "primary", "verdict": {"id": verdict}, "effect": {"log_ratio": 0.0}}
    return {"findings": [primary, primary | {"standing": "secondary"}]}


def test_an_answer_counts_from_start_to_end_and_only_where_sectax_has_decided() -> None:
    assert first_answer.answer(report_of("slower-material"), 9.0) == (9.0, 1.0, "slower-material")
    assert first_answer.answer(report_of("inconclusive"), 9.0) == (None, 1.0, "inconclusive")


def test_how_much_later_is_the_median_of_turns_and_never_where_most_were_undecided() -> None:
    theirs = [first_answer.Answer(6.0, 1.05, "p = 0.001")] * 3
    decided, undecided = first_answer.Answer(9.0, 1.05, "slower"), first_answer.Answer(None, 1.0, "inconclusive")

    assert first_answer.later([decided, undecided, decided], theirs) == 1.5
    assert first_answer.later([undecided, undecided, decided], theirs) == float("inf")
