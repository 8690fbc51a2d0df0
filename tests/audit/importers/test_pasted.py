"""However an output is pasted, the audit says the same of it; where a part was not copied, it says so and reads on."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import product

import pytest

from benchmarks.pasted_outputs.said import differences, said
from benchmarks.pasted_outputs.ways import COMMON, PROMPTS, PROSE, WAYS, Way, broken_at, filled_to, typed
from sectax.audit.importers.own_lines import is_known
from sectax.audit.importers.pasted import unpasted
from sectax.formats.bad_input import BadInput
from tests.audit.importers.samples import FILES, figures, read, sample

# One of each tool in the usual tests.
SOME = (
    "ab.txt", "criterion.txt", "gobench.txt", "hey.txt", "hyperfine.json", "jmh.txt", "k6.txt", "lambda-cloudwatch.txt",
    "openssl-aes.txt", "openssl-signatures-mr.txt", "pytest-benchmark.json", "sysbench-cpu.txt", "warp.txt", "wrk.txt",
)  # fmt: skip
EVERY = [name for name in FILES if not name.endswith(".csv")]
REPORT = "REPORT RequestId: a Duration: 1 ms Billed Duration: 2 ms Memory Size: 1 MB"
PLAIN = {name: said(sample(name)) for name in SOME}
# What turns characters into bytes comes last.
CODED = ("CRLF", "CR", "CR CRLF", "BOM", "UTF-16", "UTF-16, big")
# HTML within HTML, or lines that are none any more.
ONCE = ("HTML", "entities", "line breaks", "one line of HTML")


@pytest.mark.parametrize("way", WAYS)
def test_an_output_says_the_same_however_it_is_pasted(way: str) -> None:
    found = {name: differences(PLAIN[name], said(WAYS[way](sample(name)))) for name in SOME}

    assert not {name: each for name, each in found.items() if each}


@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_command_above_an_output_is_no_part_of_it(prompt: str) -> None:
    for name in SOME:
        text = typed(sample(name), PLAIN[name][0].partition(":")[0], prompt)

        # The command of a load client tells what ended the run.
        assert said(text)[0] == PLAIN[name][0]


@pytest.mark.more
@pytest.mark.parametrize("name", EVERY)
def test_every_sample_says_the_same_in_every_way(name: str) -> None:
    plain = said(sample(name))

    found = {way: differences(plain, said(pasted(sample(name)))) for way, pasted in WAYS.items()}

    assert not {way: each for way, each in found.items() if each}


@pytest.mark.full
@pytest.mark.parametrize("first", [way for way in COMMON if way not in (*CODED, *ONCE)])
def test_every_two_ways_together_say_the_same(first: str) -> None:
    for second, name in product((way for way in WAYS if way != first and way not in ONCE), SOME):
        text = WAYS[first](sample(name))
        assert isinstance(text, str)
        assert (second, name, differences(PLAIN[name], said(WAYS[second](text)))) == (second, name, [])


@pytest.mark.parametrize("width", [72, 80, 100])
@pytest.mark.parametrize("broken", [broken_at, filled_to], ids=["in words", "between words"])
def test_lines_that_were_broken_are_put_together_again(broken: Callable[[int], Way], width: int) -> None:
    texts = [name for name in SOME if name.endswith(".txt")]
    found = {name: differences(PLAIN[name], said(broken(width)(sample(name)))) for name in texts}

    assert not {name: each for name, each in found.items() if each}


@pytest.mark.parametrize(
    ("line", "below"),
    [
        ("BenchmarkA-8   100   120.0 ns/op", "BenchmarkB"),
        ("BenchmarkA-8   100   120.0 ns/op", "17 things were done"),
        ("BenchmarkA-8   100   120.0 ns/op   3.0 things", "4.0 B/op"),
        (f"{REPORT} Max Memory Used: 1 MB", "[ERROR] x"),
        ("http_reqs......: 10 1.0/s", "and 4 more"),
        ("AES-128-GCM      47308.25k   185166.74k", "100.00"),
        ("a benchmark   time:   [1.0 ns 1.1 ns 1.2 ns]", "1.3 ns"),
    ],
)
def test_a_line_below_another_is_no_piece_of_it(line: str, below: str) -> None:
    assert unpasted(f"{line}\n{below}\n", is_known).lines == [line, below, ""]


def test_several_outputs_with_prose_between_are_several_runs() -> None:
    text = sample("wrk.txt")

    assert len(figures(f"{PROSE}{text}\n{PROSE}\n> {PROSE}{text}")) == 2 * len(figures(text))


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("note: Requests/sec: 100.00", "note: Requests/sec: 100.00"),
        ("- Requests/sec: 100.00", "- Requests/sec: 100.00"),
        ("Date: debug   time:   [1.0 ns 1.1 ns 1.2 ns]", "Date: debug   time:   [1.0 ns 1.1 ns 1.2 ns]"),
    ],
)
def test_a_word_beside_an_output_is_no_mark_of_its_lines(text: str, stays: str) -> None:
    whole = f"{sample('wrk.txt')}\n{text}\n"

    assert stays in unpasted(whole, is_known).lines
    quoted = WAYS["quoted"](whole)
    assert isinstance(quoted, str)
    assert stays in unpasted(quoted, is_known).lines


@pytest.mark.parametrize(
    "line",
    [
        "#[Mean    =        1.440, StdDeviation   =        0.706]", "  [200]\t2000 responses",
        "* Average: 1.0 MiB/s, 1.0 obj/s", "+F:25:sha256:135173123.23", "# Warmup Iteration   1: 0.9 us/op",
        "--- FAIL: BenchmarkA", "Got: +F:25:sha256:1.00",
    ],
)  # fmt: skip
def test_what_tools_begin_lines_with_themselves_is_left(line: str) -> None:
    for name in SOME:
        assert line.strip() in unpasted(f"{sample(name)}\n{line}\n", is_known).lines


def test_a_line_keeps_its_place() -> None:
    text = "intro\n\n> sysbench 1.0.20\n> Threads started!\n>     total time:     nan_s\n>     total time: x\n"

    with pytest.raises(BadInput, match="cut short"):
        read(text)
    wrong = "intro\n\n> Running 1s test @ http://x\n>   Latency   1.00xs 1.00ms 1.00ms 50%\n>   Requests/sec: 10.0\n"
    assert any(each.saw.startswith("line 4: 'Latency   1.00xs") for each in read(wrong).incidents)


def test_a_document_stands_within_a_text_and_two_of_them_are_refused() -> None:
    document = sample("hyperfine.json")

    assert figures(f"{PROSE}```json\n{document}\n```\n{PROSE}").keys() == figures(document).keys()
    with pytest.raises(BadInput, match="this is not JSON: Extra data"):
        read(f"{document}\n{document}")


@pytest.mark.parametrize(
    "words",
    ["...", "…", "[...]", "(...)", "<snip>", "[... 12 lines omitted ...]", "--- snip ---", "[output truncated]"],
)
def test_lines_that_somebody_left_out_are_told(words: str) -> None:
    lines = sample("ab.txt").split("\n")

    cut = said("\n".join([*lines[:8], words, *lines[12:]]))
    assert f"W said-by-the-tool: PLACE: {words}" in cut
    assert f"W said-by-the-tool: PLACE: {words}" not in said("\n".join([words, *lines]))


TOLD = re.compile(r"(?:W|note) said-by-the-tool: .*(?: has no | without | have no )|refused: .*")
# The last line that every output has, and of how many lines behind it nobody knows whether they were there.
ENDS = {
    "ab.txt": "Total:  ", "hey.txt": "Status code", "jmh.txt": "# Run complete", "sysbench-cpu.txt": "         sum:",
    "wrk.txt": "Transfer/sec", "k6.txt": "    data_received", "gobench.txt": "PASS",
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_an_output_that_ends_before_its_end_is_told_at_any_line(name: str) -> None:
    lines = sample(name).split("\n")
    end = next(at for at, line in enumerate(lines) if line.startswith(ENDS[name]))

    for last in range(1, end):
        assert any(map(TOLD.match, said("\n".join(lines[:last])))), lines[last]
    assert not any(map(TOLD.match, PLAIN[name]))


# The last line with a figure that is known without what stands above.
BEGINS = {
    "ab.txt": "Total:  ", "hey.txt": "  99%%", "sysbench-cpu.txt": "         max:", "wrk.txt": "Requests/sec",
    "warp.txt": " * Average: 94", "openssl-aes.txt": "AES-128", "k6.txt": "    iteration_duration",
    "jmh.txt": "Sums.sha256    1024", "gobench.txt": "BenchmarkSum/hash=hmac/size=16KiB", "lambda.txt": "REPORT",
}  # fmt: skip


@pytest.mark.parametrize("name", BEGINS)
def test_an_output_without_its_first_lines_is_read_as_far_as_it_goes(name: str) -> None:
    lines = sample(name).split("\n")
    last = max(at for at, line in enumerate(lines) if line.startswith(BEGINS[name]))
    whole = {figure.value for figure in read(sample(name)).figures} - {None}

    for first in range(1, last + 1):
        rest = read("\n".join(lines[first:])).figures
        assert rest
        assert {figure.value for figure in rest if figure.statistic != "mean"} - {None} <= whole


def test_one_of_several_outputs_that_was_cut_short_takes_no_other_with_it() -> None:
    whole = sample("sysbench-cpu.txt")
    cut = whole[: whole.index("General statistics")].replace("events per second", "…")

    assert len(read(whole + cut).figures) == len(read(whole).figures)
    assert any("no results" in each.saw for each in read(whole + cut).incidents)


@pytest.mark.parametrize(
    "text", [" ", "> ", "# ", "[x] ", "a: ", "{\n", "\x1b[", "<br", "&lt", "2024-01-01 ", "1:", "\\ "]
)
def test_marks_that_go_on_for_ever_take_no_time(text: str) -> None:
    """Each line is looked at once, and no pattern tries every way to cut it."""
    began = time.process_time()

    for lines in (text * 100_000, f"{text * 50}\n" * 2000):
        unpasted(sample("wrk.txt") + lines, is_known)

    assert time.process_time() - began < 2
