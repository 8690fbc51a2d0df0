"""`sectax run confidential` as a user runs it: real sysbench, here and in containers, and hosts that lie."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.hosts import sshd
from tests.needs import needs
from tests.program import sectax

needs_sysbench = needs("sysbench")
pytestmark = [needs_sysbench, pytest.mark.more]


def run(folder, *words: str, blocks: int = 6, **environment: str):
    result = sectax(
        *("run", "confidential", "--quick", "--blocks", str(blocks), "--out", "r.sectax", "--json", *words),
        folder=folder,
        timeout=600,
        **environment,
    )
    return result, json.loads(result.out) if result.out.startswith("{") else {}


def verdicts(document) -> dict[str, str]:
    return {finding["treatment"]: finding["verdict"]["id"] for finding in document["findings"]}


def test_a_name_that_promises_what_the_host_is_not_takes_the_verdict_away(tmp_path):
    said, document = run(tmp_path, "--host", "plain=local", "--host", "gvisor=local", "--level", "test=mutex")

    assert said.status == 0, said.err
    assert verdicts(document)["mutex/gvisor"] == "withdrawn"
    assert "isolation was declared as gvisor and witnessed as" in said.out


@needs("runc", "runsc")
def test_isolation_on_this_machine_is_measured_and_labelled(tmp_path):
    said, document = run(tmp_path, "--level", "test=threads")

    assert said.status == 0, said.err
    assert document["failures"] == []
    assert {"threads/runc", "threads/gvisor"} <= verdicts(document).keys()
    assert "declared as" not in said.out
    (session,) = document["run"]["sessions"]
    assert session["oci:runsc host.isolation"] == "gvisor"
    assert session["oci:runc host.isolation"] == "container"
    result = sectax("show", "r.sectax", "--all", folder=tmp_path)
    assert "encrypt no memory" in " ".join(result.out.split())


@needs("sshd")
def test_another_machine_is_measured_over_ssh(tmp_path):
    with sshd.running(tmp_path / "sshd") as server:
        hosts = ("--host", "here=local", "--host", f"there={server.name}")
        said, document = run(tmp_path, *hosts, "--level", "test=mutex", SECTAX_SSH_CONFIG=str(server.config))

    assert said.status == 0, said.err
    assert document["failures"] == []
    assert "mutex/there" in verdicts(document)
    assert f"{server.name} host.kernel" in document["run"]["sessions"][0]
    assert server.log.read_text().count("Accepted publickey") == 1


@needs("sshd")
def test_pairs_repeat_a_pair_and_each_has_its_own_verdict(tmp_path):
    with sshd.running(tmp_path / "sshd") as server:
        words = ("--host", "a=local", "--host", f"b={server.name}", "--pair", f"local={server.name}")
        said, document = run(tmp_path, *words, "--level", "test=mutex", SECTAX_SSH_CONFIG=str(server.config))

    assert said.status == 0, said.err
    assert {"1/mutex/b", "2/mutex/b"} <= verdicts(document).keys()


def odd_sysbench(folder: Path, block: int, body: str, *, word: str = "run") -> str:
    """A PATH on which sysbench does *body*, once, when it is called with this word in a block; the pilot is block 0."""
    folder.mkdir()
    script = folder / "sysbench"
    script.write_text(
        f"#!/bin/sh\ncase $* in\n"
        # Every opening asks for the version once, and the pilot opens twice.
        f"  --version) echo x >>{folder}/opened ;;\n"
        f'  *{word}*) if [ "$(cat {folder}/opened 2>/dev/null | wc -l)" = {block + 2 * (word == "run")} ] && '
        f"mkdir {folder}/done 2>/dev/null; then {body}; fi ;;\nesac\n"
        f'exec {shutil.which("sysbench")} "$@"\n'
    )
    script.chmod(0o755)
    return f"{folder}:/usr/local/bin:/usr/bin:/bin"


def trials(document, treatment: str) -> int:
    return next(item["blocks"] for item in document["treatments"] if item["id"] == treatment)


needs_sshd = needs("sshd")


@needs_sshd
def test_a_host_that_hangs_costs_its_own_trials_and_no_more(tmp_path):
    path = odd_sysbench(tmp_path / "odd", 2, f"echo $$ >{tmp_path}/hangs; exec sleep 1000")
    with sshd.running(tmp_path / "sshd", path=path) as server:
        hosts = ("--host", "here=local", "--host", f"there={server.name}", "--timeout", "5")
        said, document = run(tmp_path, *hosts, "--level", "test=sysbench-mutex", SECTAX_SSH_CONFIG=str(server.config))

    assert said.status == 0, said.err
    assert {(failure["treatment"], failure["block"]) for failure in document["failures"]} == {
        ("sysbench-mutex/there", 2)
    }
    assert "no answer within 10 s" in document["failures"][0]["reason"]
    assert not Path("/proc", (tmp_path / "hangs").read_text().strip()).exists()
    assert (trials(document, "sysbench-mutex/here"), trials(document, "sysbench-mutex/there")) == (6, 5)


@needs_sshd
def test_a_host_that_drops_its_connection_is_reached_again_in_the_next_block(tmp_path):
    drop = "p=$$; until grep -q ^sshd /proc/$p/comm; do p=$(cut -d' ' -f4 /proc/$p/stat); done; kill -9 $p; sleep 9"
    path = odd_sysbench(tmp_path / "odd", 2, drop)
    with sshd.running(tmp_path / "sshd", path=path) as server:
        hosts = ("--host", "here=local", "--host", f"there={server.name}")
        said, document = run(tmp_path, *hosts, "--level", "test=sysbench-mutex", SECTAX_SSH_CONFIG=str(server.config))

    assert said.status == 0, said.err
    assert len({failure["block"] for failure in document["failures"]}) == 1
    assert "its shell ended" in document["failures"][0]["reason"]
    assert trials(document, "sysbench-mutex/there") == 5
    assert server.log.read_text().count("Accepted publickey") == 2


@needs_sshd
def test_a_host_whose_disk_is_full_is_left_out_with_its_own_words(tmp_path):
    full = "echo 'FATAL: Failed to write file! errno = 28 (No space left on device)'; exit 0"
    path = odd_sysbench(tmp_path / "odd", 0, full, word="prepare")
    with sshd.running(tmp_path / "sshd", path=path) as server:
        hosts = ("--host", "here=local", "--host", f"there={server.name}")
        said, _ = run(tmp_path, *hosts, "--level", "test=sysbench-fileio", SECTAX_SSH_CONFIG=str(server.config))

    assert said.status == 3
    assert "No space left on device" in said.err


@needs("runc")
def test_any_command_is_measured_on_several_hosts(tmp_path):
    words = ("--host", "plain=local", "--host", "runc=oci:runc", "--baseline", "/bin/sh -c 'echo $$ >>pids'")

    result = sectax(
        "run", "command", *words, "--blocks", "6", "--out", "r.sectax", "--json", folder=tmp_path, timeout=600
    )

    assert result.status == 0, result.err
    document = json.loads(result.out)
    assert verdicts(document).keys() >= {"all/runc"}
    assert document["failures"] == []
    # In the container it was the first few processes, in a folder that both share.
    numbers = [int(line) for line in (tmp_path / "pids").read_text().split()]
    assert min(numbers) < 50 < max(numbers)
    (session,) = document["run"]["sessions"]
    assert session["oci:runc host.isolation"] == "container"


@needs("runc")
def test_a_word_that_is_another_program_on_another_host_takes_the_verdict_away(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/nproc").write_text("#!/bin/sh\nexec /usr/bin/nproc\n")
    (tmp_path / "bin/nproc").chmod(0o755)
    words = ("--host", "plain=local", "--host", "runc=oci:runc", "--baseline", "nproc")

    result = sectax(
        *("run", "command", *words, "--blocks", "6", "--out", "r.sectax", "--json"),
        folder=tmp_path, timeout=600, PATH=f"{tmp_path}/bin:{os.environ['PATH']}",
    )  # fmt: skip

    assert verdicts(json.loads(result.out))["all/runc"] == "withdrawn"
    assert "program is /usr/bin/nproc" in result.out


@needs_sshd
def test_any_command_is_measured_on_another_machine_in_the_home_of_who_logs_in(tmp_path):
    with sshd.running(tmp_path / "sshd") as server:
        words = ("--host", "here=local", "--host", f"there={server.name}", "--shell")
        baseline = f'test "$PWD" = "{tmp_path}" || test "$PWD" = "{Path.home()}"'
        result = sectax(
            *("run", "command", *words, "--baseline", baseline, "--blocks", "6", "--out", "r.sectax", "--json"),
            folder=tmp_path, timeout=600, SECTAX_SSH_CONFIG=str(server.config),
        )  # fmt: skip

    assert result.status == 0, result.err
    document = json.loads(result.out)
    assert document["failures"] == []
    assert trials(document, "all/there") == 6
    assert server.log.read_text().count("Accepted publickey") == 1


@needs("runc", "curl")
def test_an_http_service_and_its_client_are_measured_plain_and_in_a_container(tmp_path):
    shutil.copy(Path(__file__).parents[2] / "docs/examples/http.sh", tmp_path)
    words = ("--host", "plain=local", "--host", "runc=oci:runc", "--runs", "6", "--timeout", "60", "--json")
    place = tmp_path / "place"

    result = sectax(
        *("run", "command", *words, "--prepare", "sh http.sh serve", "--baseline", "sh http.sh load 5"),
        *("--out", "r.sectax"),
        folder=tmp_path, timeout=600, HTTP_PLACE=str(place), HTTP_PORT=str(sshd.free_ports(1)[0]),
    )  # fmt: skip

    assert result.status == 0, result.err
    document = json.loads(result.out)
    assert document["failures"] == []
    assert trials(document, "all/runc") == 6
    # The client asks for five pages, after `serve` has asked for one.
    assert (place / "log").read_text().count("GET /page.html") == 6


@pytest.mark.full
@needs("runc")
@needs("PostgreSQL")
def test_postgresql_under_load_is_measured_plain_and_in_a_container(tmp_path):
    shutil.copy(Path(__file__).parents[2] / "docs/examples/pgbench.sh", tmp_path)
    words = ("--host", "plain=local", "--host", "runc=oci:runc", "--blocks", "6", "--timeout", "120", "--json")
    hooks = ("--prepare", "sh pgbench.sh serve", "--cleanup", "rm -rf /var/tmp/sectax-pgbench")

    result = sectax(
        *("run", "command", *words, *hooks, "--baseline", "sh pgbench.sh load 20", "--out", "r.sectax"),
        folder=tmp_path, timeout=3000,
    )  # fmt: skip

    assert result.status == 0, result.err
    document = json.loads(result.out)
    assert document["failures"] == []
    assert trials(document, "all/runc") == 6
    assert not Path("/var/tmp/sectax-pgbench").exists()


@pytest.mark.full
def test_the_studys_commands_stand_beside_ours_and_those_that_the_clock_ends_have_no_verdict(tmp_path):
    words = ("run", "confidential", "--published", "--host", "a=local", "--host", "b=local", "--blocks", "6", "--json")
    levels = ("--level", "test=memory-write,mutex")

    result = sectax(*words, *levels, "--out", "r.sectax", folder=tmp_path, timeout=3000)

    assert result.status == 0, result.err
    found = verdicts(json.loads(result.out))
    assert found["as-published/memory-write/b"] == "withdrawn"
    assert found["by-count/memory-write/b"] != "withdrawn"
    audited = sectax("audit", "r.sectax", folder=tmp_path)
    assert "are the 10 s that were configured" in " ".join(audited.out.split())
    compared = sectax("compare", "r.sectax", "published:confidential-vm-sysbench", folder=tmp_path)
    assert compared.status == 0


def test_a_host_that_cannot_be_reached_is_left_out_with_its_reason(tmp_path):
    hosts = ("--host", "plain=local", "--host", "gone=ssh://nobody@127.0.0.1:1")

    said, _ = run(tmp_path, *hosts, "--level", "test=mutex")

    assert said.status == 3
    assert "ssh://nobody@127.0.0.1:1: " in said.err
    assert "Connection refused" in said.err
