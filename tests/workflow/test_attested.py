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
from cryptography.hazmat.primitives.serialization import Encoding

from sectax.cli.attest import command
from sectax.experiments.confidential import EXPERIMENT
from sectax.experiments.confidential.attestation import ask as attestation
from sectax.experiments.confidential.attestation import snp
from sectax.experiments.confidential.attestation.ask import nonce_of
from sectax.experiments.confidential.attestation.chain import read_certificates
from sectax.experiments.interface import Request
from sectax.hosts import registry as hosts
from sectax.hosts.registry import host
from sectax.model.environment import Environment
from sectax.model.plan import Stopping
from sectax.record.writer import RunWriter
from sectax.workflow import attested as checking
from sectax.workflow.attested import attested
from sectax.workflow.environment import take_environment
from tests.golden import as_agreed
from tests.machines import plan_of, planned
from tests.schemas import follows_its_schema

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


LEVELS, OPTIONS = {"test": ("mutex",)}, {"host": ("normal=local", "tdx=local:tdx")}


def plan():
    return plan_of("confidential", "quick", LEVELS, OPTIONS)


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


@pytest.mark.parametrize("said", ["", "end\t", "missing\t"])
def test_a_guest_that_gives_neither_a_report_nor_a_reason_is_not_genuine(said, tmp_path, monkeypatch):
    monkeypatch.setattr(attestation, "_SCRIPT", f"printf '{said}\\nend\\t\\n'")
    report = attestation.ask(host(), bytes(64), str(tmp_path))

    (checked,) = attested(recorded(tmp_path / "r.sectax", report), when=WHEN).hosts

    assert set(report) == {attestation.MISSING}
    assert not checked.genuine


def test_a_guest_whose_kernel_offers_no_reports_says_so(tmp_path):
    assert set(attestation.ask(host(), bytes(64), str(tmp_path / "none"))) == {attestation.MISSING}


def test_every_session_records_the_report_of_its_confidential_hosts(interface, monkeypatch, tmp_path):
    monkeypatch.setattr(attestation.ask, "__defaults__", (str(interface),))
    planned = plan()

    environment = take_environment(EXPERIMENT.bench(planned))

    assert attestation.REPORT in environment.hosts["local:tdx"].circumstances
    assert attestation.REPORT not in environment.circumstances
    assert attestation.REPORT not in environment.hosts["local:tdx"].identity
    assert (tmp_path / "seen").read_bytes() == nonce_of(planned)


def test_the_same_plan_has_the_same_nonce_and_another_plan_another():
    another = planned(EXPERIMENT, Request("quick", LEVELS, Stopping(0.02), 2, OPTIONS))

    assert nonce_of(plan()) == nonce_of(plan()) != nonce_of(another)


def test_a_genuine_report_for_the_plan_is_accepted_from_the_record(tmp_path, monkeypatch):
    monkeypatch.setattr(checking, "nonce_of", lambda plan: REPORT[568:632])

    (checked,) = attested(recorded(tmp_path / "r.sectax", given()), when=WHEN).hosts

    assert checked.genuine
    assert (checked.host, checked.session) == ("local:tdx", 1)
    assert "tdx" in checked.words


UNPROVEN = {
    "a report for another plan": given(),
    "a changed report": given(report=REPORT[:200] + b"\x00" + REPORT[201:]),
    "a provider that cannot be checked": given(provider="arm_cca_guest"),
    "not base64": {attestation.REPORT: "!!", attestation.PROVIDER: "tdx_guest"},
    "no report": {attestation.MISSING: "its firmware gave no report"},
    "no confidential host": {},
}


def test_what_is_not_a_proof_is_reported_as_agreed_with_exit_status_1(tmp_path):
    answers = []
    for number, (case, circumstances) in enumerate(UNPROVEN.items()):
        path = recorded(tmp_path / f"{number}.sectax", circumstances, None if circumstances else {})
        answer = CliRunner().invoke(command, [str(path)])
        assert answer.exit_code == 1
        answers.append(f"== {case}\n{answer.output}")

    as_agreed(Path(__file__).with_name("golden") / "not-attested.txt", "".join(answers))


def test_a_guest_that_is_not_what_it_claims_is_not_accepted(tmp_path, monkeypatch):
    monkeypatch.setattr(checking, "nonce_of", lambda plan: REPORT[568:632])
    path = recorded(tmp_path / "r.sectax", given(), {"host.memory_encryption": "sev-snp"})

    (checked,) = attested(path, when=WHEN).hosts

    assert not checked.genuine
    assert {"tdx", "sev-snp"} <= set(checked.words.replace(",", "").split())


def test_certificates_that_a_person_has_fetched_are_used(tmp_path, monkeypatch):
    report = (SAMPLES / "snp-milan.report").read_bytes()
    monkeypatch.setattr(checking, "nonce_of", lambda plan: report[0x50:0x90])
    monkeypatch.setattr(snp, "_DEBUG", 0)  # the recorded guest let its host debug it
    path = recorded(tmp_path / "r.sectax", given("sev_guest", report), {"host.memory_encryption": "sev-snp"})
    (chip,) = read_certificates((SAMPLES / "vcek.der").read_bytes())
    fetched = tmp_path / "fetched.pem"
    fetched.write_bytes(chip.public_bytes(Encoding.PEM) + (SAMPLES / "ask-ark-milan.pem").read_bytes())

    without, with_them = (attested(path, item, when=WHEN).hosts[0] for item in (None, fetched))

    assert (without.genuine, with_them.genuine) == (False, True)


def test_the_document_follows_its_schema(tmp_path):
    path = recorded(tmp_path / "r.sectax", given())

    answer = CliRunner().invoke(command, [str(path), "--json"])

    document = json.loads(answer.output)
    follows_its_schema(document)
    assert (answer.exit_code, document["hosts"][0]["genuine"]) == (1, False)
