"""What a run of s3 that was killed left behind is removed by the next one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sectax.experiments.client_server.work_folder import WorkFolder
from sectax.experiments.s3.bench import sweep_data
from sectax.experiments.s3.minio import WORK_FOLDERS


def test_what_a_killed_run_left_where_data_had_put_it_is_removed_by_the_next_run_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECTAX_STATE", str(tmp_path / "state"))
    then, now = tmp_path / "then", tmp_path / "now"
    code = (
        "import os, signal, sys; from pathlib import Path; from sectax.experiments.s3.bench import sweep_data\n"
        "from sectax.experiments.s3.minio import WORK_FOLDERS\n"
        "from sectax.experiments.client_server.work_folder import WorkFolder\n"
        "data = Path(sys.argv[1]); sweep_data(data); (WorkFolder(WORK_FOLDERS, data).path / 'data').mkdir()\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(then)], check=False)
    living = WorkFolder(WORK_FOLDERS, now)
    assert len(list(then.iterdir())) == 1

    sweep_data(now)

    assert list(then.iterdir()) == []
    assert living.path.is_dir()
    living.remove()
