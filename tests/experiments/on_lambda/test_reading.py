"""Lambda's REPORT line, which is all that the real service tells."""

from __future__ import annotations

import base64

import pytest

from sectax.experiments.on_lambda.code import read_code
from sectax.experiments.on_lambda.reading import REPORT_CLOCK, read_report

COLD = (
    "START RequestId: 1 Version: $LATEST\nEND RequestId: 1\nREPORT RequestId: 1\tDuration: 12.34 ms\t"
    "Billed Duration: 213 ms\tMemory Size: 128 MB\tMax Memory Used: 37 MB\tInit Duration: 200.66 ms\t\n"
)


def answer(log: str) -> dict:
    return {"ResponseMetadata": {"HTTPHeaders": {}}, "LogResult": base64.b64encode(log.encode()).decode()}


def test_duration_init_and_memory_come_from_the_report_line():
    series = read_report(answer(COLD))

    assert series.duration_s == pytest.approx(0.01234)
    assert series.init_s == pytest.approx(0.20066)
    assert series.max_memory_bytes == 37 * 2**20
    assert series.clock == REPORT_CLOCK
    assert series.limits == {}


def test_a_report_that_the_function_printed_itself_is_not_believed():
    forged = COLD.replace("12.34", "0.01")

    series = read_report(answer(forged + COLD))

    assert series.duration_s == pytest.approx(0.01234)


@pytest.mark.parametrize("odd", ["1.2.3", ".", "", "9" * 400, "-1"])
def test_a_report_with_odd_numbers_says_nothing(odd):
    assert read_report(answer(COLD.replace("12.34", odd))) is None


def test_a_header_cannot_steer_a_terminal():
    header = r'{"request_id": "1", "duration_s": 1, "billed_ms": 1, "instance": "x", "cgroup": "\u001b[2J"}'

    series = read_report({"ResponseMetadata": {"HTTPHeaders": {"x-lambda-local-measured": header}}})

    assert str(series.limits["cgroup"]).isprintable()


def test_the_same_folder_gives_the_same_archive_and_byte_code_changes_nothing(tmp_path):
    (tmp_path / "f.py").write_text("x = 1\n")
    (tmp_path / "bootstrap").write_text("#!/bin/sh\n")
    (tmp_path / "bootstrap").chmod(0o755)
    before = read_code(str(tmp_path))
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "f.pyc").write_bytes(b"x")
    (tmp_path / "f.py").touch()

    assert read_code(str(tmp_path)) == before
