"""A clock that jumps in the middle of a run, as after a suspend, costs at most the blocks it fell into."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import sectax

ROOT = Path(__file__).parents[2]
# Half way through, the wall clock is set back by a day, and the monotonic one jumps ahead as in a machine that was
# paused; on Linux it stands still in a suspended one.
JUMPING = """
import sys
from sectax.cli.main import main
from sectax.record import writer
from tests.fakes import virtual
virtual.install(1)
kind, after, sys.argv = sys.argv[1], int(sys.argv[2]), ["sectax", *sys.argv[3:]]
now, execute, seen = writer._now, virtual.VirtualLauncher._execute, 0
def jumping(*words):
    global seen
    seen += 1
    if seen == after and kind == "monotonic":
        virtual.TIME.now += 1e6
    if seen == after and kind == "wall":
        writer._now = lambda: "2001-01-01T00:00:00.000+00:00"
    return execute(*words)
virtual.VirtualLauncher._execute = jumping
main()
"""


@pytest.mark.parametrize("kind", ["monotonic", "wall"])
@pytest.mark.parametrize("after", [5, 300], ids=["in the pilot", "in a block"])
def test_a_run_survives_a_jump_and_its_file_is_whole(tmp_path: Path, kind: str, after: int) -> None:
    words = ("run", "command", "--baseline", "sleep 0.01", "--treatment", "b=sleep 0.02", "--out", "r.sectax")
    done = subprocess.run(
        [sys.executable, "-c", JUMPING, kind, str(after), *words, "--blocks", "8", "--seed", "1"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=200,
    )

    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
    shown = sectax("show", "r.sectax", "--json", folder=tmp_path)
    assert shown.status == 0, shown.err
    assert "slower-material" in {finding["verdict"]["id"] for finding in json.loads(shown.out)["findings"]}
