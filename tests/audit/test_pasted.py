"""What people put around an output is taken off, and a line stays in its place."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

import pytest

from sectax.audit.reading import registry
from sectax.audit.reading.plain import unpasted

SAMPLES = Path(__file__).parent / "tools" / "samples"
WRK, GO = (SAMPLES.joinpath(name).read_text("utf-8") for name in ("wrk.txt", "gobench.txt"))

Paste = Callable[[str], str]


def each_line(put: Callable[[int, str], str]) -> Paste:
    return lambda text: "\n".join(put(at, line) for at, line in enumerate(text.split("\n"), 1))


WAYS: dict[str, Paste] = {
    "a margin": each_line(lambda _, line: f"    {line}"),
    "a quotation": each_line(lambda _, line: f"> {line}"),
    "comments": each_line(lambda _, line: f"# {line}"),
    "numbers of lines": each_line(lambda at, line: f"{at:5}  {line}"),
    "times of CI": each_line(lambda at, line: f"2024-05-01T10:00:{at % 60:02}.1234567Z {line}"),
    "a container's name": each_line(lambda _, line: f"bench_1  | {line}"),
    "times and levels": each_line(lambda at, line: f"[10:00:{at % 60:02}] INFO {line}"),
    "lines of a diff": each_line(lambda _, line: f"+{line}"),
    "colours": each_line(lambda _, line: f"\x1b[32m{line}\x1b[0m"),
    "a fence, and words around it": lambda text: f"Here is what I got:\n\n```\n{text}\n```\nIs that good?",
    "a web page": lambda text: f"<html><body><h1>Speed</h1>\n<pre><code>{html.escape(text)}</code></pre></body></html>",
    "blocks of a web page": each_line(lambda _, line: f"<div>{html.escape(line)}</div>"),
    "blocks without line ends": lambda text: "".join(f"<div>{html.escape(line)}</div>" for line in text.split("\n")),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
}


def figures(text: str) -> list[tuple[str, float]]:
    return [(claim.id, claim.value) for claim in registry.read(text)[1].figures]


@pytest.mark.parametrize("text", [WRK, GO], ids=["wrk", "go"])
@pytest.mark.parametrize("way", WAYS)
def test_the_figures_are_those_of_the_bare_output(way: str, text: str) -> None:
    assert figures(WAYS[way](text)) == figures(text)


def known(line: str) -> bool:
    return line.startswith("result ")


def test_a_mark_stays_where_nothing_behind_it_is_known() -> None:
    assert unpasted("> words\n> more words\nresult 1", known) == ["> words", "> more words", "result 1"]


def test_a_line_keeps_its_place() -> None:
    assert unpasted("words\n  > result 1\n  > result 2", known) == ["words", "result 1", "result 2"]


def test_a_note_beside_an_output_keeps_its_mark() -> None:
    assert "# result 3" in unpasted("result 1\nresult 2\n# result 3", known)


def test_a_document_is_found_in_a_page() -> None:
    document = SAMPLES.joinpath("hyperfine.json").read_text("utf-8")

    assert figures(f"The numbers:\n\n{document}\nThanks!") == figures(document)


@pytest.mark.parametrize(
    ("text", "prose", "printed"),
    [
        (WRK, "unable to connect is what it printed before", "unable to connect to ::1:8080 Connection refused"),
        (GO, "FAIL is a word of ours", "FAIL\texample.com/x\t0.002s"),
        (GO, "--- FAIL: as we feared", "--- FAIL: BenchmarkOther-8"),
    ],
)
def test_a_failure_is_what_the_tool_prints_and_no_prose(text: str, prose: str, printed: str) -> None:
    troubles = [len(registry.read(f"{text}\n{line}\n")[1].troubles) for line in ("", prose, printed)]

    assert troubles == [troubles[0], troubles[0], troubles[0] + 1]
