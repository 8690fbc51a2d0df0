"""The pages about the audit say what the program says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
GENERATE = runpy.run_path(str(DOCS / "generate_audit.py"))


def test_the_page_on_the_published_studies_is_what_the_program_says() -> None:
    assert (DOCS / "audit-published.md").read_text(encoding="utf-8") == GENERATE["document"]()


def test_the_tables_of_the_page_on_the_audit_are_those_of_the_program() -> None:
    page = (DOCS / "audit.md").read_text(encoding="utf-8")

    assert page == GENERATE["with_tables"](page)
    prose = re.sub(r"<!-- (\w+) -->.*?<!-- /\1 -->", "", page, flags=re.DOTALL)
    assert len(prose.split()) < 1500
