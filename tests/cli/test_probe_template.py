"""The probe to begin with is short, and a whole one: as it is, it passes the check that every probe has to pass."""

from __future__ import annotations

import json
import re
import shlex
import sys

import pytest

from tests.program import sectax


@pytest.fixture
def template(tmp_path):
    """A probe that was just begun."""
    result = sectax("probe", "new", "mine", folder=tmp_path)

    assert result.status == 0, result.err
    assert "  sectax probe check mine\n" in result.out
    return tmp_path / "mine"


def command(template) -> str:
    return shlex.join([sys.executable, str(template / "probe.py")])


@pytest.mark.more
def test_it_passes_as_it_is_and_what_it_does_not_offer_is_not_called_passed(template):
    result = sectax("probe", "check", command(template), "--json")
    checks = json.loads(result.out)["checks"]

    assert result.status == 0, [check for check in checks if check["status"] == "failed"]
    # On a busy machine a batch can be over before its process is stopped, or be sized too short: checks of CPU time
    # then say nothing.
    skipped = {check["id"] for check in checks if check["status"] == "skipped" and not check["case"]}
    assert skipped <= {"cpu-stands-still", "cpu-without-settling", "cpu-plausible"}
    of = {check["case"]: set() for check in checks if check["case"]}
    for check in checks:
        if check["case"]:
            of[check["case"]].add(check["status"])
    levels = "algorithm=HS256 key_use=parsed-once layer=primitive"
    offered = {f"{operation} {levels}" for operation in ("sign", "verify")}
    vectors = {case for case in of if case.startswith(f"verify {levels} Wycheproof")}
    assert vectors
    offered |= vectors
    assert {case for case, statuses in of.items() if statuses == {"passed"}} == offered
    assert {case for case, statuses in of.items() if statuses == {"skipped"}} == of.keys() - offered
    assert len(of) > len(offered)


@pytest.mark.more
def test_what_is_spoiled_in_it_is_found(template):
    program = template / "probe.py"
    program.write_text(program.read_text().replace("if hmac.compare_digest(genuine, self.signature) else None", ""))

    result = sectax("probe", "check", command(template))

    assert result.status == 1
    assert "tampered-refused" in result.out
    assert re.search(r" [1-9]\d* operations [\w ]+$", result.out.rstrip())


def test_a_folder_that_exists_is_left_alone(template):
    (template / "probe.py").write_text("mine")

    result = sectax("probe", "new", str(template))

    assert (result.status, (template / "probe.py").read_text()) == (2, "mine")
    assert "exists already" in result.err


def test_a_folder_is_checked_as_a_run_takes_it(template):
    """A folder without a manifest, and one that is named as a registered probe is, are told apart."""
    (template.parent / "empty").mkdir()
    refused = sectax("probe", "check", "./empty", folder=template.parent)
    (template / "probe.toml").write_text((template / "probe.toml").read_text().replace("{python3}", "{nowhere}"))
    broken = sectax("probe", "check", "mine/", folder=template.parent)

    assert (refused.status, "probe.toml" in refused.err) == (2, True)
    assert broken.status != 0
    assert "neither a probe nor a program" not in broken.err


@pytest.mark.more
def test_a_folder_passes_as_its_command_does(template):
    result = sectax("probe", "check", "mine", "--json", folder=template.parent)

    assert result.status == 0, result.err
