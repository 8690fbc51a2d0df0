"""What a run was beside what is said of it: where it goes, what ended it, whether it was one. Each with its twin."""

from __future__ import annotations

import pytest

from sectax.audit.importers.unsteady import unsteady
from tests.audit.importers.said import said
from tests.audit.importers.samples import read
from tests.audit.importers.test_along_a_run import noise

WARMING = [177.5, 199.2, 208.9, 214.0, 217.7, 219.5, 221.2, 222.3, 223.9, 224.6]
COLD = [201.1, 312.5, 437.6, 437.6, 438.1, 438.8, 437.8, 438.5, 438.6, 439.1]


@pytest.mark.parametrize(
    ("values", "check"),
    [
        (WARMING, "drift"),
        ([1 / each for each in WARMING], "drift"),
        (COLD, "first-trial"),
        ([266.0, 57.0, 56.2, 62.7, 66.6, 73.7, 73.3, 73.4, 65.2, 69.5], "first-trial"),
        # A few per cent in all, single values that are no further from each other than the first, equal steps.
        ([400.0 + each for each in range(10)], None),
        ([266.0, 157.0, 76.2, 162.7, 266.6, 113.7, 173.3, 203.4, 165.2, 109.5], None),
        ([10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 11.0], None),
    ],
)
def test_few_reports_tell_of_a_beginning(values: list[float], check: str | None) -> None:
    assert [each.check for each in unsteady("x", values)] == ([check] if check else [])


@pytest.mark.parametrize("size", [8, 10])
def test_few_reports_of_noise_are_left_alone(size: int) -> None:
    assert sum(bool(list(unsteady("x", noise(size, 0.2, 0.5, seed)))) for seed in range(1600)) <= 6


AB = """Server Software:        {server}
Server Hostname:        localhost
Server Port:            80

Document Path:          /
Document Length:        0 bytes

Concurrency Level:      10
Time taken for tests:   20.000 seconds
Complete requests:      10000
Failed requests:        0
Total transferred:      {bytes} bytes
HTML transferred:       0 bytes
Requests per second:    500.00 [#/sec] (mean)
Time per request:       20.000 [ms] (mean)
"""


def test_requests_without_a_byte_were_answered_by_nobody() -> None:
    assert said(read(AB.format(server="", bytes=0)))["zero-event-run"][0] == "F"
    assert "zero-event-run" not in said(read(AB.format(server="nginx/1.2", bytes=1560000)))


@pytest.mark.parametrize(
    ("headings", "servers", "wrong"),
    [
        (("apache2", "nginx + fpm"), ("Apache/2.4", "Apache/2.4"), True),
        (("apache2", "nginx + fpm"), ("Apache/2.4", "nginx/1.2"), False),
        # The tool; two of them; no other heading that tells them apart.
        (("ApacheBench", "Apache Bench again"), ("nginx/1.2", "nginx/1.2"), False),
        (("nginx", "apache behind nginx"), ("nginx/1.2", "nginx/1.2"), False),
        (("first", "nginx"), ("Apache/2.4", "Apache/2.4"), False),
    ],
)
def test_a_heading_names_the_server_that_answered(
    headings: tuple[str, str], servers: tuple[str, str], wrong: bool
) -> None:
    banner = "This is ApacheBench, Version 2.3 <$Revision: 1 $>\n\n"
    text = "".join(
        f"## {heading}\n\n{banner}{AB.format(server=server, bytes=1560000)}\n"
        for heading, server in zip(headings, servers, strict=True)
    )

    assert (said(read(text)).get("mislabelled-level", " ")[0] == "F") == wrong


CPU = """{head}
Running the test with following options:
Number of threads: 1

Prime numbers limit: 10000

Threads started!

General statistics:
    total time:                          {seconds}s
    total number of events:              {events}

Latency (ms):
         min:                                    {least}
         avg:                                    {mean}
         max:                                    1.40
         95th percentile:                        {late}
"""


def cpu(seconds: str, events: int, head: str = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)") -> str:
    mean = 1000 * float(seconds) / events
    return CPU.format(
        seconds=seconds, events=events, head=head, least=f"{mean * 0.99:.2f}", mean=f"{mean:.2f}", late=f"{mean:.2f}"
    )


@pytest.mark.parametrize(("events", "wrong"), [(11_792, False), (500_123, False), (22_878_757, True)])
def test_primes_take_time(events: int, wrong: bool) -> None:
    found = said(read(cpu("10.0009", events)))

    assert ("F" in found.get("faster-than-physics", "")) == wrong


@pytest.mark.parametrize(("seconds", "events", "wrong"), [("374.2803", 10_000, True), ("10.0002", 9_723, False)])
def test_the_clock_ended_one_and_a_number_of_events_the_other(seconds: str, events: int, wrong: bool) -> None:
    text = cpu("10.0009", 9_792) + cpu(seconds, events, "sysbench 0.4.12:  multi-threaded system evaluation benchmark")

    assert (said(read(text)).get("fixed-time-total", " ")[0] == "F") == wrong


def test_the_end_of_a_histogram_is_no_percentile() -> None:
    text = cpu("348.7473", 11).replace("max:                                    1.40", "max:  {most}")
    late = f"{1000 * 348.7473 / 11:.2f}\n"

    for told, most, wrong in (("100000.00", "174451.84", True), ("99170.18", "100001.00", False)):
        its = text.replace(f"percentile:                        {late}", f"percentile: {told}\n").format(most=most)
        assert ("is 100 s, and" in said(read(its)).get("contradiction", ("", ""))[1]) == wrong, its


MEMORY = """sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 8

Running memory speed test with the following options:
  block size: 1KiB
  operation: {operation}

Total operations: 104857600 (17106884.26 per second)

102400.00 MiB transferred (16705.94 MiB/sec)

General statistics:
    total time:                          6.1282s
    total number of events:              104857600
"""


@pytest.mark.parametrize(("operation", "wrong"), [("write", True), ("read", False)])
def test_a_heading_names_what_was_done_to_memory(operation: str, wrong: bool) -> None:
    text = "".join(f"## Memory {name}\n\n{MEMORY}\n" for name in ("Read", "Write"))
    text = text.replace("{operation}", operation, 1).replace("{operation}", "write")

    assert ("mislabelled-level" in said(read(text))) == wrong


RSA = """OpenSSL 1.1.1f  31 Mar 2020
                  sign    verify    sign/s verify/s
rsa 1024 bits {0:.6f}s {1:.6f}s {2:.1f} {3:.1f}
rsa 2048 bits {4:.6f}s {5:.6f}s {6:.1f} {7:.1f}
"""


@pytest.mark.parametrize(
    ("rates", "wrong"),
    [
        ((8890.2, 136049.4, 1321.7, 5441.0), True),
        ((8890.2, 136049.4, 224.0, 35441.0), True),
        ((8890.2, 136049.4, 1321.7, 45441.0), False),
    ],
)
def test_twice_the_bits_of_a_key_are_so_much_slower_and_no_more(rates: tuple[float, ...], wrong: bool) -> None:
    rows = [value for pair in (rates[:2], rates[2:]) for value in (*(1 / each for each in pair), *pair)]

    assert ("modes" in said(read(RSA.format(*rows)))) == wrong


@pytest.mark.parametrize(("head", "wrong"), [((16, 8192, 1024), True), ((16, 1024, 8192), False)])
def test_heads_of_block_sizes_rise(head: tuple[int, ...], wrong: bool) -> None:
    sizes = "".join(f"   {each} bytes" for each in head)
    found = said(read(f"type          {sizes}\naes-128 cbc      76408.83k    90302.12k    90948.74k\n"))

    assert (found.get("contradiction", " ")[0] == "F") == wrong


@pytest.mark.parametrize(("seconds", "busy"), [("1.67", True), ("2.98", False)])
def test_a_part_of_a_processor_is_another_state(seconds: str, busy: bool) -> None:
    text = f"Doing AES-256-GCM for 3s on 64 size blocks: 12023583 AES-256-GCM's in {seconds}s\n"

    assert ("modes" in said(read(text))) == busy
