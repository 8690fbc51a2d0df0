"""What an audit found."""

from __future__ import annotations

from sectax.model.audited import Audited, Status
from sectax.reports.json.parts import encoded, warning
from sectax.reports.words import audit_sentence


def document(audited: Audited) -> bytes:
    """One JSON document, UTF-8; its schema stands in docs/schemas."""
    return encoded(
        {
            "schema": "sectax/audit/1",
            "target": audited.target,
            "source": {"kind": audited.kind, "title": audited.title, "own": audited.own},
            "figures": audited.figures,
            "values": audited.values,
            "verdict": {
                "fatal": audited.tally().fatal,
                "warned": audited.tally().warned,
                "beside": {"fatal": audited.beside().fatal, "warned": audited.beside().warned},
                **{_MEMBERS[status]: audited.count(status) for status in Status},
                "words": audit_sentence(audited),
            },
            "checks": [
                {
                    "check": each.check,
                    "rule": each.rule,
                    "status": each.status.value,
                    "warnings": [warning(one) | {"figures": [*one.figures]} for one in each.warnings],
                }
                for each in audited.checks
            ],
        }
    )


_MEMBERS = {
    Status.FIRED: "fired",
    Status.SILENT: "silent",
    Status.UNCHECKED: "unchecked",
    Status.NOT_APPLICABLE: "not_applicable",
}
