"""The output itself reports that something failed, or warns of its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import gather
from sectax.audit.checks.interface import Remark, check, remark
from sectax.audit.checks.words import EVERYTHING
from sectax.audit.form import Evidence, TroubleKind
from sectax.model.finding import Severity

_OF_KIND = {
    TroubleKind.FAILED: (Severity.FATAL, "the tool reports that its work failed", "fix what failed, and run it again"),
    TroubleKind.WARNED: (Severity.WARNING, "the tool warns of its own figures", "find out why, and run it again"),
    TroubleKind.CUT: (Severity.WARNING, "a part of the output is missing", "audit the whole output"),
    TroubleKind.UNREAD: (Severity.WARNING, "a part of the output is in none of the figures", "see what it says"),
}


@check(
    "F: the output itself reports a failure; W: it warns of its figures, or a part of it is missing",
    applies=lambda evidence: bool(evidence.troubles),
)
def said_by_the_tool(evidence: Evidence) -> Iterator[Remark]:
    for group in gather(evidence.troubles, lambda trouble: (trouble.kind, trouble.text.split(":")[0])):
        first, others = group[0], len(group) - 1
        more = f", and {others} more like it" if others else ""
        severity, meaning, advice = _OF_KIND[first.kind]
        yield remark(severity, EVERYTHING, f"line {first.line}: {first.text}{more}", meaning, advice)
