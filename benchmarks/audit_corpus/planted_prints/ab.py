"""Defects in what ApacheBench prints."""

from __future__ import annotations

import re

from benchmarks.audit_corpus.planted_prints.frame import (
    Format,
    Kind,
    Plant,
    Rng,
    and_again,
    both,
    cut_before,
    each_match,
    holding,
    instead,
    some,
    times,
)

_FAILED = r"^(Failed requests:\s+)\d+(.*)$"
_COMPLETE = r"Complete requests:\s+(\d+)"


def _fails(share: float, kinds: str = "Connect: 0, Receive: 0, Length: 0, Exceptions: {count}") -> Plant:
    def put(text: str, rng: Rng) -> str | None:
        found = re.search(_COMPLETE, text)
        if found is None or "(Connect:" in text:
            return None
        count = some(share, found[1])
        return instead(_FAILED, rf"\g<1>{count}\n   ({kinds.format(count=count)})")(text, rng)

    return put


def _other_status(share: float) -> Plant:
    def put(text: str, rng: Rng) -> str | None:
        found = re.search(_COMPLETE, text)
        if found is None or "Non-2xx" in text:
            return None
        return instead(_FAILED, rf"\g<0>\nNon-2xx responses:      {some(share, found[1])}")(text, rng)

    return put


def _row(
    name: str, least: float = 1.0, mean: float = 1.0, spread: float = 1.0, middle: float = 1.0, most: float = 1.0
) -> Plant:
    """A row of times with its numbers multiplied, and one added to what is 0."""

    def row(found: re.Match[str]) -> str:
        values = [
            factor * (float(found[at]) or (1.0 if factor != 1 else 0.0))
            for at, factor in zip(range(2, 7), (least, mean, spread, middle, most), strict=True)
        ]
        return f"{found[1]}{values[0]:5.0f} {values[1]:4.0f} {values[2]:5.1f} {values[3]:6.0f} {values[4]:7.0f}"

    return each_match(rf"^({name}:\s+)(\d+)\s+(\d+)\s+([\d.]+)\s+(\d+)\s+(\d+)[ \t]*$", row)


_SECOND = instead(r"^(Document Path:\s+\S+)$", r"\1/other")
_UNLIKE = both(_row("Total", middle=1.2, most=1.3), times(r"^  (?:50|66|75|80|90|95|98|99|100)% +(?P<n>\d+)", 1.2))


def _command(text: str, _: Rng) -> str | None:
    found = re.search(r"Concurrency Level:\s+(\d+)", text)
    if found is None or re.search(r"\bab -", text):
        return None
    return f"$ ab -n 1234567 -c {17 * int(found[1])} http://localhost/\n{text}"


def _tiny(text: str, rng: Rng) -> str | None:
    """Ten requests in a hundredth of a second."""
    if len(re.findall(_COMPLETE, text)) != 1 or "Non-2xx" in text or "(Connect" in text:
        return None
    length = re.search(r"Document Length:\s+(\d+)", text)
    if length is None:
        return None
    every = 10 * (int(length[1]) + 150)
    return both(
        instead(r"^(?:Completed|Finished) .*\n", ""),
        instead(r"^(Concurrency Level:\s+)\d+", r"\g<1>1"),
        instead(r"^(Time taken for tests:\s+)\S+", r"\g<1>0.064"),
        instead(r"^(Complete requests:\s+)\d+", r"\g<1>10"),
        instead(r"^(Total transferred:\s+)\d+", rf"\g<1>{every}"),
        instead(r"^(HTML transferred:\s+)\d+", rf"\g<1>{10 * int(length[1])}"),
        instead(r"^(Requests per second:\s+)\S+", r"\g<1>156.25"),
        instead(r"^(Time per request:\s+)\S+", r"\g<1>6.400"),
        instead(r"^(Transfer rate:\s+)\S+", rf"\g<1>{every / 1024 / 0.064:.2f}"),
        instead(r"^(Connect|Processing|Waiting):.*$", r"\1:        0    3   1.0      3       5"),
        instead(r"^Total:.*$", "Total:          3    6   1.0      6       9"),
        instead(r"^  (\d+)% +\d+", r"  \1%      6"),
        instead(r"^ 100% +\d+", " 100%      9"),
    )(text, rng)


def _one_far(text: str, rng: Rng) -> str | None:
    """One answer of seventy times the mean, and the spread that it makes."""
    count, row = re.search(_COMPLETE, text), re.search(r"^Total:\s+\d+\s+(\d+)", text, re.MULTILINE)
    if count is None or row is None or not 40 < int(count[1]) < 3000 or int(row[1]) < 2:
        return None
    most = 70 * int(row[1])
    spread = (most - int(row[1])) / int(count[1]) ** 0.5
    return both(
        instead(r"^((?:Total|Processing|Waiting):\s+\d+\s+\d+)\s+[\d.]+(\s+\d+)\s+\d+", rf"\1 {spread:.1f}\2 {most}"),
        instead(r"^ 100% +\d+", f" 100%  {most}"),
    )(text, rng)


_KINDS = (
    Kind("rate is not count over time", "F contradiction", times(r"^Requests per second:\s+(?P<n>[\d.]+)", 2.5)),
    Kind("transfer is not bytes over time", "F contradiction", times(r"^Transfer rate:\s+(?P<n>[\d.]+)", 3)),
    Kind(
        "time per request is not connections over rate",
        "F contradiction",
        times(r"^Time per request:\s+(?P<n>[\d.]+) \[ms\] \(mean\)", 4),
    ),
    Kind(
        "time across all requests is not one over the rate",
        "F contradiction",
        times(r"^Time per request:\s+(?P<n>[\d.]+) \[ms\] \(mean, across", 4),
    ),
    Kind("a tenth failed", "F unequal-work", _fails(0.1)),
    Kind("one failed", "W unequal-work", _fails(1e-9)),
    Kind(
        "lengths differ",
        "W said-by-the-tool|unequal-work",
        _fails(0.3, "Connect: 0, Receive: 0, Length: {count}, Exceptions: 0"),
    ),
    Kind(
        "nearly all lengths differ",
        "F unequal-work",
        _fails(0.99, "Connect: 0, Receive: 0, Length: {count}, Exceptions: 0"),
    ),
    Kind("one answer makes the spread", "W modes", _one_far),
    Kind("failures are not their sum", "F contradiction", _fails(0.2, "Connect: 0, Length: 1, Exceptions: 0")),
    Kind("all answers have another status", "F unequal-work", _other_status(1.0)),
    Kind("one answer has another status", "W unequal-work", _other_status(1e-9)),
    Kind("write errors", "W said-by-the-tool|unequal-work", instead(_FAILED, r"\g<0>\nWrite errors:           2")),
    Kind(
        "finished fewer than it says",
        "F contradiction",
        both(
            times(r"^Complete requests:\s+(?P<n>\d+)", 2),
            times(r"^Time taken for tests:\s+(?P<n>[\d.]+)", 2),
            times(r"^Total transferred:\s+(?P<n>\d+)", 2),
            times(r"^HTML transferred:\s+(?P<n>\d+)", 2),
            instead(r"^Finished (\d+) requests$", r"Finished \1 requests"),
            holding(r"^Finished \d+ requests$"),
        ),
    ),
    Kind("p90 below the median", "F contradiction", instead(r"^  50% +\d+", "  50%  99999")),
    Kind(
        "mean beyond the quantiles",
        "F contradiction",
        both(_row("Total", mean=30, most=40), instead(r"^ 100% +\d+", " 100%  999999")),
    ),
    Kind("longest is not the last per cent", "F contradiction", instead(r"^ 100% +\d+", " 100%  999999")),
    Kind("stdev beyond the range", "F contradiction", _row("Total", spread=1e4)),
    Kind("connecting and processing are not the whole", "F contradiction", _row("Processing", mean=12, most=12)),
    Kind("waiting is longer than processing", "F contradiction", _row("Waiting", mean=12, middle=12, most=12)),
    Kind("documents are not what was transferred", "F contradiction", times(r"^HTML transferred:\s+(?P<n>\d+)", 0.2)),
    Kind("more HTML than bytes", "F contradiction", times(r"^Total transferred:\s+(?P<n>\d+)", 0.4)),
    Kind(
        "empty answers",
        "W contradiction|unequal-work",
        both(
            instead(r"^(Document Length:\s+)\d+", r"\g<1>0"),
            instead(r"^(HTML transferred:\s+)\d+", r"\g<1>0"),
        ),
    ),
    Kind("cut short", "refused or W said-by-the-tool", cut_before(r"^Requests per second:")),
    Kind("cut before its times", "W said-by-the-tool", cut_before(r"^Connection Times")),
    Kind("ten requests", "W short-run", _tiny),
    Kind(
        "stopped early",
        "W said-by-the-tool",
        instead(r"^Benchmarking.*$", "\\g<0>\napr_pollset_poll: The timeout specified has expired (70007)"),
    ),
    Kind(
        "reset by the server",
        "W said-by-the-tool",
        instead(r"^Benchmarking.*$", "\\g<0>\napr_socket_recv: Connection reset by peer (104)"),
    ),
    Kind("another command above it", "W contradiction|mislabelled-level", _command),
    Kind(
        "sides with unlike connections",
        "W apples-and-oranges",
        and_again(
            _SECOND,
            times(r"^Concurrency Level:\s+(?P<n>\d+)", 8),
            times(r"^Time per request:\s+(?P<n>[\d.]+) \[ms\] \(mean\)", 8),
            _row("Total", mean=8, middle=8, most=8),
            times(r"^  ?\d+% +(?P<n>\d+)", 8),
        ),
    ),
    Kind(
        "answers of unlike size to one path",
        "F unequal-work",
        and_again(
            _UNLIKE,
            times(r"^(?:Total|HTML) transferred:\s+(?P<n>\d+)", 0.2),
            times(r"^Document Length:\s+(?P<n>\d+)", 0.2),
            times(r"^Transfer rate:\s+(?P<n>[\d.]+)", 0.2),
            holding(r"^Document Length:\s+(?:[6-9]\d\d|\d{4})"),
        ),
    ),
    Kind(
        "http against https of other paths",
        "W apples-and-oranges",
        and_again(
            _SECOND,
            _UNLIKE,
            instead(
                r"^(Server Port:.*)$",
                r"\1\nSSL/TLS Protocol:       TLSv1.3,TLS_AES_256_GCM_SHA384,2048,256",
                first=True,
            ),
        ),
    ),
)

_OF_2_3 = """This is ApacheBench, Version 2.3 <$Revision: 1843412 $>
Copyright 1996 Adam Twiss, Zeus Technology Ltd, http://www.zeustech.net/
Licensed to The Apache Software Foundation, http://www.apache.org/

Benchmarking 10.0.0.5 (be patient)
Completed 10000 requests
Completed 20000 requests
Finished 20000 requests


Server Software:        nginx/1.18.0
Server Hostname:        10.0.0.5
Server Port:            8080

Document Path:          /api/login
Document Length:        1734 bytes

Concurrency Level:      100
Time taken for tests:   9.512 seconds
Complete requests:      20000
Failed requests:        0
Total transferred:      37640000 bytes
HTML transferred:       34680000 bytes
Requests per second:    2102.61 [#/sec] (mean)
Time per request:       47.560 [ms] (mean)
Time per request:       0.476 [ms] (mean, across all concurrent requests)
Transfer rate:          3864.37 [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    1   0.7      1       9
Processing:     6   46  12.1     44     187
Waiting:        5   45  12.0     43     186
Total:          7   47  12.2     45     189

Percentage of the requests served within a certain time (ms)
  50%     45
  66%     50
  75%     53
  80%     56
  90%     63
  95%     69
  98%     78
  99%     87
 100%    189 (longest request)
"""
_OF_2_0 = """This is ApacheBench, Version 2.0.40-dev <$Revision: 1.146 $> apache-2.0
Copyright 1996 Adam Twiss, Zeus Technology Ltd, http://www.zeustech.net/
Copyright 2006 The Apache Software Foundation, http://www.apache.org/

Benchmarking www.example.org (be patient).....done


Server Software:        Apache/2.2.3
Server Hostname:        www.example.org
Server Port:            80

Document Path:          /index.php
Document Length:        10432 bytes

Concurrency Level:      20
Time taken for tests:   31.204511 seconds
Complete requests:      4000
Failed requests:        0
Write errors:           0
Total transferred:      42836000 bytes
HTML transferred:       41728000 bytes
Requests per second:    128.19 [#/sec] (mean)
Time per request:       156.023 [ms] (mean)
Time per request:       7.801 [ms] (mean, across all concurrent requests)
Transfer rate:          1340.57 [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    0   0.4      0      12
Processing:    31  154  38.7    149     512
Waiting:       30  151  38.2    146     508
Total:         31  154  38.8    149     513

Percentage of the requests served within a certain time (ms)
  50%    149
  66%    164
  75%    175
  80%    183
  90%    205
  95%    224
  98%    251
  99%    273
 100%    513 (longest request)
"""

FORMATS = (Format("ab", _KINDS, samples=("ab.txt",), prints=("ab",), others={"ab 2.3": _OF_2_3, "ab 2.0": _OF_2_0}),)
