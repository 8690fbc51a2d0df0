"""What sysbench prints is read strictly: real outputs of all releases, damaged ones, and nonsense."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.experiments.confidential.output import SysbenchOutput, UnknownOutput, read_result

GOLDEN = Path(__file__).with_name("golden")
GOOD = sorted(path for path in GOLDEN.glob("*.txt") if not path.name.startswith("failed"))
CPU = (GOLDEN / "cpu-1.0.20.txt").read_text()


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_outputs_of_real_releases_are_read(path):
    result = read_result(path.read_text())

    assert result.version == path.stem.rpartition("-")[2]
    assert result.threads == (2 if path.stem.startswith(("threads", "mutex")) else 1)
    assert 0 < result.latency_sum_s <= result.threads * result.total_s * 1.01 + 0.01
    lines = path.read_text().splitlines()
    figures = [line.split()[-1] for line in lines if "total time:" in line or "total number" in line]
    assert [f"{result.total_s:.4f}s", str(result.events)] == figures


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ((GOLDEN / "failed-1.0.20.txt").read_text(), r"test_file\.0"),
        (CPU.replace("sysbench 1.0.20", "sysbench 1.1.0"), r"1\.1\.0"),
        (CPU.replace("sysbench 1.0.20", "sysbench 0.4.12"), r"0\.4\.12"),
        (CPU.replace("sysbench 1.0.20 (using", "mybench 1.0.20 (using"), "version"),
        (CPU.replace("    total time:", "    total minutes:"), "total time"),
        (CPU.replace("total number of events:              20", "total number of events:              0"), "0 events"),
        (CPU.replace("55.40", "9955.40"), r"9\.96 s"),
        (CPU + CPU, "2 times"),
        (CPU + "x" * 100_000, "100"),
    ],
)
def test_what_is_not_a_result_is_refused(text, word):
    with pytest.raises(UnknownOutput, match=word):
        read_result(text)


@given(st.data())
def test_damaged_output_gives_a_figure_of_its_own_lines_or_is_refused(data):
    text = data.draw(st.sampled_from([path.read_text() for path in GOOD]))
    start = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 40))
    put = data.draw(st.text(alphabet="0123456789.:s e-\n\x00é²", max_size=12) | st.text(max_size=5))
    damaged = text[:start] + put + text[start + length :]

    try:
        result = read_result(damaged)
    except UnknownOutput:
        return
    assert isinstance(result, SysbenchOutput)
    assert f"{result.total_s:.4f}s" in damaged
    assert str(result.events) in damaged
    assert result.latency_sum_s <= result.threads * result.total_s * 1.01 + 0.01


@given(st.text(max_size=400))
def test_nonsense_is_refused(text):
    with pytest.raises(UnknownOutput):
        read_result(text)
