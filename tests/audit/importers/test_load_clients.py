"""ab, hey, oha and k6: what their outputs tell, and what two of their lines contradict."""

from __future__ import annotations

import pytest

from sectax.audit.evidence import Evidence
from sectax.audit.figure import EndsBy
from sectax.audit.importers.load_run import command
from sectax.audit.registry import review
from sectax.formats.bad_input import BadInput
from tests.audit.importers.samples import figures, read, sample


def said(evidence: Evidence) -> set[str]:
    """'F check' and 'W check'."""
    return {f"{warning.severity.value} {each.check}" for each in review(evidence) for warning in each.warnings}


def words(text: str) -> str:
    """All that is said of a text."""
    return "; ".join(warning.saw for each in review(read(text)) for warning in each.warnings)


AB = sample("ab.txt")
HEY = sample("hey.txt")
K6 = sample("k6.txt")
K6_OLD = sample("k6-old.txt")


def test_ab_tells_times_rate_bytes_and_no_failure() -> None:
    read_ = figures(AB)
    mean = read_["http://127.0.0.1:18765/: latency, mean"]

    assert mean.value == 0.006
    assert mean.trials == 2000
    assert mean.circumstances.errors == 0
    assert mean.circumstances.wall_s == pytest.approx(2.785, abs=0.01)
    assert read_["http://127.0.0.1:18765/: latency, p99"].value is not None
    assert read_["http://127.0.0.1:18765/: requests/s"].value == pytest.approx(2000 / mean.circumstances.wall_s, 1e-3)


def test_ab_names_the_rate_that_is_not_its_count() -> None:
    assert "F contradiction" in said(read(AB.replace("Complete requests:      2000", "Complete requests:      4000")))
    assert "F contradiction" not in said(read(AB))


def test_ab_names_a_mean_that_so_few_connections_cannot_have() -> None:
    """Four at a time and 718 a second: no request can take 300 ms in the mean."""
    lines = [
        line if not line.startswith("Total:  ") else "Total:          0   300   1.1      5     584"
        for line in AB.split("\n")
    ]

    assert "F contradiction" in said(read("\n".join(lines)))


def test_ab_takes_answers_of_another_length_for_failures_where_most_is_missing() -> None:
    kinds = "Failed requests:        200\n   (Connect: 0, Receive: 0, Length: 200, Exceptions: 0)"
    empty = AB.replace("Failed requests:        0", kinds).replace("16800000 bytes", "15120000 bytes")
    other = AB.replace("Failed requests:        0", kinds).replace("16800000 bytes", "16801000 bytes")

    assert "F unequal-work" in said(read(empty))
    assert "F unequal-work" not in said(read(other))
    assert "W said-by-the-tool" in said(read(other))


def test_ab_sending_a_body_is_other_work_than_asking_for_the_same_path() -> None:
    short = AB.replace("8400 bytes", "21 bytes").replace("16800000 bytes", "42000 bytes")
    short = short.replace("17174000", "416000").replace("6021.83", "145.87")
    posted = short.replace("HTML transferred:", "Total body sent:        54600000\nHTML transferred:")

    assert "an answer has 208 bytes" in words(AB + short)
    assert "an answer has" not in words(AB + posted)


def test_ab_without_results_says_why() -> None:
    stopped = (
        "This is ApacheBench, Version 2.3\n\nBenchmarking x (be patient)\napr_socket_recv: Connection refused (111)\n"
    )

    with pytest.raises(BadInput, match="apr_socket_recv: Connection refused"):
        read(stopped)
    assert "W said-by-the-tool" in said(read(AB + stopped))


@pytest.mark.parametrize(("text", "cut"), [(AB, "Requests per second"), (HEY, "  Slowest")])
def test_an_output_that_is_cut_short_is_no_result(text: str, cut: str) -> None:
    with pytest.raises(BadInput, match="cut short"):
        read(text[: text.index(cut)])


def test_a_command_above_an_output_tells_what_ended_it() -> None:
    first = next(iter(figures("$ ab -t 10 -c 4 http://x/\n" + AB).values()))
    other = next(iter(figures("$ hey -n 2000 -c 4 http://127.0.0.1:18765/\n" + HEY).values()))

    assert first.circumstances.ends_by is EndsBy.TIME
    assert first.circumstances.configured_s == 10
    assert other.circumstances.ends_by is EndsBy.EVENTS
    assert other.levels["url"] == "http://127.0.0.1:18765/"


@pytest.mark.parametrize("line", ["hey there", "they said -n http://x", "hey" * 2000, "`hey`", ""])
def test_prose_is_no_command(line: str) -> None:
    assert command(line, "hey") is None


def test_hey_counts_errors_beside_its_answers() -> None:
    failing = HEY + "Error distribution:\n  [7]\tGet http://x: EOF\n"
    events = {figure.circumstances.events for figure in figures(failing).values()}

    assert events == {2007.0}
    assert "F unequal-work" in said(read(failing))


def test_hey_with_a_mean_above_its_slowest_is_named() -> None:
    """It divides the times of all by the number of the first million."""
    assert "F contradiction" in said(read(HEY.replace("Average:\t0.0026", "Average:\t0.9")))


@pytest.mark.parametrize("limit", ["-q 0", "-q 0.0"])
def test_a_limit_of_nothing_is_no_limit(limit: str) -> None:
    evidence = read(f"$ hey {limit} -z 10s http://x/\n\n{HEY}")

    assert evidence.figures[0].circumstances.target_rate is None
    assert "F fixed-time-total" not in said(evidence)


def test_hey_of_a_million_answers_says_that_it_kept_no_more() -> None:
    many = HEY.replace("responses", "responses\n  [204]\t{} responses", 1)
    answers = int(HEY.split("[200]\t")[1].split()[0])

    assert any("first million" in each.meaning for each in read(many.format(1_000_000 - answers)).incidents)
    assert not any("first million" in each.meaning for each in read(many.format(7)).incidents)


def test_an_empty_line_after_each_is_no_reason_to_refuse_hey() -> None:
    assert figures(HEY.replace("\n", "\n\n").replace("Summary", "summary")).keys() == figures(HEY).keys()


def test_oha_has_units_of_its_own() -> None:
    read_ = figures(sample("oha.txt"))

    assert read_["http://127.0.0.1:8080/10KB: latency, p99"].value == pytest.approx(0.0141022)
    assert read_["http://127.0.0.1:8080/10KB: requests/s"].circumstances.named_bytes == 10240


def test_k6_tells_trends_of_requests_and_iterations() -> None:
    read_ = figures(K6)

    assert read_["login.js: http_req_duration, p95"].value == pytest.approx(16.94e-3)
    assert read_["login.js: iteration_duration, mean"].value == pytest.approx(10.3e-3)
    assert read_["login.js: http_req_duration{expected_response:true}, mean"].trials == 58210
    assert read_["login.js: requests/s"].value == pytest.approx(1940.102041)


def test_k6_says_what_failed_what_was_dropped_and_what_it_warned_of() -> None:
    evidence = read(K6_OLD)
    words = " ".join(incident.saw for incident in evidence.incidents)

    assert {"F unequal-work", "F saturated-client", "W said-by-the-tool"} <= said(evidence)
    assert "Insufficient VUs" in words
    assert "'status is 200' failed 139 times of 27950" in words
    assert not {"F contradiction", "W contradiction"} & said(evidence)


@pytest.mark.parametrize(
    "cut",
    [
        K6[: K6.index("    http_reqs.")],
        K6[: K6.index("    NETWORK")],
        K6[: K6.index(" p(95)=17.05ms")],
        K6_OLD[: K6_OLD.index("     iterations.")],
    ],
    ids=["requests", "network", "line", "old form"],
)
def test_a_summary_of_k6_that_was_cut_short_says_so(cut: str) -> None:
    whole = K6 if cut in K6 else K6_OLD

    assert any("cut short" in incident.meaning for incident in read(cut).incidents)
    assert not any("cut short" in incident.meaning for incident in read(whole).incidents)


def test_k6_colours_are_no_part_of_its_numbers() -> None:
    coloured = K6.replace("avg=10.21ms", "avg=\x1b[36m10.21ms\x1b[0m")

    assert figures(coloured).keys() == figures(K6).keys()


def test_k6_parts_that_are_not_the_whole_are_named() -> None:
    assert "F contradiction" in said(read(K6_OLD.replace("avg=122.33ms", "avg=22.33ms")))


def test_k6_below_no_time_at_all_is_named() -> None:
    evidence = read(K6.replace("min=1.34ms", "min=-439056ns"))

    assert any("clock was set back" in incident.meaning for incident in evidence.incidents)
    assert "F said-by-the-tool" in said(evidence)


def test_k6_that_reached_the_rate_that_was_asked_for_shows_no_cost() -> None:
    asked = K6.replace("20 looping VUs for 30s", "1940.00 iterations/s for 30s (maxVUs: 20")

    assert "F fixed-time-total" in said(read(asked))
    assert "F fixed-time-total" not in said(read(K6))


@pytest.mark.parametrize("name", ["k6-export.json", "k6-summary.json"])
def test_both_forms_of_k6s_json_are_read(name: str) -> None:
    read_ = figures(sample(name))

    assert read_["summary: http_req_duration, mean"].value == pytest.approx(3.2146e-3)
    assert read_["summary: http_req_duration, p95"].trials == 9120


def test_k6_json_with_failures_is_named() -> None:
    assert "F unequal-work" in said(read(sample("k6-summary.json")))
    assert "F unequal-work" not in said(read(sample("k6-export.json")))


def test_a_time_below_zero_is_named_and_refuses_nothing() -> None:
    healthy = sample("k6-export.json")
    back = healthy.replace('"min": 0.8121', '"min": -401.5')

    assert back != healthy
    assert said(read(back)) - said(read(healthy)) == {"F contradiction"}


def test_single_points_of_k6_are_refused_in_words() -> None:
    with pytest.raises(BadInput):
        read('{"metric":"http_reqs","type":"Point","data":{"value":1}}\n{"metric":"http_req_duration"}\n')


def test_a_name_that_only_begins_as_that_of_a_count_is_no_statistic() -> None:
    """It was an error of the program."""
    summary = sample("k6-summary.json")

    assert read(summary.replace('"avg":', '"count==": 1, "avg":', 1)).figures == read(summary).figures
