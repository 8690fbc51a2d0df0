"""From a guest's attestation report to the record, and from the record to an answer: with recorded reports."""

from __future__ import annotations

import base64
import datetime
import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from sectax.cli.attest import command
from sectax.experiments.confidential import EXPERIMENT
from sectax.experiments.confidential.attestation import ask as attestation
from sectax.experiments.confidential.attestation import snp
from sectax.experiments.confidential.attestation.ask import nonce_of
from sectax.experiments.interface import Request
from sectax.hosts import registry as hosts
from sectax.hosts.registry import host
from sectax.model.environment import Environment
from sectax.model.plan import Stopping
from sectax.record.writer import RunWriter
from sectax.workflow import attested as checking
from sectax.workflow.attested import attested
from sectax.workflow.environment import take_environment
from tests.machines import plan_of, planned

SAMPLES = Path(__file__).parents[1] / "experiments" / "confidential" / "attestation_samples"
REPORT = (SAMPLES / "tdx-spr.quote").read_bytes()
WHEN = datetime.datetime(2024, 6, 1, tzinfo=datetime.UTC)


@pytest.fixture
def interface(tmp_path, monkeypatch) -> Path:
    """The kernel's interface as far as a shell sees it: making a folder there makes the files of a report."""
    folder, programs = tmp_path / "report", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    real = shutil.which("mkdir")
    (programs / "mkdir").write_text(
        f'#!/bin/sh\n{real} "$1" && cp {SAMPLES}/tdx-spr.quote "$1/outblob" && echo tdx_guest >"$1/provider"\n'
        'printf "" >"$1/auxblob"; ln -s ../../seen "$1/inblob"\n'
    )
    (programs / "rmdir").write_text('#!/bin/sh\nrm -rf "$1"\n')
    for path in programs.iterdir():
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return folder


def plan():
    options = {"host": ("normal=local", "tdx=local:tdx")}
    return plan_of("confidential", "quick", {"test": ("mutex",)}, options)


@pytest.fixture(autouse=True)
def _a_host_that_says_it_is_a_guest_of_tdx(monkeypatch):
    monkeypatch.setitem(hosts._known, "local:tdx", host())
    real = hosts.facts_of

    def told(name: str) -> dict[str, str]:
        return real("local") | ({"host.memory_encryption": "tdx"} if name == "local:tdx" else {})

    monkeypatch.setattr("sectax.experiments.confidential.experiment.facts_of", told)


def recorded(path: Path, circumstances: dict[str, str], identity: dict[str, str] | None = None) -> Path:
    there = Environment({"host.memory_encryption": "tdx"} if identity is None else identity, circumstances)
    RunWriter.create(path, plan(), Environment({"host.kernel": "6.8"}, hosts={"local:tdx": there}), "run-1").close()
    return path


def given(provider: str = "tdx_guest", report: bytes = REPORT) -> dict[str, str]:
    encoded = base64.b64encode(report).decode()
    return {attestation.PROVIDER: provider, attestation.REPORT: encoded, attestation.CERTIFICATES: ""}


def test_a_report_is_fetched_with_the_nonce_and_nothing_stays_behind(interface, tmp_path):
    report = attestation.ask(host(), b"\x01" * 64, str(interface))

    assert report[attestation.PROVIDER] == "tdx_guest"
    assert base64.b64decode(report[attestation.REPORT]) == REPORT
    assert (tmp_path / "seen").read_bytes() == b"\x01" * 64
    assert [*interface.iterdir()] == []


def test_a_guest_whose_kernel_offers_no_reports_says_so(tmp_path):
    report = attestation.ask(host(), bytes(64), str(tmp_path / "none"))

    assert set(report) == {attestation.MISSING}
    assert "offers no reports" in report[attestation.MISSING]


@pytest.mark.parametrize("said", ["", "end\t", "missing\t"])
def test_a_guest_that_gives_neither_a_report_nor_a_reason_is_said_to(said, tmp_path, monkeypatch):
    monkeypatch.setattr(attestation, "_SCRIPT", f"printf '{said}\\nend\\t\\n'")
    report = attestation.ask(host(), bytes(64), str(tmp_path))

    (checked,) = attested(recorded(tmp_path / "r.sectax", report), when=WHEN).hosts

    assert report == {attestation.MISSING: "without a reason"}
    assert (checked.genuine, checked.words) == (False, "it gave no report: without a reason")


def test_every_session_records_the_report_of_its_confidential_hosts(interface, monkeypatch, tmp_path):
    monkeypatch.setattr(attestation.ask, "__defaults__", (str(interface),))
    planned = plan()

    environment = take_environment(EXPERIMENT.bench(planned))

    assert attestation.REPORT in environment.hosts["local:tdx"].circumstances
    assert attestation.REPORT not in environment.circumstances
    assert attestation.REPORT not in environment.hosts["local:tdx"].identity
    assert (tmp_path / "seen").read_bytes() == nonce_of(planned)


def test_the_same_plan_has_the_same_nonce_and_another_plan_another():
    options = {"host": ("normal=local", "tdx=local:tdx")}
    the_plan = planned(EXPERIMENT, Request("quick", {"test": ("mutex",)}, Stopping(0.02), 2, options))

    assert nonce_of(plan()) == nonce_of(plan())
    assert nonce_of(plan()) != nonce_of(the_plan)


def test_a_genuine_report_for_the_plan_is_accepted_from_the_record(tmp_path, monkeypatch):
    monkeypatch.setattr(checking, "nonce_of", lambda plan: REPORT[568:632])

    (checked,) = attested(recorded(tmp_path / "r.sectax", given()), when=WHEN).hosts

    assert checked.genuine
    assert (checked.host, checked.session) == ("local:tdx", 1)
    assert "a guest of tdx, by Intel's SGX Root CA" in checked.words


@pytest.mark.parametrize(
    ("circumstances", "said"),
    [
        (given(), "made for something else than this run's plan"),
        (given(report=REPORT[:200] + b"\x00" + REPORT[201:]), "it was changed"),
        (given(provider="arm_cca_guest"), "cannot be checked here"),
        ({attestation.REPORT: "!!", attestation.PROVIDER: "tdx_guest"}, "base64"),
        ({attestation.MISSING: "its firmware gave no report"}, "it gave no report: its firmware"),
    ],
)
def test_what_is_no_proof_is_reported_and_the_exit_status_is_1(tmp_path, circumstances, said):
    path = recorded(tmp_path / "r.sectax", circumstances)

    answer = CliRunner().invoke(command, [str(path)])

    assert answer.exit_code == 1
    assert "not attested: " in answer.output
    assert said in answer.output


def test_a_guest_that_is_not_what_it_said_is_not_accepted(tmp_path, monkeypatch):
    monkeypatch.setattr(checking, "nonce_of", lambda plan: REPORT[568:632])
    path = recorded(tmp_path / "r.sectax", given(), {"host.memory_encryption": "sev-snp"})

    (checked,) = attested(path, when=WHEN).hosts

    assert not checked.genuine
    assert checked.words == "its report is of tdx, and it said sev-snp"


def test_certificates_that_a_person_has_fetched_are_used(tmp_path, monkeypatch):
    report = (SAMPLES / "snp-milan.report").read_bytes()
    monkeypatch.setattr(checking, "nonce_of", lambda plan: report[0x50:0x90])
    monkeypatch.setattr(snp, "_DEBUG", 0)  # the recorded guest let its host debug it
    path = recorded(tmp_path / "r.sectax", given("sev_guest", report), {"host.memory_encryption": "sev-snp"})
    from cryptography.hazmat.primitives.serialization import Encoding

    from sectax.experiments.confidential.attestation.chain import read_certificates

    (chip,) = read_certificates((SAMPLES / "vcek.der").read_bytes())
    fetched = tmp_path / "fetched.pem"
    fetched.write_bytes(chip.public_bytes(Encoding.PEM) + (SAMPLES / "ask-ark-milan.pem").read_bytes())

    without, with_them = (attested(path, item, when=WHEN).hosts[0] for item in (None, fetched))

    assert (without.genuine, without.words) == (False, "its certificates are not there")
    assert with_them.genuine


def test_a_run_without_a_confidential_host_has_nothing_to_check(tmp_path):
    path = recorded(tmp_path / "r.sectax", {}, {})

    answer = CliRunner().invoke(command, [str(path)])

    assert (answer.exit_code, answer.output) == (1, "no host of this run says that its memory is encrypted\n")


def test_the_document_follows_its_schema(tmp_path):
    path = recorded(tmp_path / "r.sectax", given())

    answer = CliRunner().invoke(command, [str(path), "--json"])

    document = json.loads(answer.output)
    schema = json.loads((Path(__file__).parents[2] / "docs/schemas/attest-1.json").read_text())
    Draft202012Validator(schema).validate(document)
    assert (answer.exit_code, document["hosts"][0]["genuine"]) == (1, False)
