"""What the audit says of a file, in a form that does not depend on where in the file it stands."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from sectax.cli.audit_target import Columns, audit
from sectax.model.errors import SectaxError

_PLACE = re.compile(r"\b(?:lines?|byte|column) \d+")


def said(content: str | bytes, format_: str | None = None, columns: Columns | None = None) -> list[str]:
    """Its kind, how many figures and values, and every finding with its severity and words; or why it was refused."""
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        path = Path(file.name)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        try:
            audited = audit(str(path), format_, columns)
        except SectaxError as error:
            return [f"refused: {_PLACE.sub('PLACE', error.message).replace(str(path), 'FILE')}"]
    findings = (
        f"{warning.severity.value} {check.check}: {_PLACE.sub('PLACE', warning.saw)}"
        for check in audited.checks
        for warning in check.warnings
    )
    return [f"{audited.kind}: {audited.figures} figures, {audited.values} values", *sorted(findings)]


def differences(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """What is said of the one alone (-), and of the other alone (+)."""
    one, other = list(before), list(after)
    return [f"- {line}" for line in one if line not in other] + [f"+ {line}" for line in other if line not in one]
