"""The page about the published studies says what the program says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_on_the_published_studies_is_what_the_program_says() -> None:
    said = subprocess.run([sys.executable, "docs/generate_audit.py"], cwd=ROOT, capture_output=True, text=True)

    assert said.stderr == ""
    assert (ROOT / "docs" / "audit-published.md").read_text(encoding="utf-8") == said.stdout
