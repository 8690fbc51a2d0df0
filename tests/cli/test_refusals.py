"""What the program refuses, a page for each subject: a heading is what was typed behind `sectax`, below is the answer.

A new case is a heading; `SECTAX_GOLDEN=write` writes the answer below it.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.golden import cases, refused_as_agreed
from tests.program import sectax

FOLDER = Path(__file__).with_name("refusals")
PAGES, WORDS = sorted(FOLDER.iterdir()), FOLDER / "words.txt"
SAMPLES = Path(__file__).parents[1] / "audit" / "tools" / "samples"
FILES = {
    "key": b"eine-Folge-von-Zeichen_die-nur-diese-Tests-kennen",
    "empty": b"\n",
    "binary": b"\xff\xfe",
    "t.csv": b"ms\n1\n",
    "wrk.txt": (SAMPLES / "wrk.txt").read_bytes(),
}


@pytest.mark.parametrize(("page", "case"), [(page, case) for page in PAGES for case in cases(page)])
def test_wrong_use_is_refused_and_begins_nothing(page: Path, case: str, tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o600)

    answer = sectax(*shlex.split(case), folder=tmp_path)

    refused_as_agreed(page, case, answer, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == FILES.keys()


@pytest.mark.parametrize(
    "case", [case for case in cases(WORDS) if case.startswith(("run jwt", "run command")) and "--prices" not in case]
)
def test_a_dry_run_refuses_what_a_run_refuses(case: str, tmp_path: Path) -> None:
    refused_as_agreed(WORDS, case, sectax(*shlex.split(case), "--dry-run", folder=tmp_path), tmp_path)
