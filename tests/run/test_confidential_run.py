"""`sectax run confidential` as a user runs it: real sysbench, here and in containers, and hosts that lie."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hosts import sshd
from tests.needs import needs
from tests.program import sectax
from tests.run.sessions import verdicts

pytestmark = [needs("sysbench"), pytest.mark.more]

IN_CONTAINER = ("--host", "plain=local", "--host", "runc=oci:runc")


def measured(folder: Path, experiment: str, *words: str, **environment: str) -> dict[str, Any]:
    """The document of a run that was done."""
    words = ("run", experiment, *words, "--out", "r.sectax", "--json")
    result = sectax(*words, folder=folder, timeout=3000, **environment)
    assert result.status == 0, result.err
    document: dict[str, Any] = json.loads(result.out)
    return document


def quick(test: str, *words: str) -> tuple[str, ...]:
    return ("confidential", "--quick", "--blocks", "6", "--level", f"test={test}", *words)


def checks(document: dict[str, Any]) -> set[str]:
    return {warning["check"] for warning in document["warnings"]}


def trials(document: dict[str, Any], treatment: str) -> int:
    return next(item["blocks"] for item in document["treatments"] if item["id"] == treatment)


def test_a_name_that_promises_what_the_host_is_not_takes_the_verdict_away(tmp_path):
    document = measured(tmp_path, *quick("mutex", "--host", "plain=local", "--host", "gvisor=local"))

    assert verdicts(document)["mutex/gvisor"] == "withdrawn"
    assert "mislabelled-level" in checks(document)


@needs("runc", "runsc")
def test_isolation_on_this_machine_is_measured_and_labelled(tmp_path):
    document = measured(tmp_path, *quick("threads"))

    assert document["failures"] == []
    assert {"threads/runc", "threads/gvisor"} <= verdicts(document).keys()
    assert "mislabelled-level" not in checks(document)
    (session,) = document["run"]["sessions"]
    assert session["oci:runsc host.isolation"] == "gvisor"
    assert session["oci:runc host.isolation"] == "container"
    assert "confidential VM" in sectax("show", "r.sectax", "--all", folder=tmp_path).out.replace("\n", " ")


@pytest.fixture
def other_machine(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[sshd.Server]:
    """A machine that is reached over ssh; a test may say what sysbench does there, and when."""
    path = odd_sysbench(tmp_path / "odd", *request.param) if hasattr(request, "param") else ""
    with sshd.running(tmp_path / "sshd", path=path) as server:
        yield server


def there(server: sshd.Server) -> dict[str, str]:
    return {"SECTAX_SSH_CONFIG": str(server.config)}


def both(server: sshd.Server) -> tuple[str, ...]:
    return ("--host", "here=local", "--host", f"there={server.name}")


@needs("sshd")
def test_another_machine_is_measured_over_ssh(tmp_path, other_machine):
    document = measured(tmp_path, *quick("mutex", *both(other_machine)), **there(other_machine))

    assert document["failures"] == []
    assert "mutex/there" in verdicts(document)
    assert f"{other_machine.name} host.kernel" in document["run"]["sessions"][0]
    assert other_machine.log.read_text().count("Accepted publickey") == 1


@needs("sshd")
def test_pairs_repeat_a_pair_and_each_has_its_own_verdict(tmp_path, other_machine):
    pair = ("--pair", f"local={other_machine.name}")
    document = measured(tmp_path, *quick("mutex", *both(other_machine), *pair), **there(other_machine))

    assert {"1/mutex/there", "2/mutex/there"} <= verdicts(document).keys()


def odd_sysbench(folder: Path, block: int, body: str, word: str = "run") -> str:
    """A PATH on which sysbench does *body*, once, when it is called with this word in a block; the pilot is block 0."""
    folder.mkdir()
    script = folder / "sysbench"
    script.write_text(
        f"#!/bin/sh\ncase $* in\n"
        # Every opening asks for the version once, and the pilot opens twice.
        f"  --version) echo x >>{folder}/opened ;;\n"
        f'  *{word}*) if [ "$(cat {folder}/opened 2>/dev/null | wc -l)" = {block + 2 * (word == "run")} ] && '
        f"mkdir {folder}/done 2>/dev/null; then {body.replace('FOLDER', str(folder))}; fi ;;\nesac\n"
        f'exec {shutil.which("sysbench")} "$@"\n'
    )
    script.chmod(0o755)
    return f"{folder}:/usr/local/bin:/usr/bin:/bin"


HANGS = "echo $$ >FOLDER/hangs; exec sleep 1000"
DROPS = "p=$$; until grep -q ^sshd /proc/$p/comm; do p=$(cut -d' ' -f4 /proc/$p/stat); done; kill -9 $p; sleep 9"


@needs("sshd")
@pytest.mark.parametrize("other_machine", [(2, HANGS)], indirect=True)
def test_a_host_that_hangs_costs_its_own_trials_and_no_more(tmp_path, other_machine):
    words = (*both(other_machine), "--timeout", "5")
    document = measured(tmp_path, *quick("sysbench-mutex", *words), **there(other_machine))

    failures = {(failure["treatment"], failure["block"]) for failure in document["failures"]}
    assert failures == {("sysbench-mutex/there", 2)}
    assert not Path("/proc", (tmp_path / "odd/hangs").read_text().strip()).exists()
    assert (trials(document, "sysbench-mutex/here"), trials(document, "sysbench-mutex/there")) == (6, 5)


@needs("sshd")
@pytest.mark.parametrize("other_machine", [(2, DROPS)], indirect=True)
def test_a_host_that_drops_its_connection_is_reached_again_in_the_next_block(tmp_path, other_machine):
    document = measured(tmp_path, *quick("sysbench-mutex", *both(other_machine)), **there(other_machine))

    assert len({failure["block"] for failure in document["failures"]}) == 1
    assert trials(document, "sysbench-mutex/there") == 5
    assert other_machine.log.read_text().count("Accepted publickey") == 2


def test_a_host_that_cannot_be_reached_is_left_out_with_its_reason(tmp_path):
    said = sectax(
        "run", *quick("mutex", "--host", "plain=local", "--host", "gone=ssh://nobody@127.0.0.1:1"), folder=tmp_path
    )

    assert said.status == 3
    assert "ssh://nobody@127.0.0.1:1: " in said.err
    assert "Connection refused" in said.err


@needs("runc")
def test_any_command_is_measured_on_several_hosts(tmp_path):
    words = (*IN_CONTAINER, "--baseline", "/bin/sh -c 'echo $$ >>pids'", "--blocks", "6")

    document = measured(tmp_path, "command", *words)

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
    words = (*IN_CONTAINER, "--baseline", "nproc", "--blocks", "6")

    document = measured(tmp_path, "command", *words, PATH=f"{tmp_path}/bin:{os.environ['PATH']}")

    assert verdicts(document)["all/runc"] == "withdrawn"
    assert "/usr/bin/nproc" in json.dumps(document["warnings"])


@pytest.mark.full
def test_commands_of_the_study_that_the_clock_ends_have_no_verdict(tmp_path):
    words = (
        "--published",
        "--host",
        "a=local",
        "--host",
        "b=local",
        "--blocks",
        "6",
        "--level",
        "test=memory-write,mutex",
    )

    document = measured(tmp_path, "confidential", *words)

    assert verdicts(document)["as-published/memory-write/b"] == "withdrawn"
    assert verdicts(document)["by-count/memory-write/b"] != "withdrawn"
    assert "fixed-time-total" in sectax("audit", "r.sectax", folder=tmp_path).out
    compared = sectax("compare", "r.sectax", "published:confidential-vm-sysbench", folder=tmp_path)
    assert compared.status == 0
