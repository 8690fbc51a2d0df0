"""All importers. A new one is a file beside this and a line below."""

from __future__ import annotations

from sectax.audit.importers import csv_table
from sectax.audit.importers.apache_bench import APACHE_BENCH
from sectax.audit.importers.columns import Columns
from sectax.audit.importers.criterion import CRITERION
from sectax.audit.importers.go_bench import GO_BENCH
from sectax.audit.importers.hey import HEY
from sectax.audit.importers.hyperfine import HYPERFINE
from sectax.audit.importers.jmh import JMH
from sectax.audit.importers.k6 import K6
from sectax.audit.importers.lambda_report import LAMBDA_REPORT
from sectax.audit.importers.openssl_speed import OPENSSL_SPEED
from sectax.audit.importers.parts import Importer
from sectax.audit.importers.pyperf_json import PYPERF
from sectax.audit.importers.pytest_benchmark import PYTEST_BENCHMARK
from sectax.audit.importers.sysbench import SYSBENCH
from sectax.audit.importers.warp import WARP
from sectax.audit.importers.wrk import WRK
from sectax.formats.bad_input import BadInput

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


def choose(head: str, asked: str | None, columns: Columns) -> Importer:
    """The importer of a file.

    Args:
        head: its beginning, whole lines.
        asked: the name that the user gave; None lets the content decide.
        columns: what the user says of a CSV's.

    Raises:
        BadInput: nothing knows it, more than one do, or columns are named of what is no CSV.
    """
    table = csv_table.importer(columns)
    by_name = {each.name: each for each in (*_TOOLS, table)}
    if asked is not None:
        found = by_name[asked]
    else:
        known = [each for each in _TOOLS if each.recognises(head)]
        # Anything may be a CSV, so it is asked last.
        found = _only(head, known or ([table] if columns.value or table.recognises(head) else []))
    # A level may be called the baseline, or hold another, wherever there are levels.
    unfit = [name for name in columns.given() if name not in ("baseline", "contains")]
    if found is not table and unfit:
        raise BadInput(f"--{unfit[0]} is of a CSV, and this is {found.title}", "leave it out, or --format csv")
    return found


def _only(head: str, known: list[Importer]) -> Importer:
    if not known:
        raise BadInput(
            f"this is the output of no tool that is known here; tried were {', '.join(NAMES)}",
            "say what it is with --format; any table can be read as CSV with --value COLUMN --unit UNIT",
        )
    first = min(known, key=lambda each: _begins_at(each, head))
    refuse_mixed(head, first, known)
    return first


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
