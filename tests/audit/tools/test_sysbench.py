"""sysbench's output."""

from __future__ import annotations

import pytest

from sectax.audit.form import EndsBy
from tests.audit.tools.said import evidence_of, said, sample

CPU, MEMORY, FILES = (sample(f"sysbench-{name}.txt") for name in ("cpu", "memory", "fileio"))
CONTRADICTION = ("F", "contradiction")
OLTP = """sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 4

SQL statistics:
    queries performed:
        read:                            140000
        write:                           40000
        other:                           20000
        total:                           200000
    transactions:                        10000  (1000.00 per sec.)
    queries:                             200000 (20000.00 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          10.0000s
    total number of events:              10000

Latency (ms):
         min:                                    1.20
         avg:                                    4.00
         max:                                   20.00
         95th percentile:                        6.00
         sum:                                40000.00

Threads fairness:
    events (avg/stddev):           2500.0000/10.00
    execution time (avg/stddev):   10.0000/0.00
"""


def test_each_test_has_its_own_figures() -> None:
    cpu, memory, files = ({one.metric: one for one in evidence_of(text).series} for text in (CPU, MEMORY, FILES))

    assert cpu["rate"].typical == pytest.approx(4357.98)
    assert cpu["latency"].claim("p95").value == pytest.approx(0.24e-3)  # type: ignore[union-attr]
    assert memory["transferred"].typical == pytest.approx(6965.38 * 2**20)
    assert memory["rate"].work.size_bytes == 1024
    assert memory["rate"].work.ends_by is EndsBy.TIME
    assert files["reads"].typical == pytest.approx(48678.28)
    assert files["latency"].trials == 84628


def test_a_total_that_the_clock_ended_is_fatal() -> None:
    fixed = ("F", "fixed-time-total")

    assert fixed in said(MEMORY)
    assert fixed not in said(CPU)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(1000.00 per", "(1100.00 per"),
        ("avg:                                    4.00", "avg:                                    8.00"),
        ("2500.0000/", "3500.0000/"),
        ("percentile:                        6.00", "percentile:                       26.00"),
    ],
)
def test_numbers_that_are_printed_twice_must_agree(old: str, new: str) -> None:
    assert not {check for severity, check in said(OLTP) if severity == "F"}
    assert old in OLTP
    assert {check for severity, check in said(OLTP.replace(old, new))} & {"contradiction"}


def test_errors_are_failures() -> None:
    assert ("F", "unequal-work") in said(
        OLTP.replace("errors:                      0", "errors:                      90")
    )


def test_reports_are_values_in_order() -> None:
    reports = "".join(f"[ {at}s ] thds: 4 tps: {1200 if at < 20 else 800}.00 qps: 9\n" for at in range(1, 41))
    series = {one.metric: one for one in evidence_of(OLTP.replace("\nSQL", f"\n{reports}\nSQL")).series}

    assert list(series["reports"].values[18:20]) == [1200, 800]


def test_a_print_without_its_end_is_reported() -> None:
    assert ("W", "said-by-the-tool") in said(CPU[: CPU.index("execution time")])
