"""`sectax run confidential` as a user runs it: real sysbench, here and in containers, and hosts that lie."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from sectax.toolchain import gvisor
from tests.program import sectax
from tests.sandboxes import sshd

needs_sysbench = pytest.mark.skipif(shutil.which("sysbench") is None, reason="sysbench is not installed")
pytestmark = [needs_sysbench, pytest.mark.more]


def run(folder, *words: str, blocks: int = 6, **environment: str):
    said = sectax(
        *("run", "confidential", "--quick", "--blocks", str(blocks), "--out", "r.sectax", "--json", *words),
        folder=folder,
        timeout=600,
        **environment,
    )
    return said, json.loads(said.out) if said.out.startswith("{") else {}


def verdicts(document) -> dict[str, str]:
    return {each["treatment"]: each["verdict"]["id"] for each in document["findings"]}


def test_a_name_that_promises_what_the_host_is_not_takes_the_verdict_away(tmp_path):
    said, document = run(tmp_path, "--host", "plain=local", "--host", "gvisor=local", "--level", "test=mutex")

    assert said.status == 0, said.err
    assert verdicts(document)["mutex/gvisor"] == "withdrawn"
    assert "isolation was declared as gvisor and witnessed as" in said.out


@pytest.mark.skipif(os.geteuid() != 0, reason="containers need root")
def test_isolation_on_this_machine_is_measured_and_labelled(tmp_path):
    if shutil.which("runc") is None or gvisor.missing() is not None:
        pytest.skip("runsc is not installed")

    said, document = run(tmp_path, "--level", "test=threads")

    assert said.status == 0, said.err
    assert document["failures"] == []
    assert {"threads/runc", "threads/gvisor"} <= verdicts(document).keys()
    assert "declared as" not in said.out
    (session,) = document["run"]["sessions"]
    assert session["oci:runsc host.isolation"] == "gvisor"
    assert session["oci:runc host.isolation"] == "container"
    shown = sectax("show", "r.sectax", "--all", folder=tmp_path)
    assert "encrypt no memory" in " ".join(shown.out.split())


@pytest.mark.skipif(not sshd.SSHD.exists() or os.geteuid() != 0, reason="sshd is not installed, or this is not root")
def test_another_machine_is_measured_over_ssh(tmp_path):
    with sshd.running(tmp_path / "sshd") as server:
        hosts = ("--host", "here=local", "--host", f"there={server.name}")
        said, document = run(tmp_path, *hosts, "--level", "test=mutex", SECTAX_SSH_CONFIG=str(server.config))

    assert said.status == 0, said.err
    assert document["failures"] == []
    assert "mutex/there" in verdicts(document)
    assert f"{server.name} host.kernel" in document["run"]["sessions"][0]
    assert server.log.read_text().count("Accepted publickey") == 1


@pytest.mark.skipif(not sshd.SSHD.exists() or os.geteuid() != 0, reason="sshd is not installed, or this is not root")
def test_pairs_repeat_a_pair_and_each_has_its_own_verdict(tmp_path):
    with sshd.running(tmp_path / "sshd") as server:
        words = ("--host", "a=local", "--host", f"b={server.name}", "--pair", f"local={server.name}")
        said, document = run(tmp_path, *words, "--level", "test=mutex", SECTAX_SSH_CONFIG=str(server.config))

    assert said.status == 0, said.err
    assert {"1/mutex/b", "2/mutex/b"} <= verdicts(document).keys()


def test_a_host_that_cannot_be_reached_is_left_out_with_its_reason(tmp_path):
    hosts = ("--host", "plain=local", "--host", "gone=ssh://nobody@127.0.0.1:1")

    said, _ = run(tmp_path, *hosts, "--level", "test=mutex")

    assert said.status == 3
    assert "ssh://nobody@127.0.0.1:1: " in said.err
    assert "Connection refused" in said.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--host", "a=local"), "one host alone"),
        (("--host", "a=local", "--host", "a=local"), "two hosts are called 'a'"),
        (("--host", "a=local", "--host", "b"), "is not NAME=WHERE"),
        (("--host", "a=local", "--host", "b=ssh://x y"), "is not the address of an ssh host"),
        (("--host", "a=local", "--host", "b=shh://x"), "there is no kind of host 'shh'"),
        (("--pair", "local=local"), "no hosts were named"),
        (("--host", "a=local", "--host", "b=local", "--pair", "local"), "is not A=B"),
    ],
)
def test_hosts_that_make_no_sense_are_refused(tmp_path, words, said):
    answer, _ = run(tmp_path, *words)

    assert answer.status == 2
    assert said in answer.err
