"""Audit any target: a run, a published study, or the output of another tool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sectax.audit.form import Evidence, Trouble, TroubleKind
from sectax.audit.reading.asked import Columns
from sectax.model.audited import Audited, Tally
from sectax.model.errors import WrongUse
from sectax.model.finding import Finding, Severity, VerdictId
from sectax.model.treatment import CONTROLS
from sectax.reports.words import names
from sectax.run.analyse import audited, checked

if TYPE_CHECKING:
    from sectax.audit.checks.interface import CheckOutcome
    from sectax.formats.input_file import InputFile

__all__ = ["Columns", "audit", "formats"]

PUBLISHED = "published:"
CSV = "csv"

_RUN_SUFFIX = ".sectax"


def formats() -> tuple[str, ...]:
    from sectax.audit.reading import registry

    return (*registry.names(), CSV)


def audit(
    target: str,
    format_: str | None = None,
    columns: Columns | None = None,
) -> Audited:
    """Check a target for common mistakes.

    Args:
        target: a run file, `published:ID`, the path of a file of numbers, or `-` for standard input.
        format_: the name of a format; None to recognise it.
        columns: the columns of a table, and the baseline.

    Raises:
        SectaxError: the target does not exist, or cannot be read.
    """
    given_columns = columns or Columns()
    if target.startswith(PUBLISHED):
        _refuse("a published study", format_, given_columns)
        return _published(target)
    if "://" in target:
        raise WrongUse(
            f"{target} is an address, and sectax does not download",
            "save its table as a file, or paste it: sectax audit -",
        )
    if format_ is None and target.endswith(_RUN_SUFFIX):
        _refuse("a run file", format_, given_columns)
        return _run(target)
    if target != "-" and not Path(target).exists():
        from sectax import published

        published.refuse_bare(target)
    return _file(target, format_, given_columns)


def _published(target: str) -> Audited:
    from sectax import published
    from sectax.audit.study import evidence_of_study

    study = published.load(target.removeprefix(PUBLISHED))
    return _reviewed(target, "published", f"published study: {study.title}", evidence_of_study(study))


def _run(target: str) -> Audited:
    from sectax.record.reader import RunReader

    with RunReader.open(Path(target)) as reader:
        measured = reader.measured()
    findings, outcomes = audited(measured)
    return Audited(
        target=target,
        kind="run",
        title="run of sectax",
        own=True,
        figures=len(_judged(findings)),
        values=0,
        checks=tuple(map(checked, outcomes)),
        comparisons=comparisons(findings),
        names=names.labels_by_id(measured.plan),
    )


def comparisons(findings: Iterable[Finding]) -> Tally:
    """Count the findings that were withdrawn, and others with a warning."""
    judged = _judged(findings)
    stands = [finding for finding in judged if finding.verdict is not VerdictId.WITHDRAWN]
    warned = (any(warning.severity is not Severity.NOTE for warning in finding.warnings) for finding in stands)
    return Tally(len(judged) - len(stands), sum(warned))


def _judged(findings: Iterable[Finding]) -> list[Finding]:
    """The measured findings, without the run's own controls."""
    compared = (finding for finding in findings if finding.comparison.standing not in CONTROLS)
    return [finding for finding in compared if finding.verdict is not VerdictId.NOT_MEASURED]


def _file(target: str, format_: str | None, columns: Columns) -> Audited:
    from sectax.formats.bad_input import BadInput
    from sectax.formats.input_file import deadline, opened, standard_input
    from sectax.text.printable import printable

    with standard_input() if target == "-" else opened(Path(target)) as file:
        if file.is_database:
            _refuse("a run file", format_, columns)
            return _run(target)
        _refuse("a file of other numbers", None, Columns())
        try:
            with deadline(file.size):
                kind, title, evidence = _imported(file, format_, columns)
                return _reviewed(target, kind, title, evidence)
        except BadInput as error:
            raise error.in_file("standard input" if target == "-" else printable(target)) from error


def _imported(file: InputFile, format_: str | None, columns: Columns) -> tuple[str, str, Evidence]:
    """The kind, title and evidence of a file. Raises `BadInput`."""
    from sectax.audit.reading import registry
    from sectax.audit.reading.asked import with_baseline
    from sectax.audit.tables.table import looks_like_a_table, read_table

    format_name = registry.recognised(file.head_text()) if format_ is None else format_
    if format_name is None and (columns.value or columns.unit or looks_like_a_table(file.head_text())):
        format_name = CSV
    if format_name == CSV:
        evidence = read_table(file.lines(), columns)
        kind, title = CSV, f"table ({evidence.columns})"
    else:
        grammar, evidence = registry.read(file.text(), format_name)
        kind, title = grammar.name, grammar.title
        # --baseline applies wherever there are levels.
        unfit = [name for name in columns.given() if name != "baseline"]
        if unfit:
            raise WrongUse(f"--{unfit[0]} is for tables, and this is {title}", "leave it out, or --format csv")
    if file.unreadable:
        unread = Trouble(TroubleKind.UNREAD, 0, file.unreadable[0])
        evidence = replace(evidence, troubles=(*evidence.troubles, unread))
    return kind, title, with_baseline(evidence, columns.baseline) if columns.baseline else evidence


def _refuse(what: str, format_: str | None, columns: Columns) -> None:
    """Raise `WrongUse` for an option that does not apply to this kind of target."""
    options = [*(["format"] if format_ is not None else []), *columns.given()]
    if options:
        raise WrongUse(f"--{options[0]} does not apply to {what}", "leave it out")


def _reviewed(target: str, kind: str, title: str, evidence: Evidence) -> Audited:
    import numpy as np

    from sectax.audit.checks.registry import review

    # Values like 1e-320 or 1e300 may overflow to infinity, which compares correctly.
    with np.errstate(all="ignore"):
        outcomes: tuple[CheckOutcome, ...] = review(evidence)
    return Audited(
        target=target,
        kind=kind,
        title=title,
        own=False,
        figures=len(evidence.figures),
        values=sum(len(series.values) for series in evidence.series),
        checks=tuple(map(checked, outcomes)),
    )
