"""Outputs that are read in a way of their own."""

from __future__ import annotations

import json

import pytest

from sectax.audit.checks.registry import review
from sectax.audit.form import TroubleKind
from sectax.audit.reading import registry, text
from sectax.formats.bad_input import BadInput
from tests.audit.tools.said import SAMPLES, build_evidence, said, sample

JMH = sample("jmh.txt")


def test_a_log_of_jmh_is_read_by_its_table_or_else_by_its_results() -> None:
    table, results = (build_evidence(text).series for text in (JMH, JMH[: JMH.index("# Run complete")]))

    assert [one.typical for one in table] == pytest.approx([one.typical for one in results], rel=1e-3)
    assert [one.claims[1].value for one in table] == pytest.approx([one.claims[1].value for one in results], rel=1e-3)


def test_a_log_of_jmh_without_its_beginning_is_reported_as_cut() -> None:
    first, rest = JMH.split("Result", 1)
    kinds = {trouble.kind for trouble in build_evidence(first + rest.split("\n\n\n", 1)[1]).troubles}

    assert kinds == {TroubleKind.CUT}


def test_a_heading_of_words_is_not_a_benchmark_of_jmh() -> None:
    assert registry.recognised("# Benchmark: Response Times\n\nIt took 12 ms.\n") is None
    assert registry.recognised("# Benchmark: org.sample.Hash.sha\n") == "jmh"


def test_far_too_many_results_are_refused(monkeypatch: pytest.MonkeyPatch, agreed) -> None:
    monkeypatch.setattr(text, "_MOST_RECORDS", 5)

    with pytest.raises(BadInput) as refused:
        registry.read(JMH * 6)

    agreed(refused.value)


def test_a_million_answers_are_not_all_that_hey_sent() -> None:
    kept = sample("hey.txt").replace("2000 responses", "1000000 responses")

    assert build_evidence(kept).series[0].work.operations is None


def test_reports_of_sysbench_are_values_in_order() -> None:
    reports = "".join(f"[ {at}s ] thds: 4 tps: {1200 if at < 20 else 800}.00 qps: 9\n" for at in range(1, 41))
    text = sample("sysbench-oltp.txt").replace("\nSQL", f"\n{reports}\nSQL")
    series = {one.metric: one for one in build_evidence(text).series}

    assert list(series["reports"].values[18:20]) == [1200, 800]


def test_the_same_server_with_and_without_tls_is_comparable() -> None:
    plain = sample("wrk.txt")
    both = f"{plain}\n{plain.replace('http://', 'https://')}"

    assert len({str(one.levels) for one in build_evidence(both).series}) == 2
    assert not {check for _, check in said(both)} & {"apples-and-oranges", "mislabelled-level", "unequal-work"}


def test_processes_on_another_processor_are_another_series() -> None:
    on_another = sample("pyperf.json").replace('"date":"2026-11-21 03:14:56.948502"', '"cpu_model_name":"another"')

    assert {len(one.values) for one in build_evidence(on_another).series} == {18, 2}


def test_the_figures_of_a_mean_beyond_the_maximum_are_those_of_its_command_alone() -> None:
    document = json.loads(sample("hyperfine.json"))
    document["results"][0]["mean"] = 1.5 * document["results"][0]["max"]
    evidence = build_evidence(json.dumps(document))

    (outcome,) = (one for one in review(evidence) if one.check == "contradiction")

    assert {one.figures for one in outcome.warnings} == {(evidence.series[0].id,)}


# Samples whose names begin otherwise than the format.
NAMED = {
    "gobench": "go-bench", "oha": "hey", "openssl-s-time": "openssl-s-time", "openssl": "openssl-speed",
    "rust": "criterion", "wrk2": "wrk",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.iterdir() if path.suffix not in (".md", ".read")))
def test_a_sample_is_recognized_as_the_output_of_its_tool(name: str) -> None:
    begins = [*NAMED.items(), *((format_name, format_name) for format_name in registry.names()), ("table", None)]
    longest = max((pair for pair in begins if name.startswith(pair[0])), key=lambda pair: len(pair[0]))

    assert registry.recognised(sample(name)) == longest[1]


@pytest.mark.parametrize(
    "line",
    [
        "12345678 bytes (12 MB, 12 MiB) copied, 0.5 s, 24 MB/s",
        "---- Global Information --------------------------------------------------------",
        "MIGRATED TCP_STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to localhost",
        "Type     Name     # reqs   # fails |  Avg  Min\nGET  /  12  0(0.00%) |  12  3",
        "Operation | Iterations | Total time (s) | Time (us): mean\nkeygen | 20 | 3.0 | 15.0",
    ],
)
def test_a_tool_that_is_not_read_is_named(line: str, agreed) -> None:
    text = f"some text\n{line}\n"
    with pytest.raises(BadInput) as refused:
        registry.read(text, registry.recognised(text))

    agreed(refused.value)


@pytest.mark.parametrize("rows", ["", "sleep 0.01,0.01\n", "a,b,c,d,e,f,g,h,i\n"])
def test_a_damaged_csv_of_a_tool_is_refused_by_its_name(rows: str, agreed) -> None:
    headings = sample("hyperfine-1.20-csv.txt").split("\n", 1)[0]
    with pytest.raises(BadInput) as refused:
        registry.read(f"{headings}\n{rows}")

    agreed(refused.value)


def test_a_csv_of_a_tool_may_have_semicolons_from_a_spreadsheet() -> None:
    text = sample("locust.csv")
    commas, semicolons = (build_evidence(one).series for one in (text, text.replace(",", ";")))

    assert [one.claims for one in semicolons] == [one.claims for one in commas]


def test_a_damaged_percentile_in_a_heading_is_not_read() -> None:
    damaged = build_evidence(sample("redis-benchmark.csv").replace("p99_", "p9.9.9_"))

    assert "p99" not in {claim.statistic for one in damaged.series for claim in one.claims}


def test_only_the_first_table_of_hyperfine_is_read_and_the_next_is_named() -> None:
    table = sample("hyperfine-1.20-markdown.txt").rstrip("\n")
    other = "\n| `tool` | kB |\n|---|---:|\n| `a` | 12 |\n"
    evidence = build_evidence(table + other)

    assert [one.claims for one in evidence.series] == [one.claims for one in build_evidence(table).series]
    assert {trouble.kind for trouble in evidence.troubles} == {TroubleKind.UNREAD}


def test_a_row_of_hyperfine_that_is_cut_is_reported() -> None:
    cut = sample("hyperfine-1.20-org.txt").rstrip().rpartition("31.2 ± 0.0")[0]
    evidence = build_evidence(f"{cut}\n|\n")

    assert {one.run for one in evidence.series} == {"sleep 0.02"}
    assert [trouble.kind for trouble in evidence.troubles] == [TroubleKind.UNREAD]


def test_what_go_test_wraps_into_json_is_read_as_it_was_printed() -> None:
    wrapped = (
        "\n".join(
            json.dumps({"Time": "2026-11-28T17:57:10Z", "Action": "output", "Output": part})
            for line in sample("gobench.txt").splitlines(keepends=True)
            for part in (line[:12], line[12:])
        )
        .replace(": ", ":")
        .replace(", ", ",")
    )

    assert [one.typical for one in build_evidence(wrapped).series] == [
        one.typical for one in build_evidence(sample("gobench.txt")).series
    ]


def test_reading_a_row_of_benchstat_stops_where_it_does_not_match() -> None:
    odd = sample("benchstat-two-digits.txt").replace("500µs ± 2%", "n/a")
    evidence = build_evidence(odd)

    assert {one.levels["column"] for one in evidence.series if one.levels["name"] == "Sign-4"} == {"1"}
    assert [trouble.kind for trouble in evidence.troubles] == [TroubleKind.UNREAD]


@pytest.mark.parametrize(("printed", "seconds"), [("0m0,202s", 0.202), ("1m1.300s", 61.3), ("0.10", 0.1)])
def test_a_time_of_the_shell_has_the_decimal_sign_of_its_language(printed: str, seconds: float) -> None:
    assert build_evidence(f"real\t{printed}\nuser\t0m0.001s\n").series[0].typical == pytest.approx(seconds)
