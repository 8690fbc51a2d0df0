"""What outputs of warp tell in passing: each with one in which the same is well."""

from __future__ import annotations

import pytest

from tests.audit.importers.said import said
from tests.audit.importers.samples import read

WARP = """Operation: GET. Concurrency: 8
* Average: 90.00 MiB/s, 90.00 obj/s

Throughput by host:
 * http://a:9000: Avg: {host} obj/s

Throughput, split into 59 x 1s:
 * Fastest: {fastest} obj/s
 * 50% Median: {median} obj/s
 * Slowest: 20.00 obj/s
"""


@pytest.mark.parametrize(
    ("host", "fastest", "median", "found"),
    [
        ("90.00", "100.00", "91.00", ""),
        ("0.00", "100.00", "91.00", "F contradiction"),
        ("90.00", "50.00", "46.00", "F contradiction"),
        ("90.00", "200.00", "30.00", "W said-by-the-tool"),
    ],
)
def test_the_seconds_and_hosts_of_warp_are_held_against_its_average(
    host: str, fastest: str, median: str, found: str
) -> None:
    heard = said(read(WARP.format(host=host, fastest=fastest, median=median)))
    seen = {f"{severity} {check}" for check, (severity, _) in heard.items()}

    assert seen & {"F contradiction", "W said-by-the-tool"} == ({found} if found else set())


def test_what_warp_left_out_before_its_first_report_is_told() -> None:
    text = "Skipping PUT too few samples.\n" + WARP.format(host="90.00", fastest="100.00", median="91.00")

    assert said(read(text))["said-by-the-tool"][0] == "W"


WARP_FORMS = {
    "2019": "Operation: PUT\n* Average: 971.75 MB/s, 97.18 obj/s, 97.16 ops ended/s (59.417s)\n",
    "mixed of 2020": "Mixed operations.\n\nOperation: GET\n * 632.28 MiB/s, 354.78 obj/s (59.993s)\n",
    "mixed": "Operation: GET, 45%, Concurrency: 20, Ran 42s.\n * Throughput: 2477.45 MiB/s, 247.75 obj/s\n",
    "without bytes": "Operation: DELETE, 10%, Concurrency: 20, Ran 42s.\n * Throughput: 55.13 obj/s\n",
    "2024": "Report: GET (1815 reqs). Ran Duration: 12s\n * Average: 181.90 MiB/s, 121.27 obj/s (12s)\n",
}


@pytest.mark.parametrize("form", WARP_FORMS)
def test_every_form_of_an_average_of_warp_is_read(form: str) -> None:
    figures = {figure.metric: figure.value for figure in read(WARP_FORMS[form]).figures}

    assert figures["rate"] is not None
    assert ("bandwidth" in figures) == ("B/s" in WARP_FORMS[form])


def test_the_same_numbers_of_two_operations_of_warp_were_copied() -> None:
    numbers = (
        "* Average: 10.06 MiB/s, 1030.01 obj/s\n\nThroughput, split into 59 x 1s:\n"
        " * Fastest: 11.3MiB/s, 1159.69 obj/s\n"
        " * 50% Median: 10.3MiB/s, 1059.06 obj/s\n * Slowest: 6.7MiB/s, 685.26 obj/s\n"
    )
    twice = f"Operation: DELETE\n{numbers}\nOperation: LIST\n{numbers}"

    assert said(read(twice))["copied-data"][0] == "F"
    assert "copied-data" not in said(read(twice.replace("1159.69", "1160.70", 1)))


def test_operations_of_a_mixed_benchmark_of_warp_add_up() -> None:
    mixed = (
        "Mixed operations.\nOperation: GET, 45%, Concurrency: 20, Ran 42s.\n"
        " * Throughput: 2477.45 MiB/s, 247.75 obj/s\n\n"
        "Operation: STAT, 30%, Concurrency: 20, Ran 42s.\n * Throughput: 165.27 obj/s\n\n"
        "Cluster Total: 2477.45 MiB/s, 413.02 obj/s over 43s.\n"
    )

    assert "contradiction" not in said(read(mixed))
    assert "contained-work" not in said(read(mixed))  # the shares were asked for
    assert said(read(mixed.replace("413.02", "513.02")))["contradiction"][0] == "F"


def test_an_operation_of_no_bytes_takes_no_time_and_is_held_against_nothing() -> None:
    size = " * Objects per request: 1. Size: 0 bytes. Concurrency: 20."
    text = (
        f"Report: GET (10 reqs).\n{size}\n * Average: 1.00 MiB/s, 1.00 obj/s (1s)\n"
        f"Report: STAT (10 reqs).\n{size}\n * Average: 1.00 MiB/s, 1.00 obj/s (1s)\n"
    )

    assert "contained-work" not in said(read(text))
