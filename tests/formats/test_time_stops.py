"""Whether a command line stops by time: the options of known tools, behind wrappers and in a shell's text."""

from __future__ import annotations

import time

import pytest

from sectax.formats.time_stops import find_time_stop


@pytest.mark.parametrize(
    ("command", "words", "seconds"),
    [
        ("sysbench cpu --time=1 run", "sysbench --time=1", 1),
        ("sysbench cpu run", "sysbench, 10 s by default", 10),
        ("openssl speed -seconds 1 sha256", "openssl -seconds 1", None),
        ("wrk -t2 -d 1m30s http://localhost", "wrk -d 1m30s", 90),
        ("/usr/bin/wrk -d5 http://localhost", "wrk -d5", 5),
        ("pgbench -T 5 db", "pgbench -T 5", 5),
        ("hey -z 10s http://localhost", "hey -z 10s", 10),
        ("oha -z 500ms http://localhost", "oha -z 500ms", 0.5),
        ("fio --runtime=5 --time_based job", "fio --runtime=5", 5),
        ("stress-ng --cpu 2 -t 10s", "stress-ng -t 10s", 10),
        ("iperf3 -c host", "iperf3, 10 s by default", 10),
        ("go test -bench . -benchtime 2s", "go -benchtime 2s", None),
        ("A=1 env B=2 taskset -c 1 wrk -d 3 http://localhost", "wrk -d 3", 3),
        ("sh -c 'wrk -d 3 http://localhost; true'", "wrk -d 3", 3),
        ("true && wrk -d 3 http://localhost | cat", "wrk -d 3", 3),
        ("timeout 60 wrk -d 3 http://localhost", "wrk -d 3", 3),
        ("sysbench cpu --time={t} run", "sysbench --time={t}", None),
    ],
)
def test_the_option_and_the_seconds_are_named(command, words, seconds):
    stop = find_time_stop(command)

    assert stop is not None
    assert (stop.words, stop.seconds, stop.is_limit) == (words, seconds, False)


@pytest.mark.parametrize(
    "command",
    [
        "timeout 5 gzip file",
        "timeout -k 1 -s KILL 5 gzip file",
        "ab -t 5 -n 100 http://localhost/",
        "fio --runtime=5 job",
        "iperf3 -t 5 -c host -n 1G",
    ],
)
def test_a_limit_explains_a_duration_only_where_it_was_reached(command):
    stop = find_time_stop(command)

    assert stop is not None
    assert stop.is_limit
    assert stop.explains(5.02)
    assert not stop.explains(4.2)


@pytest.mark.parametrize(
    "command",
    [
        "sleep 1",
        "sysbench cpu --events=1000 --time=0 run",
        "sysbench --version",
        "openssl enc -aes-128-cbc",
        "pgbench -t 100 db",
        "ab -n 100 http://localhost/",
        "iperf3 -s",
        "go test -bench . -benchtime 100x",
        "grep wrk -d 5",
        "echo wrk -d 5s",
        "echo 'unbalanced",
        "https://localhost/?wrk",
        "",
    ],
)
def test_what_ends_by_its_work_does_not_stop_by_time(command):
    assert find_time_stop(command) is None


@pytest.mark.parametrize("filler", ["a", " ", "wrk -d 5 ", "sh -c ", "; ", "1s", "-d", "'", "timeout "])
def test_a_long_line_is_read_at_once(filler):
    began = time.monotonic()

    find_time_stop(f"timeout {filler * (65536 // len(filler))}")

    assert time.monotonic() - began < 2
