"""Whole runs of s3 on a real server, through the program: measured, killed, resumed, audited, compared."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from sectax.experiments.client_server.certificates import self_signed_loopback
from sectax.experiments.s3.buckets import client
from tests.experiments.s3.servers import needs_server, running
from tests.hosts.processes import eventually, running_with
from tests.program import sectax
from tests.run.sessions import begin, finished_blocks, shown, wait_for_block

pytestmark = needs_server

SMALL = [
    *("run", "s3", "--level", "operation=get", "--level", "size=10KB", "--level", "encryption=none,sse-s3"),
    *("--level", "transfer=plain", "--out", "r.sectax", "--blocks", "6"),
]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def servers(data: Path) -> list[int]:
    """The server processes that keep their objects below a folder."""
    return running_with(f"-dir={data}")


@pytest.mark.more
def test_a_run_compares_encryption_with_none_and_leaves_nothing(tmp_path: Path, state: Path) -> None:
    result = sectax(*SMALL, folder=tmp_path, SECTAX_STATE=str(state))

    assert result.status == 0, result.err
    document = shown(tmp_path)
    assert {"latency", "client_cpu", "server_cpu"} <= {finding["metric"] for finding in document["findings"]}
    encrypted = [one for one in document["treatments"] if one["levels"]["encryption"] == "sse-s3"]
    for treatment in encrypted:
        assert treatment["witnesses"]["encryption_header"] == "AES256"
        assert treatment["witnesses"]["proof"] == "no plaintext on disk"
    assert encrypted
    assert list((state / "s3").iterdir()) == []
    assert servers(state) == []


@pytest.mark.more
def test_a_run_file_holds_no_credentials_and_no_keys(tmp_path: Path, state: Path) -> None:
    process = begin(tmp_path, *SMALL, SECTAX_STATE=str(state))
    assert eventually(lambda: bool(list(state.glob("s3/*/security.toml"))) or process.poll() is not None, 60)
    (folder,) = state.glob("s3/sectax-s3-*")
    secrets = set(
        re.findall(r"[0-9a-f]{20,}", (folder / "s3.json").read_text() + (folder / "security.toml").read_text())
    )
    said = "".join(process.communicate(timeout=300))

    assert process.returncode == 0
    assert len(secrets) == 3
    for secret in secrets:
        assert secret not in said
        assert secret.encode() not in (tmp_path / "r.sectax").read_bytes()


def killed_after_a_block(folder: Path, *words: str, **environment: str) -> None:
    process = begin(folder, *words, **environment)
    wait_for_block(folder, process, 1)
    process.kill()
    process.communicate()


@pytest.mark.more
def test_a_killed_run_takes_its_server_along_and_goes_on_with_another(tmp_path: Path, state: Path) -> None:
    killed_after_a_block(tmp_path, *SMALL, SECTAX_STATE=str(state))
    assert eventually(lambda: not servers(state))
    finished = finished_blocks(tmp_path)

    result = sectax("resume", "r.sectax", folder=tmp_path, SECTAX_STATE=str(state))

    assert result.status == 0, result.err
    assert finished < 6
    assert finished_blocks(tmp_path) == 6
    assert list((state / "s3").iterdir()) == []


@pytest.mark.more
def test_a_server_that_dies_ends_the_run_with_the_way_to_go_on(tmp_path: Path, state: Path) -> None:
    process = begin(tmp_path, *SMALL, SECTAX_STATE=str(state))
    wait_for_block(tmp_path, process, 1)
    for pid in servers(state):
        os.kill(pid, signal.SIGKILL)
    _, log = process.communicate(timeout=120)

    assert process.returncode == 3
    assert "sectax resume" in log
    assert sectax("resume", "r.sectax", folder=tmp_path, SECTAX_STATE=str(state)).status == 0


@pytest.mark.more
def test_elsewhere_resume_cleans_up_after_a_killed_run_and_leaves_what_is_not_ours(tmp_path: Path, state: Path) -> None:
    bundle = tmp_path / "authorities.pem"
    bundle.write_text(self_signed_loopback()[0])
    with running(tmp_path / "elsewhere") as server:
        environment = {
            "SECTAX_STATE": str(state),
            "AWS_CA_BUNDLE": str(bundle),  # the SDK takes it for its own client alone
            "AWS_ACCESS_KEY_ID": server.access.access_key,
            "AWS_SECRET_ACCESS_KEY": server.access.secret_key,
        }
        killed_after_a_block(tmp_path, *SMALL, "--endpoint", server.access.endpoint, **environment)
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
