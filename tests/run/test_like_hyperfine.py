"""What hyperfine's users expect of `sectax run command`: scans, warm-up, input, output, a number of runs, exports."""

from __future__ import annotations

import json
import shlex
import statistics
from collections import Counter
from pathlib import Path

import pytest

from sectax.audit.checks.registry import review
from sectax.audit.reading.registry import read
from sectax.experiments.command.hyperfine import arguments, read_metrics, with_commands
from sectax.experiments.command.scans import fill
from sectax.model.errors import WrongUse
from sectax.model.finding import Severity
from sectax.reports.hyperfine import Origin, TimedCommand, to_json
from tests.golden import cases, refused_as_agreed
from tests.program import Said, sectax
from tests.run.sessions import rows

GOLDEN = Path(__file__).with_name("golden")

RECORDED = Path(__file__).with_name("recorded")


def run(folder: Path, *words: str, simulated: int | None = 1) -> Said:
    return sectax("run", "command", *words, "--out", "r.sectax", folder=folder, simulated=simulated)


def test_each_value_of_a_scan_is_a_cell_with_a_baseline_of_its_own(tmp_path):
    result = run(tmp_path, "-L", "s=1,2", "--baseline", "sleep 0.{s}", "--treatment", "more=sleep 0.{s}5", "--json")

    document = json.loads(result.out)
    assert result.status == 0, result.err
    assert [cell["levels"] for cell in document["plan"]["cells"]] == [{"s": "1"}, {"s": "2"}]
    ratios = [item["effect"]["cost_ratio"] for item in document["findings"] if item["standing"] == "primary"]
    assert ratios == pytest.approx([1.5, 1.25], rel=0.03)


def test_two_scans_are_crossed_and_one_level_can_be_chosen(tmp_path):
    words = ("-L", "a=1,2", "--scan", "b=3,4", "--baseline", "sleep 0.{a}", "--treatment", "x=sleep 0.{b}")

    result = run(tmp_path, *words, "--level", "b=4", "--blocks", "6", "--json")

    cells = json.loads(result.out)["plan"]["cells"]
    assert [cell["levels"] for cell in cells] == [{"a": "1", "b": "4"}, {"a": "2", "b": "4"}]


@pytest.mark.parametrize("typed", cases(GOLDEN / "like-hyperfine.txt"))
def test_what_cannot_be_meant_is_refused_before_anything_runs(tmp_path, typed):
    result = run(tmp_path, *shlex.split(typed), "--treatment", "b=true")

    refused_as_agreed(GOLDEN / "like-hyperfine.txt", typed, result, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("typed", "ours"),
    [
        (("-L", "a", "1,2", "sleep {a}"), ["--scan", "a=1,2", "sleep {a}"]),
        (("-L", "a=1,2"), ["--scan", "a=1,2"]),
        (("-P", "n", "1", "5", "-D", "2", "x"), ["--scan", "n=1,3,5", "x"]),
        (("--parameter-scan", "n", "0.1", "0.3", "--parameter-step-size", "0.1"), ["--scan", "n=0.1,0.2,0.3"]),
        (("--command-name", "a", "-r", "9"), ["--name", "a", "-r", "9"]),
        (("-S", "none", "true"), ["--no-shell", "true"]),
        (("--shell", "sh", "true"), ["--shell", "true"]),
        (("--shell", "true", "false"), ["--shell", "true", "false"]),
    ],
)
def test_what_hyperfine_takes_becomes_our_own(typed: tuple[str, ...], ours: list[str]) -> None:
    assert arguments(typed) == ours


def test_another_shell_is_refused_and_is_not_a_command() -> None:
    for typed in (("--shell", "bash", "true"), ("-S", "zsh", "true"), ("--shell=bash", "true")):
        with pytest.raises(WrongUse) as caught:
            arguments(typed)
        assert " -c " in caught.value.hint


@pytest.mark.parametrize("typed", [("-P", "n", "5", "1"), ("-P", "n", "a", "b"), ("-P", "n"), ("-P", "n", "1", "1e9")])
def test_an_invalid_range_is_refused(typed: tuple[str, ...]) -> None:
    with pytest.raises(WrongUse):
        arguments(typed)


def test_the_first_bare_command_is_the_baseline_and_the_others_have_names_of_their_own() -> None:
    made = with_commands(["sleep 1", "sleep 2", "sleep 2"], {})

    assert made == {"baseline": ("sleep 1",), "treatment": ("sleep-2=sleep 2", "sleep-2-2=sleep 2")}


def test_what_is_given_once_beside_one_command_has_the_values_of_its_scan() -> None:
    made = with_commands(["work"], {"scan": ("n=1,2",), "env": ("THREADS={n}",), "prepare": ("true",)})

    assert made["env"] == ("THREADS=1", "THREADS=2")
    assert made["prepare"] == ("true",)


def test_the_table_shows_the_metrics_that_are_asked_for(tmp_path):
    said = run(tmp_path, "sleep 0.01", "sleep 0.02", "-r", "6", "--metrics", "memory_peak_resident,instructions")

    assert said.status == 0, said.err
    assert "peak memory is shown next to it" in said.err
    assert [line.split("  ")[0] for line in said.out.splitlines() if "sleep-0.02 " in line][:2] == [
        "wall time",
        "peak memory",
    ]
    assert read_metrics("default") == ("wall", "peak_memory")
    assert read_metrics("instructions,time_cpu") == ("instructions", "cpu")


def test_one_command_with_a_scan_compares_its_values() -> None:
    made = with_commands(["sleep {t}"], {"scan": ("t=1,2",)})

    assert made == {"baseline": ("sleep 1",), "treatment": ("sleep-2=sleep 2",), "values": ("t=1", "t=2")}
    assert with_commands(["sleep {t}"], {"scan": ("t=1,2",), "name": ("nap-{t}",)})["name"] == ("nap-1", "nap-2")


@pytest.mark.parametrize(("words", "names"), [((), [None, None]), (("-n", "nap-{t}"), ["nap-0.01", "nap-0.02"])])
def test_the_export_has_the_names_and_the_parameters_of_hyperfines(tmp_path, words, names):
    """As `hyperfine -L t 0.01,0.02 [-n 'nap-{t}'] 'sleep {t}'` of version 2.0 writes them."""
    said = run(tmp_path, "-L", "t", "0.01,0.02", *words, "sleep {t}", "-N", "-r", "6", "--export-json", "e.json")

    assert said.status == 0, said.err
    results = json.loads((tmp_path / "e.json").read_text())["results"]
    assert [result["command"] for result in results] == ["sleep 0.01", "sleep 0.02"]
    assert [result.get("name") for result in results] == names
    assert [result["parameters"] for result in results] == [{"t": {"value": value}} for value in ("0.01", "0.02")]


def test_names_are_given_in_the_order_of_the_commands(tmp_path):
    result = run(tmp_path, "sleep 0.01", "sleep 0.02", "-n", "short", "-n", "long", "-N", "-r", "6", "--json")

    assert result.status == 0, result.err
    assert json.loads(result.out)["plan"]["factors"] == [{"name": "command", "levels": ["short", "long"]}]


@pytest.mark.more
def test_setup_may_build_what_is_compared(tmp_path):
    result = run(tmp_path, "./built", "true", "--setup", "cp /bin/true built", "--blocks", "6", simulated=None)

    assert result.status == 0, result.err
    assert (tmp_path / "built").exists()


def test_braces_stay_where_there_is_no_scan_and_where_they_are_doubled():
    assert fill("curl -w %{http_code} {}", {}, "it") == "curl -w %{http_code} {}"
    assert fill("x {n} {{n}} {} {print $1} {{print}}", {"n": "7"}, "it") == "x 7 {n} {} {print $1} {print}"


def test_runs_are_executed_as_often_as_asked(tmp_path):
    said = run(
        tmp_path, "--baseline", "sleep 0.01", "--treatment", "b=sleep 0.02", "--runs", "30", "--export-json", "e"
    )

    assert said.status == 0, said.err
    assert [len(result["measurements"]) for result in json.loads((tmp_path / "e").read_text())["results"]] == [30, 30]


@pytest.mark.more
@pytest.mark.parametrize("warmup", [0, 40])
def test_warm_up_is_executed_once_and_with_runs_nothing_else_is_thrown_away(tmp_path, warmup):
    """Every block starts the baseline and its two controls afresh; each execution writes which launcher started it."""
    result = run(
        tmp_path, "--baseline", "/bin/sh -c 'echo $PPID >>log'", "--treatment", "b=true", "--runs", "6",
        "--warmup", str(warmup), simulated=None,
    )  # fmt: skip
    totals = "SELECT operations FROM block_totals WHERE metric = 'wall' AND role != 'treatment'"
    counted = [operations for (operations,) in rows(tmp_path, totals)]
    pilot, *executed = Counter((tmp_path / "log").read_text().split()).values()  # in the order of their first execution

    assert result.status in (0, 3), result.err
    assert len(counted) == 6 * 3
    assert sorted(executed) == sorted(counted)
    assert (pilot > 40) == (warmup == 40)


def shape(document: object) -> object:
    """The keys of a document in their order, the type of each value, and every unit."""
    if isinstance(document, dict):
        return [(name, item if name == "unit" else shape(item)) for name, item in document.items()]
    return [shape(document[0])] if isinstance(document, list) else type(document)


def test_the_export_has_the_keys_types_and_units_of_a_real_one(tmp_path):
    run(
        tmp_path, "-L", "n=1,2", "--baseline", "sleep 0.0{n}", "--treatment", "b=true", "--blocks", "6",
        "--export-json", "e.json",
    )  # fmt: skip
    ours = json.loads((tmp_path / "e.json").read_text())
    theirs = json.loads((RECORDED / "hyperfine-2.0.json").read_text())

    # The file does not say that hyperfine made it.
    assert ours["metadata"].pop("sectax_version")
    assert theirs["metadata"].pop("hyperfine_version")
    assert shape(ours) == shape(theirs)
    for own, other in zip(ours["results"], theirs["results"], strict=True):
        assert (own["command"], own["parameters"]) == (other["command"], other["parameters"])
        assert shape(own) == shape(other)


def test_the_audit_reads_the_export(tmp_path):
    run(tmp_path, "sleep 0.01", "sleep 0.02", "-r", "30", "--export-json", "e.json")

    grammar, evidence = read((tmp_path / "e.json").read_text())
    times = {series.levels["command"]: series for series in evidence.series if series.metric == "time"}
    assert grammar.title == "hyperfine's JSON"
    assert {series.metric for series in evidence.series} == {"time", "cpu", "memory"}
    assert [(command, len(series.values), series.work.failures) for command, series in times.items()] == [
        ("sleep 0.01", 30, 0), ("sleep 0.02", 30, 0),
    ]  # fmt: skip
    assert times["sleep 0.02"].typical == pytest.approx(0.02, rel=0.05)
    assert not any(warning.severity is Severity.FATAL for check in review(evidence) for warning in check.warnings)


def test_variables_are_in_the_export_as_hyperfine_has_them(tmp_path):
    """As `hyperfine -L n 1,2 --env "X={n} Y='a b'" true` of version 2.0 writes them."""
    run(tmp_path, "-L", "n", "1,2", "--env", "X={n} Y='a b'", "true", "-r", "6", "--export-json", "e.json")

    results = json.loads((tmp_path / "e.json").read_text())["results"]
    assert [result["command"] for result in results] == ["true", "true"]
    assert [result["name"] for result in results] == ["X=1 Y='a b' true", "X=2 Y='a b' true"]
    assert results[1]["environment"] == {"X": "2", "Y": "a b"}
    assert list(results[1]) == ["command", "name", "measurements", "parameters", "environment", "summary"]


def test_the_summary_is_that_of_the_measurements(tmp_path):
    run(tmp_path, "sleep 0.01", "sleep 0.02", "--blocks", "6", "--export-json", "e.json")

    slept, _ = json.loads((tmp_path / "e.json").read_text())["results"]
    for metric, summary in slept["summary"].items():
        values = [measurement[metric]["value"] for measurement in slept["measurements"]]
        assert summary["count"] == len(values)
        assert summary["mean"] == pytest.approx(statistics.mean(values))
        assert summary["stddev"] == pytest.approx(statistics.stdev(values))
        assert (summary["median"], summary["min"], summary["max"]) == (
            statistics.median(values), min(values), max(values),
        )  # fmt: skip
    means = {metric: summary["mean"] for metric, summary in slept["summary"].items()}
    assert means["time_wall_clock"] == pytest.approx(0.01, rel=0.05)
    assert means["time_user"] + means["time_system"] == pytest.approx(means["time_cpu"])


@pytest.mark.more
def test_the_export_of_a_real_run_has_what_was_measured(tmp_path):
    """In bytes and seconds, also of a command so short that several are one batch."""
    said = run(tmp_path, "true", "sh -c 'exit 3'", "-i", "--blocks", "6", "--export-json", "e.json", simulated=None)

    assert said.status in (0, 3), said.err
    same, failing = json.loads((tmp_path / "e.json").read_text())["results"]
    assert {measurement["exit_code"] for measurement in failing["measurements"]} == {3}
    for measurement in same["measurements"]:
        assert 2**16 < measurement["memory_peak_resident"]["value"] < 2**26
        assert 0 <= measurement["time_system"]["value"] < 1
        assert 1e-5 < measurement["time_wall_clock"]["value"] < 1


def test_a_run_file_from_before_has_no_time_in_the_kernel():
    """What was not measured is left out."""
    timed = TimedCommand("true", "", ({"time_wall_clock": 0.1, "time_cpu": 0.05},), 0)
    (result,) = json.loads(to_json([timed], Origin("0.1.0")))["results"]

    assert list(result) == ["command", "measurements", "summary"]
    assert list(result["measurements"][0]) == ["time_wall_clock", "time_cpu", "exit_code"]
    assert list(result["summary"]) == ["time_cpu", "time_wall_clock"]
    assert result["summary"]["time_cpu"]["stddev"] is None


@pytest.mark.more
def test_resume_needs_no_options_again(tmp_path):
    run(tmp_path, "-L", "n=1,2", "--baseline", "sleep 0.0{n}", "--treatment", "b=true", "--runs", "6", "--warmup", "3")

    result = sectax("resume", "r.sectax", "--all", folder=tmp_path, simulated=1)

    assert result.status == 0, result.err
    assert "scan: n=1,2" in result.out
