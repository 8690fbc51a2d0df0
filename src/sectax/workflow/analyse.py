"""From what was measured to what may be said: judge, audit, and join the two."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from sectax.analysis.analyse import analyse
from sectax.analysis.findings import judge
from sectax.audit.own_run import evidence_of
from sectax.audit.registry import review
from sectax.model.analysed import Analysed
from sectax.model.measured import Measured
from sectax.record.reader import RunReader
from sectax.workflow.checked import checked


def analyse_measured(measured: Measured) -> Analysed:
    """Judge every comparison, run the audit over it, and let its fatal warnings take verdicts away."""
    findings = judge(measured)
    outcomes = review(evidence_of(measured, findings))
    analysed = analyse(measured, (warning for each in outcomes for warning in each.warnings), findings)
    return replace(analysed, checks=tuple(map(checked, outcomes)))


def analyse_file(path: Path) -> Analysed:
    """The same from a run file alone, so that an old run can be judged by better statistics."""
    with contextlib.closing(RunReader.open(path)) as reader:
        return analyse_measured(reader.measured())
