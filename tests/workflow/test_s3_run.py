"""Whole runs of s3 on a real server, through the program: measured, killed, resumed, audited, compared."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from sectax.experiments.client_server.certificates import for_loopback
from sectax.experiments.s3.buckets import client
from tests.experiments.s3.servers import needs_minio, running
from tests.hosts.processes import eventually, running_with
from tests.program import PROGRAM, sectax

pytestmark = needs_minio

SMALL = [
    *("run", "s3", "--level", "operation=get", "--level", "size=10KB", "--level", "encryption=none,sse-s3"),
    *("--level", "transfer=plain", "--out", "r.sectax", "--blocks", "6"),
]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def servers(data: Path) -> list[int]:
    """The server processes that keep their objects below a folder."""
    return running_with(str(data), "--certs-dir")


@pytest.mark.more
def test_a_run_compares_encryption_with_none_and_leaves_nothing(tmp_path: Path, state: Path) -> None:
    result = sectax(*SMALL, "--json", folder=tmp_path, SECTAX_STATE=str(state))

    document = json.loads(result.out)
    assert result.status == 0, result.err
    metrics = {finding["metric"] for finding in document["findings"]}
    assert {"latency", "client_cpu", "server_cpu"} <= metrics
    treatments = {
        treatment["levels"]["encryption"]: treatment
        for treatment in document["treatments"]
        if treatment["role"] != "negative"
    }
    assert treatments["sse-s3"]["witnesses"]["encryption_header"] == "AES256"
    assert treatments["sse-s3"]["witnesses"]["proof"] == "no plaintext on disk"
    assert list((state / "s3").iterdir()) == []
    assert servers(state) == []


@pytest.mark.more
def test_a_run_file_holds_no_credentials_and_no_keys(tmp_path: Path, state: Path) -> None:
    secrets: set[bytes] = set()
    process = subprocess.Popen(
        [*PROGRAM, *SMALL], cwd=tmp_path, env=os.environ | {"SECTAX_STATE": str(state)}, stderr=subprocess.PIPE
    )
    assert eventually(lambda: bool(list(state.glob("s3/*/settings"))) or process.poll() is not None, 60)
    for line in next(state.glob("s3/*/settings")).read_bytes().splitlines():
        if line.startswith((b"MINIO_ROOT", b"MINIO_KMS")):
            secrets.add(line.partition(b"=")[2].rpartition(b":")[2])
    _, log = process.communicate(timeout=300)

    assert process.returncode == 0
    assert len(secrets) == 3
    for secret in secrets:
        assert secret not in (tmp_path / "r.sectax").read_bytes() + log


@pytest.mark.more
def test_a_killed_run_takes_its_server_along_and_goes_on_with_another(tmp_path: Path, state: Path) -> None:
    environment = os.environ | {"SECTAX_STATE": str(state)}
    process = subprocess.Popen([*PROGRAM, *SMALL], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    assert eventually(lambda: blocks(tmp_path / "r.sectax") >= 1, 200)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert eventually(lambda: not servers(state))
    finished = blocks(tmp_path / "r.sectax")

    result = sectax("resume", "r.sectax", folder=tmp_path, SECTAX_STATE=str(state))

    assert result.status == 0, result.err
    assert finished < 6
    assert blocks(tmp_path / "r.sectax") == 6
    assert list((state / "s3").iterdir()) == []


@pytest.mark.more
def test_a_server_that_dies_ends_the_run_with_the_way_to_go_on(tmp_path: Path, state: Path) -> None:
    process = subprocess.Popen(
        [*PROGRAM, *SMALL],
        cwd=tmp_path,
        env=os.environ | {"SECTAX_STATE": str(state)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert eventually(lambda: blocks(tmp_path / "r.sectax") >= 1, 200)
    for pid in servers(state):
        os.kill(pid, signal.SIGKILL)
    _, log = process.communicate(timeout=120)

    assert process.returncode == 3
    assert "the local S3 server has ended in the middle of the run" in log
    assert "sectax resume" in log
    assert sectax("resume", "r.sectax", folder=tmp_path, SECTAX_STATE=str(state)).status == 0


@pytest.mark.more
def test_at_a_service_elsewhere_a_killed_run_is_cleaned_up_by_resume_and_a_strangers_object_survives(
    tmp_path: Path, state: Path
) -> None:
    bundle = tmp_path / "authorities.pem"
    bundle.write_text(for_loopback()[0])
    with running(tmp_path / "elsewhere") as server:
        environment = {
            "SECTAX_STATE": str(state),
            "AWS_CA_BUNDLE": str(bundle),  # the SDK takes it for its own client alone
            "AWS_ACCESS_KEY_ID": server.access.access_key,
            "AWS_SECRET_ACCESS_KEY": server.access.secret_key,
        }
        asked = [*SMALL, "--endpoint", server.access.endpoint]
        process = subprocess.Popen(
            [*PROGRAM, *asked], cwd=tmp_path, env=os.environ | environment, stderr=subprocess.DEVNULL
        )
        assert eventually(lambda: blocks(tmp_path / "r.sectax") >= 1, 200)
        process.send_signal(signal.SIGKILL)
        process.wait()
        s3 = client(server.access)
        left = {bucket["Name"] for bucket in s3.list_buckets()["Buckets"]}
        foreign = sorted(left)[0]
        s3.put_object(Bucket=foreign, Key="a stranger's", Body=b"dear to somebody")

        result = sectax("resume", "r.sectax", folder=tmp_path, **environment)
        after = {bucket["Name"] for bucket in s3.list_buckets()["Buckets"]}
        survived = [found["Key"] for found in s3.list_objects_v2(Bucket=foreign)["Contents"]]

    assert len(left) == 6  # three of each kind
    assert result.status == 0, result.err
    assert after == {foreign}
    assert survived == ["a stranger's"]


@pytest.mark.parametrize("words", [("--endpoint", "http://127.0.0.1:9"), ("--endpoint", "https://127.0.0.1:9")])
def test_an_address_where_nobody_answers_is_reported_at_once(
    tmp_path: Path, state: Path, words: tuple[str, ...]
) -> None:
    transfer = "plain" if words[1].startswith("http:") else "tls"
    asked = ["run", "s3", "--quick", "--level", f"transfer={transfer}", "--level", "encryption=none,sse-s3"]
    credentials = {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing-to-know"}

    result = sectax(*asked, *words, folder=tmp_path, SECTAX_STATE=str(state), **credentials)

    assert result.status == 3
    assert "the service cannot be reached" in result.err
    assert "nothing-to-know" not in result.err + result.out


def blocks(path: Path) -> int:
    """Finished blocks of a run file, also of one that is being written."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM block WHERE state = 'finished'").fetchone()[0])
    except sqlite3.Error:
        return 0
