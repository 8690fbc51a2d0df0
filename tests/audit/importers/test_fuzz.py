"""Whatever happens to a file, an importer answers with evidence or with words, and the checks stand the evidence."""

from __future__ import annotations

import contextlib
import math
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sectax.audit.evidence import Evidence
from sectax.audit.importers.columns import Columns
from sectax.audit.importers.registry import NAMES
from sectax.formats.bad_input import BadInput
from sectax.model.audited import Audited
from sectax.model.errors import SectaxError
from sectax.workflow.audit import audit
from tests.audit.importers.fuzzing import fuzzed
from tests.audit.importers.samples import FILES, FOLDER, read

T = TypeVar("T")

SAMPLES = {name: (FOLDER / name).read_bytes() for name in FILES}
NUMBER = re.compile(rb"\d+(?:\.\d+)?")
ODD = st.sampled_from([b"0", b"-1", b"1e308", b"9" * 400, b"nan", b"-inf", b"", b"1,5", b"0.0", b"1e-320", b"x"])

# Read from a file as a user's: a folder that outlives an example is what is wanted.
SHORT = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
LONG = settings(SHORT, max_examples=5_000)


LAMBDA = "REPORT RequestId: x Duration: 1 ms Billed Duration: 1 ms Memory Size: 128 MB Max Memory Used: 1 MB "
# What a tool prints first, so that its importer takes the file.
OPENINGS = {
    "sysbench": "sysbench 1.0.20\n",
    "openssl-speed": "OpenSSL 3.0.2\n  sign    verify    sign/s verify/s\ntype 16 bytes 64 bytes\n",
    "lambda": LAMBDA,
    "go-bench": "goos: linux\n",
    "warp": "Report: GET. Concurrency: 20\n",
    "wrk": "Running 10s test @ http://x\n",
    "ab": "This is ApacheBench\nServer Hostname:        x\n",
    "hey": "Summary:\n  Total:\t1.0 secs\n",
    "k6": "     http_reqs......................: 1 1/s\n",
    "jmh": "# JMH version: 1.37\nBenchmark  Mode  Cnt  Score  Error  Units\n",
    "criterion": "a time:   [1.0 ns 1.0 ns 1.0 ns]\n",
}
REPEATED = [" ", "\n", "a", "a ", "1", "1k ", "1s ", "MiB transferred (", "Total transferred ", "XRAY TraceId:", "[a"]
REPEATED += [
    "Total: 1 ",
    "a. ",
    "...",
    "✗ ",
    "{ a }",
    "avg=1ms ",
    "a thrpt ",
    "(",
    "± ",
    "time: [1 ns ",
    "\r",
    "ERROR: ",
]


@pytest.mark.parametrize("tool", OPENINGS)
@pytest.mark.parametrize("text", REPEATED, ids=repr)
def test_a_long_line_or_many_empty_ones_take_no_time_to_speak_of(tool: str, text: str) -> None:
    """30 KB take milliseconds. With patterns that try every way to cut a line, several took over ten seconds."""
    long = OPENINGS[tool] + text * (30_000 // len(text))
    began = time.process_time()

    # Refused or read, but soon.
    with contextlib.suppress(BadInput):
        read(long)

    assert time.process_time() - began < 2


@pytest.mark.parametrize("blank", [" ", "\t"], ids=repr)
@pytest.mark.parametrize("before", ["x", "type ", "rsa 2048 bits 0.1s"])
def test_a_row_with_twenty_thousand_blanks_takes_no_time(before: str, blank: str) -> None:
    """It took 35 s: at each blank a pattern tried again where the name might end."""
    began = time.process_time()

    with contextlib.suppress(BadInput):
        read(f"{OPENINGS['openssl-speed']}{before}{blank * 20_000}x")

    assert time.process_time() - began < 0.5


def test_a_name_of_two_thousand_parts_takes_no_time() -> None:
    """It took a second: each part was held against each other."""
    with pytest.raises(BadInput, match="levels"):
        read(f"goos: linux\nBenchmarkA{'/b' * 2000}-8 \t 100\t 120 ns/op\n")


@pytest.mark.parametrize("text", ["9" * 50_000 + "x", "1" * 50_000 + "ms", "9." * 20_000], ids=lambda text: text[-3:])
def test_numbers_and_durations_of_many_digits_take_no_time(text: str) -> None:
    began = time.process_time()

    for report in (f"Latency   {text} 1ms 1ms", f" 50% {text}", f"Requests/sec: {text}"):
        with contextlib.suppress(BadInput):
            read(f"Running 10s test @ http://x\n    {report}\n")

    assert time.process_time() - began < 0.5


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A sample to which up to four things have happened."""
    content = SAMPLES[draw(st.sampled_from(FILES))]
    for _ in range(draw(st.integers(0, 4))):
        content = _damage(draw, content)
    return content


def _damage(draw: st.DrawFn, content: bytes) -> bytes:
    what = draw(st.sampled_from(["flip", "cut", "double", "drop", "number", "swap", "join", "crlf", "bom", "insert"]))
    at = draw(st.integers(0, max(len(content) - 1, 0)))
    lines = content.split(b"\n")
    line = draw(st.integers(0, len(lines) - 1))
    numbers = list(NUMBER.finditer(content))
    if what == "flip" and content:
        return content[:at] + bytes([content[at] ^ (1 << draw(st.integers(0, 7)))]) + content[at + 1 :]
    if what == "cut":
        return content[:at]
    if what == "double":
        return b"\n".join([*lines[:line], lines[line], *lines[line:]])
    if what == "drop":
        return b"\n".join(lines[:line] + lines[line + 1 :])
    if what in ("number", "swap") and numbers:
        one = draw(st.sampled_from(numbers))
        new = draw(ODD) if what == "number" else draw(st.sampled_from(numbers))[0]
        return content[: one.start()] + new + content[one.end() :]
    if what == "join":
        return content + SAMPLES[draw(st.sampled_from(FILES))]
    if what == "crlf":
        return content.replace(b"\n", b"\r\n")
    if what == "bom":
        return b"\xef\xbb\xbf" + content
    return content[:at] + draw(st.binary(max_size=6)) + content[at:]


def _survives(content: bytes, path: Path, format_: str | None) -> None:
    path.write_bytes(content)
    columns = Columns("elapsed", "ms") if format_ == "csv" else None
    answer = _answer(lambda: audit(str(path), format_, columns))
    if isinstance(answer, Audited):
        assert answer.figures > 0
    else:
        assert str(path) in answer.message


def _answer(ask: Callable[[], T]) -> T | SectaxError:
    """What it gives, or what it refuses with; anything else it may raise is a fault."""
    try:
        return ask()
    except SectaxError as error:
        return error


@SHORT
@given(damaged(), st.sampled_from([None, *NAMES]))
def test_a_damaged_file_is_audited_or_refused(tmp_path: Path, content: bytes, format_: str | None) -> None:
    _survives(content, tmp_path / "numbers", format_)


@pytest.mark.full
@LONG
@given(damaged(), st.sampled_from([None, *NAMES]))
def test_many_damaged_files_are_audited_or_refused(tmp_path: Path, content: bytes, format_: str | None) -> None:
    _survives(content, tmp_path / "numbers", format_)


@SHORT
@given(st.text(max_size=400), st.sampled_from(NAMES))
def test_any_text_is_read_or_refused_by_every_importer(text: str, format_: str) -> None:
    answer = _answer(lambda: read(text, format_))
    if isinstance(answer, Evidence):
        assert all(math.isfinite(value) for figure in answer.figures for value in figure.values)
    else:
        assert answer.message


@pytest.mark.parametrize("format_", NAMES)
def test_damaged_outputs_are_answered_soon_and_in_words(format_: str) -> None:
    made = fuzzed(format_, range(300))

    assert not made.faults
    assert made.read + made.refused == 300
    # Inputs that are all refused, or all read, show half of it.
    assert min(made.read, made.refused) > 0


@pytest.mark.full
@pytest.mark.parametrize("hundred_thousand", range(10))
@pytest.mark.parametrize("format_", NAMES)
def test_a_million_damaged_outputs_of_each_tool_are_answered_soon_and_in_words(
    format_: str, hundred_thousand: int
) -> None:
    made = fuzzed(format_, range(100_000 * hundred_thousand, 100_000 * (hundred_thousand + 1)))

    assert not made.faults
    assert made.read + made.refused == 100_000


@given(st.lists(st.floats(0, 1e15), min_size=1, max_size=50))
def test_values_of_a_csv_come_back_in_their_order(values: list[float]) -> None:
    text = "n,elapsed\n" + "".join(f"{at},{value!r}\n" for at, value in enumerate(values))

    assert list(read(text, columns=Columns("elapsed", "s")).figures[0].values) == values
