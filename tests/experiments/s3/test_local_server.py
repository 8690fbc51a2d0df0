"""The local S3 server: its secrets stay secret, its end is noticed, and nothing of it is left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from sectax.experiments.client_server.server import ServerFailed
from sectax.experiments.client_server.work_folder import WorkFolder, sweep
from sectax.experiments.s3.bench import sweep_data
from sectax.experiments.s3.buckets import client
from sectax.experiments.s3.local_server import WORK_FOLDERS
from tests.experiments.s3.servers import each_server, needs_server, running
from tests.hosts.processes import eventually

PRIVATE = {"minio": ("settings",), "seaweedfs": ("s3.json", "security.toml")}


@each_server
@pytest.mark.more
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_it_requires_its_credentials_and_never_shows_them(tmp_path: Path, name: str, tls: bool) -> None:
    with running(tmp_path, name, tls=tls) as server:
        buckets = client(server.access).list_buckets()["Buckets"]
        process = Path(f"/proc/{server.pid}")
        shown = (process / "cmdline").read_bytes() + (process / "environ").read_bytes() + repr(server.access).encode()
        own = [path for path in tmp_path.glob("*/*") if path.is_file() and path.name in PRIVATE[name]]

        assert buckets == []
        assert server.access.endpoint.startswith("https://127." if tls else "http://127.")
        assert server.access.secret_key.encode() not in shown
        assert not any(word in shown for word in (b"KMS_SECRET", b"SSE_KEY"))
        assert len(own) == len(PRIVATE[name])
        assert all(path.stat().st_mode & 0o077 == 0 for path in own)
        with pytest.raises(ClientError, match="InvalidAccessKeyId"):
            client(replace(server.access, access_key="nobody-knows-this-one")).list_buckets()


@each_server
@pytest.mark.more
def test_it_listens_on_loopback_only(tmp_path: Path, name: str) -> None:
    with running(tmp_path, name) as server:
        sockets = {os.readlink(path) for path in Path(f"/proc/{server.pid}/fd").iterdir() if path.is_symlink()}
        rows = [line.split() for kind in ("tcp", "tcp6") for line in Path(f"/proc/net/{kind}").read_text().splitlines()]
        listening = {row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets}

    assert "0100007F" in listening
    assert listening <= {"0100007F", "00000000000000000000000001000000"}  # 127.0.0.1 and ::1


@each_server
@pytest.mark.more
def test_a_stopped_server_leaves_neither_process_nor_files(tmp_path: Path, name: str) -> None:
    with running(tmp_path, name) as server:
        pid = server.pid
        ports = re.findall(r"port.grpc=(\d+)", Path(f"/proc/{pid}/cmdline").read_text())
    server.stop()

    assert not Path(f"/proc/{pid}").exists()
    assert list(tmp_path.iterdir()) == []
    assert not any(path for port in ports for path in Path("/tmp").glob(f"seaweedfs-*-grpc-{port}.sock"))


@needs_server
@pytest.mark.more
def test_a_killed_server_is_reported(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        server.check()
        os.kill(server.pid, signal.SIGKILL)
        time.sleep(0.2)

        with pytest.raises(ServerFailed, match="-9"):
            server.check()


@each_server
@pytest.mark.more
def test_the_largest_object_of_a_folder_is_as_large_as_its_body_and_little_more(tmp_path: Path, name: str) -> None:
    with running(tmp_path, name) as server:
        s3 = client(server.access)
        for bucket in ("one", "another"):
            s3.create_bucket(Bucket=f"bucket-{bucket}")
        s3.put_object(Bucket="bucket-one", Key="a/b/small", Body=os.urandom(100))
        s3.put_object(Bucket="bucket-another", Key="a/b/large", Body=os.urandom(5_000_000))
        s3.put_object(Bucket="bucket-another", Key="a/c/larger", Body=os.urandom(6_000_000))
        os.sync()

        assert 5_000_000 <= server.largest_stored(("bucket-one", "bucket-another"), "a/b") < 5_100_000
        assert server.largest_stored(("bucket-one",), "nothing") is None


@each_server
@pytest.mark.more
def test_deleted_objects_do_not_fill_the_disk(tmp_path: Path, name: str) -> None:
    with running(tmp_path, name) as server:
        s3 = client(server.access)
        s3.create_bucket(Bucket="bucket-one")
        server.prepare(("bucket-one",))
        for _ in range(3):
            s3.put_object(Bucket="bucket-one", Key="large", Body=os.urandom(4_000_000))
            s3.delete_object(Bucket="bucket-one", Key="large")
        s3.put_object(Bucket="bucket-one", Key="kept", Body=b"kept")

        def used() -> int:
            server.reclaim()
            return sum(path.stat().st_size for path in server.files("bucket-one"))

        assert eventually(lambda: used() < 4_000_000, 20)
        assert s3.get_object(Bucket="bucket-one", Key="kept")["Body"].read() == b"kept"


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
        "from sectax.experiments.s3.local_server import WORK_FOLDERS\n"
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
