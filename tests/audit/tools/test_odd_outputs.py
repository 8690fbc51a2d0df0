"""Outputs that are read in a way of their own."""

from __future__ import annotations

import json

import pytest

from sectax.audit.checks.registry import review
from sectax.audit.form import TroubleKind
from sectax.audit.reading import registry, text
from sectax.formats.bad_input import BadInput
from tests.audit.tools.said import build_evidence, said, sample

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
