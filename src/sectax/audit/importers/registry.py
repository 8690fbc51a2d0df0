"""All importers. A new one is a file beside this and a line below."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from sectax.audit.evidence import Evidence, Incident
from sectax.audit.importers import csv_table, own_lines
from sectax.audit.importers.apache_bench import APACHE_BENCH
from sectax.audit.importers.columns import Columns
from sectax.audit.importers.criterion import CRITERION
from sectax.audit.importers.cut import cut
from sectax.audit.importers.go_bench import GO_BENCH
from sectax.audit.importers.hey import HEY
from sectax.audit.importers.hyperfine import HYPERFINE
from sectax.audit.importers.jmh import JMH
from sectax.audit.importers.k6 import K6
from sectax.audit.importers.lambda_report import LAMBDA_REPORT
from sectax.audit.importers.openssl_speed import OPENSSL_SPEED
from sectax.audit.importers.parts import Importer
from sectax.audit.importers.pasted import Pasted, unpasted
from sectax.audit.importers.pyperf_json import PYPERF
from sectax.audit.importers.pytest_benchmark import PYTEST_BENCHMARK
from sectax.audit.importers.repeats import repeats
from sectax.audit.importers.sysbench import SYSBENCH
from sectax.audit.importers.warp import WARP
from sectax.audit.importers.wrk import WRK
from sectax.formats.bad_input import BadInput
from sectax.formats.characters import with_blanks
from sectax.model.finding import Severity

_TOOLS = (
    SYSBENCH,
    OPENSSL_SPEED,
    LAMBDA_REPORT,
    HYPERFINE,
    PYPERF,
    PYTEST_BENCHMARK,
    GO_BENCH,
    JMH,
    CRITERION,
    WARP,
    WRK,
    APACHE_BENCH,
    HEY,
    K6,
)
NAMES = (*(each.name for each in _TOOLS), "csv")


# Where a document may begin in a text: nobody pastes more that only looks like one.
_MOST_BEGINNINGS = 20
_HEAD, _HEAD_LINES = 2**16, 2000


def choose(head: str, asked: str | None, columns: Columns, whole: Callable[[], str] | None = None) -> Importer:
    """The importer of a file.

    Args:
        head: its beginning, whole lines.
        asked: the name that the user gave; None lets the content decide.
        columns: what the user says of a CSV's.
        whole: all of it, where that is more; an output may stand far below a log.

    Raises:
        BadInput: nothing knows it, more than one do, or columns are named of what is no CSV.
    """
    table = csv_table.importer(columns)
    by_name = {each.name: each for each in (*_TOOLS, table)}
    found = by_name[asked] if asked is not None else _recognised(head, table, columns, whole)
    # A level may be called the baseline, or hold another, wherever there are levels.
    unfit = [name for name in columns.given() if name not in ("baseline", "contains")]
    if found is not table and unfit:
        raise BadInput(f"--{unfit[0]} is of a CSV, and this is {found.title}", "leave it out, or --format csv")
    return found


def _recognised(head: str, table: Importer, columns: Columns, whole: Callable[[], str] | None) -> Importer:
    found = _tool(head)
    # Anything may be a CSV, so it is asked last.
    if found is None and (columns.value or table.recognises(head)):
        found = table
    if found is None and whole is not None:
        found = _tool(whole())
    if found is None:
        raise BadInput(
            f"this is the output of no tool that is known here; tried were {', '.join(NAMES)}",
            "say what it is with --format; any table can be read as CSV with --value COLUMN --unit UNIT",
        )
    return found


def read(text: str, importer: Importer, *, alone: bool = False) -> Evidence:
    """What an importer that takes a whole text finds in it, however it was pasted.

    Args:
        alone: whether to refuse what holds a second kind.

    Raises:
        BadInput: with the line and column of the file.
    """
    pasted = _printed(text)
    if alone:
        refuse_mixed(pasted.text, importer)
    try:
        evidence = importer.read(pasted.lines)
    except BadInput as error:
        raise error.moved(pasted.shifts) from error
    left_out = [
        Incident(
            Severity.WARNING,
            f"line {place}: {words}",
            "lines were left out here by whoever copied it: what stood there is in none of the figures",
        )
        for place, words in pasted.left_out
    ]
    missing = [*left_out, *cut(importer.name, pasted.lines)]
    missing += repeats(evidence.figures, pasted.lines, own_lines.is_known)
    return replace(evidence, incidents=(*evidence.incidents, *missing)) if missing else evidence


def _tool(text: str) -> Importer | None:
    """The tool whose output begins first in a text. Raises `BadInput` where another one's follows."""
    pasted = _printed(text)
    plain = pasted.text
    known = [each for each in _TOOLS if each.recognises(plain)]
    if known:
        first = min(known, key=lambda each: _begins_at(each, plain))
        refuse_mixed(plain, first, known)
        return first
    # Perhaps its first lines were not copied.
    most = own_lines.most_lines(pasted.lines)
    return next((each for each in _TOOLS if each.name == most), None)


# A text whose beginning tells nothing is looked at as a whole, and then read.
@lru_cache(maxsize=1)
def _printed(text: str) -> Pasted:
    """A text without what pasting put into it. Of a document of JSON nothing is taken off but what stands around it."""
    if _is_document(blank := with_blanks(text)):
        return _document(Pasted(blank.split("\n"), ()), 0)
    pasted = unpasted(text, own_lines.is_known)
    if any(each.begins is not None and each.begins.search(pasted.text) for each in _TOOLS):
        return pasted
    beginnings = [at for at, line in enumerate(pasted.lines) if line.startswith(("{", "["))][:_MOST_BEGINNINGS]
    at = next((at for at in beginnings if _is_document("\n".join(pasted.lines[at : at + _HEAD_LINES]))), None)
    return pasted if at is None else _document(pasted, at)


def _is_document(text: str) -> bool:
    return text.lstrip().startswith(("{", "[")) and any(each.known(text[:_HEAD]) for each in _TOOLS)


def _document(pasted: Pasted, begin: int) -> Pasted:
    """The document that begins in this line, and empty lines in place of what stands around it.

    What follows stays where it may be another document, which is then refused.
    """
    text = "\n".join(pasted.lines[begin:])
    try:
        _, end = json.JSONDecoder().raw_decode(text, len(text) - len(text.lstrip()))
    except (ValueError, RecursionError):
        end = len(text)
    if any(line.lstrip().startswith(("{", "[")) for line in text[end:].split("\n")):
        end = len(text)
    return replace(pasted, lines=[*[""] * begin, *text[:end].split("\n")], left_out=())


def refuse_mixed(text: str, taken: Importer, others: tuple[Importer, ...] | list[Importer] = _TOOLS) -> None:
    """Raise `BadInput` where a second kind begins in a text of one kind."""
    for other in others:
        if other.name == taken.name or other.begins is None:
            continue
        found = other.begins.search(text)
        if found is not None:
            raise BadInput(
                f"{other.title} begins here in a file of {taken.title}",
                f"one kind to a file: split it; if it really is one, say --format {taken.name}",
                line=text.count("\n", 0, found.start()) + 1,
            )


def _begins_at(importer: Importer, head: str) -> int:
    found = importer.begins.search(head) if importer.begins is not None else None
    return found.start() if found is not None else 0
