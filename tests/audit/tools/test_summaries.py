"""Prints that are summaries alone: of hyperfine, pytest-benchmark, benchstat, h2load and fio."""

from __future__ import annotations

import json

import pytest

from sectax.audit.checks.registry import review
from sectax.audit.reading.text import shown
from tests.audit.tools.said import evidence_of, said, sample

# Sample -> how many series, and the typical value of the first.
READ = {
    "hyperfine.txt": (2, 0.4123),
    "pytest-benchmark.txt": (2, 106.3949e-6),
    "benchstat.txt": (4, 2.116e-6),
    "benchstat-old.txt": (4, 2.27),
    "h2load.txt": (3, 38910.51),
    "fio.txt": (6, 61000),
    "fio.json": (3, 44025.933),
}
GZIP, ZSTD, RATIO = "gzip -k -6 corpus.tar", "zstd -k -3 corpus.tar", "    6.68 ± 0.16 times faster than"
# Sample, what is in it, what is put there, and what must be said of that.
FAULTS = {
    "few and scattered": ("hyperfine.txt", "±   6.1 ms", "± 261.0 ms", ("W", "modes")),
    "mean above the maximum": ("hyperfine.txt", "… 425.0 ms", "… 405.0 ms", ("F", "contradiction")),
    "a command failed": ("hyperfine.txt", "Summary", "Warning: Ignoring non-zero exit", ("F", "said-by-the-tool")),
    "swapped": ("hyperfine.txt", f"{ZSTD} ran\n{RATIO} {GZIP}", f"{GZIP} ran\n{RATIO} {ZSTD}", ("F", "contradiction")),
    "median below the minimum": ("pytest-benchmark.txt", "106.3949", "16.3949", ("F", "contradiction")),
    "wide": ("benchstat.txt", "± 3%", "± 31%", ("W", "modes")),
    "errors": ("h2load.txt", "100000 succeeded, 0 failed", "99000 succeeded, 1000 failed", ("F", "unequal-work")),
    "rate": ("h2load.txt", "38910.51", "3891.05", ("F", "contradiction")),
    "rate against bytes": ("fio.txt", "IOPS=44.0k", "IOPS=132k", ("F", "contradiction")),
    "mean above p90": ("fio.txt", "avg=360.02", "avg=599.02", ("W", "modes")),
    "stopped": ("fio.txt", "Starting 2", "fio: terminating on signal 2\nStarting 2", ("W", "said-by-the-tool")),
    "rate of the document": ("fio.json", "44025.933", "4402.593", ("F", "contradiction")),
    "interrupted": ("wrk.txt", "Running 2s", "Running 5m", ("F", "contradiction")),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_print_is_read(name: str) -> None:
    series = evidence_of(sample(name)).series

    assert (len(series), series[0].typical) == (READ[name][0], pytest.approx(READ[name][1]))
    assert not {check for severity, check in said(sample(name)) if severity == "F"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_fires_and_its_twin_does_not(fault: str) -> None:
    name, there, instead, expected = FAULTS[fault]
    healthy = sample(name)
    assert there in healthy

    assert expected in said(healthy.replace(there, instead))
    assert expected not in said(healthy)


def test_the_same_server_with_and_without_tls_is_no_unequal_comparison() -> None:
    plain = sample("wrk.txt")
    both = f"{plain}\n{plain.replace('http://', 'https://')}"

    assert len({str(one.levels) for one in evidence_of(both).series}) == 2
    assert not {check for _, check in said(both)} & {"apples-and-oranges", "mislabelled-level", "unequal-work"}


def test_a_long_line_is_quoted_to_the_end_of_a_word() -> None:
    line = "Warning: " + " ".join(["interference"] * 30)

    quoted = shown(line).removesuffix(" …")

    assert line.startswith(f"{quoted} ")
    assert 140 < len(quoted) <= 160
    assert shown(line[:100]) == line[:100]


def test_the_figures_of_a_mean_beyond_the_maximum_are_those_of_its_command_alone() -> None:
    document = json.loads(sample("hyperfine.json"))
    document["results"][0]["mean"] = 1.5 * document["results"][0]["max"]
    evidence = evidence_of(json.dumps(document))

    (outcome,) = (one for one in review(evidence) if one.check == "contradiction")

    assert {one.figures for one in outcome.warnings} == {(evidence.series[0].id,)}
