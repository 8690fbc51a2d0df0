"""The workflow that docs/builds.md offers: its shell steps, run one after the other as GitHub does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "builds.md"
MAKEFILE = "app:\n\tprintf '#!/bin/sh\\nsleep {seconds}\\n' >app && chmod +x app\n"


def steps() -> list[str]:
    (workflow,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [textwrap.dedent(step) for step in re.findall(r"run: \|\n((?: {10}.*\n)+)", workflow)]


@pytest.mark.more
def test_its_steps_compare_the_change_with_its_base(tmp_path):
    def shell(words: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        own = {"PATH": path, "HOME": str(tmp_path), "GIT_CONFIG_GLOBAL": os.devnull} | environment
        return subprocess.run(["bash", "-e", "-c", words], cwd=folder, env=own, capture_output=True, text=True)

    def commit(folder: Path, seconds: str) -> str:
        (folder / "Makefile").write_text(MAKEFILE.format(seconds=seconds))
        return "git add . && git -c user.name=a -c user.email=a@b commit -qm c"

    (tmp_path / "origin").mkdir()
    assert shell(f"git init -qb main && {commit(tmp_path / 'origin', '0.01')}", tmp_path / "origin").returncode == 0
    assert shell("git clone -q origin change", tmp_path).returncode == 0
    assert shell(commit(tmp_path / "change", "0.05"), tmp_path / "change").returncode == 0
    build, measure = steps()

    built = shell(build, tmp_path / "change", GITHUB_BASE_REF="main")
    measured = shell(measure, tmp_path / "change", GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"))

    assert built.returncode == 0, built.stderr
    assert measured.returncode in (1, 4), measured.stderr  # four times slower; undecided on a very busy machine
    assert {"cost.sectax", "cost.html"} <= set(os.listdir(tmp_path / "change"))
    assert "slower>5%" in (tmp_path / "summary.md").read_text()
