"""The local S3 server: its secrets stay secret, its end is noticed, and nothing of it is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sectax.experiments.client_server.server import ServerFailed
from sectax.experiments.client_server.work_folder import WorkFolder, sweep
from sectax.experiments.s3.bench import sweep_data
from sectax.experiments.s3.buckets import client
from sectax.experiments.s3.minio import WORK_FOLDERS
from tests.experiments.s3.servers import needs_minio, running


@needs_minio
@pytest.mark.more
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_it_requires_its_credentials_and_never_shows_them(tmp_path: Path, tls: bool) -> None:
    with running(tmp_path, tls=tls) as server:
        buckets = client(server.access).list_buckets()["Buckets"]
        process = Path(f"/proc/{server.pid}")
        shown = (process / "cmdline").read_bytes() + (process / "environ").read_bytes() + repr(server.access).encode()
        settings = next(tmp_path.glob("*/settings"))

        assert buckets == []
        assert server.access.endpoint.startswith("https://127." if tls else "http://127.")
        assert server.access.secret_key.encode() not in shown
        assert b"KMS_SECRET" not in shown
        assert settings.stat().st_mode & 0o077 == 0


@needs_minio
@pytest.mark.more
def test_a_stopped_server_leaves_neither_process_nor_files(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        pid = server.pid
    server.stop()

    assert not Path(f"/proc/{pid}").exists()
    assert list(tmp_path.iterdir()) == []


@needs_minio
@pytest.mark.more
def test_a_killed_server_is_reported(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        server.check()
        os.kill(server.pid, signal.SIGKILL)
        time.sleep(0.2)

        with pytest.raises(ServerFailed, match="-9"):
            server.check()


def test_sweeping_leaves_the_folders_of_the_living_and_what_is_not_ours(tmp_path: Path) -> None:
    folder = WorkFolder(WORK_FOLDERS, tmp_path)
    (tmp_path / "sectax-s3-notes").mkdir()  # without a lock: somebody's own
    (tmp_path / "other").mkdir()

    assert sweep(WORK_FOLDERS, tmp_path) == 0
    assert {path.name for path in tmp_path.iterdir()} == {folder.path.name, "sectax-s3-notes", "other"}
    folder.remove()
    assert not folder.path.exists()


def test_unfinished_folders_are_swept_after_a_minute(tmp_path: Path) -> None:
    for name, age_s in (("new-sectax-s3-killed", 120), ("new-sectax-s3-begun", 0), ("new-sectax-other-kind", 120)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age_s,) * 2)

    assert sweep(WORK_FOLDERS, tmp_path) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"new-sectax-s3-begun", "new-sectax-other-kind"}


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
