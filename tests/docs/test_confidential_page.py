"""The commands that docs/confidential.md shows have a plan: with this machine in the place of the cloud's."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.needs import needs
from tests.program import sectax

DOCS = Path(__file__).parents[2] / "docs"


def shown() -> list[list[str]]:
    text = (DOCS / "confidential.md").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.startswith("    sectax run ")]
    here = [re.sub(r"ssh://me@vm-\d+|oci:[a-z+]+", "local", line) for line in lines]
    return [shlex.split(line, comments=True) for line in here]


@pytest.mark.more
@needs("sysbench")
@pytest.mark.parametrize("words", shown(), ids=lambda words: " ".join(words[2:])[:60])
def test_a_run_that_the_page_shows_has_a_plan(words, tmp_path):
    for script in ("pgbench.sh", "http.sh"):
        shutil.copy(DOCS / "examples" / script, tmp_path)

    result = sectax(*words[1:], "--dry-run", folder=tmp_path)

    assert result.status == 0, result.err


def test_the_script_of_the_http_service_says_how_it_is_used():
    result = subprocess.run(["sh", DOCS / "examples" / "http.sh"], capture_output=True, text=True)

    assert (result.returncode, result.stderr) == (2, "http.sh serve|load [COUNT]\n")
