"""The audit of any target: a run of ours, a published study, or a file of somebody else's numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sectax.audit import words
from sectax.audit.evidence import Evidence, Incident
from sectax.audit.importers.columns import Columns
from sectax.audit.importers.registry import NAMES, choose, read
from sectax.model.audited import Audited, Tally
from sectax.model.errors import WrongUse
from sectax.model.finding import Finding, Severity, VerdictId
from sectax.model.plan import Plan
from sectax.reports.words import names
from sectax.workflow.analyse import checked

if TYPE_CHECKING:
    from sectax.audit.importers.parts import Importer
    from sectax.workflow.input_file import InputFile

__all__ = ["FORMATS", "Columns", "audit"]

PUBLISHED = "published:"
# What a command may ask for.
FORMATS = NAMES

_RUN_SUFFIX = ".sectax"


def audit(
    target: str,
    format_: str | None = None,
    columns: Columns | None = None,
    *,
    in_full: bool = False,
    signers: Path | None = None,
) -> Audited:
    """Put a target under every check.

    Args:
        target: a run file, `published:ID`, or the path of a file of numbers.
        format_: the name of an importer; None lets the file's content decide.
        columns: what the user says of a CSV's columns, and of the baseline.
        signers: of a run file, those by one of whom it must be sealed, as ssh-keygen has them.
        in_full: whether texts name every figure instead of the first few.

    Raises:
        SectaxError: the target is not there, of no known kind, or not what it is taken for.
    """
    said = columns or Columns()
    with words.in_full() if in_full else contextlib.nullcontext():
        if target.startswith(PUBLISHED):
            _refuse("a published study", format_, said, signers)
            return _published(target)
        if format_ is None and target.endswith(_RUN_SUFFIX):
            _refuse("a run file", format_, said)
            return _run(target, signers)
        return _file(target, format_, said, signers)


def _published(target: str) -> Audited:
    from sectax import published
    from sectax.audit.published import evidence_of_study

    study = published.load(target.removeprefix(PUBLISHED))
    return _reviewed(target, "published", f"published study: {study.title}", evidence_of_study(study))


def _run(target: str, signers: Path | None) -> Audited:
    from sectax.analysis.analyse import withhold
    from sectax.analysis.findings import judge
    from sectax.audit.own_run import evidence_of
    from sectax.record.reader import RunReader
    from sectax.workflow.seal import seal_of_run

    with contextlib.closing(RunReader.open(Path(target))) as reader:
        measured = reader.measured()
        seal = seal_of_run(reader, signers)
    findings = judge(measured)
    evidence = replace(evidence_of(measured, findings), seal=seal)
    audited = _reviewed(target, "run", "run of sectax", evidence)
    warned = withhold(measured.plan, findings, (one for each in audited.checks for one in each.warnings))
    return replace(audited, comparisons=comparisons(warned), seal=seal, names=_names(measured.plan))


def _names(plan: Plan) -> dict[str, str]:
    """What the other reports call what a warning of a run may be about."""
    ids = [*(each.id for each in plan.treatments), *(each.id for each in plan.comparisons)]
    named = {id: names.subject(plan, id) for id in (*ids, *(each.id for each in plan.cells))}
    return {id: name for id, name in named.items() if name != id}


def comparisons(findings: Iterable[Finding]) -> Tally:
    """Of findings with their warnings: how many lost their verdict, and how many others carry a warning."""
    judged = [each for each in findings if each.verdict is not VerdictId.NOT_MEASURED]
    stands = [each for each in judged if each.verdict is not VerdictId.WITHDRAWN]
    warned = (any(warning.severity is not Severity.NOTE for warning in each.warnings) for each in stands)
    return Tally(len(judged) - len(stands), sum(warned))


def _file(target: str, format_: str | None, columns: Columns, signers: Path | None) -> Audited:
    from sectax.formats.bad_input import BadInput
    from sectax.model.printable import printable
    from sectax.workflow.input_file import deadline, opened

    with opened(Path(target)) as file:
        if file.is_database:
            _refuse("a run file", format_, columns)
            return _run(target, signers)
        _refuse("a file of other numbers", None, Columns(), signers)
        try:
            with deadline(file.size):
                importer, evidence = _imported(file, format_, columns)
                return _reviewed(target, importer.name, importer.title, evidence)
        except BadInput as error:
            raise error.in_file(printable(target)) from error


def _imported(file: InputFile, format_: str | None, columns: Columns) -> tuple[Importer, Evidence]:
    from sectax.audit.importers.parts import with_baseline, with_contained

    importer = choose(file.head_text(), format_, columns, None if file.is_in_head else file.text)
    evidence = importer.read(file.lines()) if importer.streams else read(file.text(), importer, alone=format_ is None)
    evidence = with_contained(evidence, columns.contains)
    if file.unreadable:
        evidence = replace(evidence, incidents=(*evidence.incidents, _unreadable(file.unreadable[0])))
    return importer, with_baseline(evidence, columns.baseline) if columns.baseline else evidence


def _unreadable(saw: str) -> Incident:
    meaning = "a few characters could not be read and were replaced; a line that they stand in may be in no figure"
    return Incident(Severity.WARNING, saw, meaning)


def _refuse(what: str, format_: str | None, columns: Columns, signers: Path | None = None) -> None:
    """Raises `WrongUse` for an option that is not for what the target is."""
    given = [*(["format"] if format_ is not None else []), *columns.given()]
    if given:
        raise WrongUse(f"--{given[0]} is of a file of other numbers, and this is {what}", "leave it out")

    if signers is not None:
        raise WrongUse(f"--signers is of a run file, and this is {what}", "leave it out")


def _reviewed(target: str, kind: str, title: str, evidence: Evidence) -> Audited:
    import numpy as np

    from sectax.audit.registry import review

    # Values of 1e-320 or 1e300 overflow here and there: an infinity compares as it should, and nobody needs telling.
    with np.errstate(all="ignore"):
        outcomes = review(evidence)
    own = evidence.own
    return Audited(
        target=target,
        kind=kind,
        title=title,
        own=own,
        figures=sum(1 for _ in evidence.measured_findings()) if own else len(evidence.figures),
        values=sum(len(figure.values) for figure in evidence.printed),
        checks=tuple(map(checked, outcomes)),
    )
