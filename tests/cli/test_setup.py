"""`sectax setup` makes what a run needs, once; `sectax doctor` says of every part of it how it stands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.program import sectax


@pytest.fixture
def here(tmp_path: Path) -> dict[str, str]:
    """A machine with an empty cache, without Go and without a package manager."""
    (tmp_path / "programs").mkdir()
    return {"SECTAX_CACHE": str(tmp_path / "cache"), "PATH": str(tmp_path / "programs")}


def doctor(environment: dict[str, str]) -> dict[str, dict[str, str]]:
    return {symptom["id"]: symptom for symptom in json.loads(sectax("doctor", "--json", **environment).out)["symptoms"]}


@pytest.mark.more
def test_hmac_is_made_ready_once_and_without_go_the_rest_is(here, tmp_path):
    before = doctor(here)
    first = sectax("setup", "hmac", **here)
    made = {path: path.stat().st_mtime_ns for path in files(tmp_path / "cache")}
    second = sectax("setup", "hmac", **here)
    after = doctor(here)

    assert {"probe-go", "probe-java", "probe-node", "probe-php", "probe-python", "probe-rust"} <= before.keys()
    assert first.status == second.status == 0
    assert {path: path.stat().st_mtime_ns for path in files(tmp_path / "cache")} == made
    python, go = "function-hmac_authorizer-python", "function-hmac_authorizer-go"
    runtime = next(name for name in before if name.startswith("lambda-runtime-python3."))
    assert [before[name]["health"] for name in (python, runtime, go)] == ["warning", "warning", "missing"]
    assert [after[name]["health"] for name in (python, runtime, go)] == ["good", "good", "missing"]
    assert before[python]["hint"] == "sectax setup"
    assert "install Go 1." in after[go]["hint"]


def files(folder: Path) -> list[Path]:
    """What was built, apart from answers that are kept."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and folder / "kept" not in path.parents)


def test_what_cannot_be_made_is_reported_and_does_not_stop_the_others(here, tmp_path):
    unreachable = {"UV_OFFLINE": "1", "UV_CACHE_DIR": str(tmp_path / "empty")}

    result = sectax("setup", "hmac", **here, **unreachable)

    assert result.status == 3
    assert len(re.findall(r"^sectax: .*(?:AWS|hmac_authorizer)", result.err, re.MULTILINE)) == 2
    assert result.err.count("\nhint: ") >= 2
    assert "is ready" not in result.err
