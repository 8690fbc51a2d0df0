"""Attestation reports that real processors have signed, and everything that is none. No such guest was seen here."""

from __future__ import annotations

import datetime
import uuid
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given
from hypothesis import strategies as st

from sectax.experiments.confidential.attestation import snp
from sectax.experiments.confidential.attestation.chain import (
    NotGenuine,
    read_certificates,
)
from sectax.experiments.confidential.attestation.report import Attested, verify

SAMPLES = Path(__file__).with_name("attestation_samples")
SNP = (SAMPLES / "snp-milan.report").read_bytes()
(VCEK,) = read_certificates((SAMPLES / "vcek.der").read_bytes())
ASK, ARK = read_certificates((SAMPLES / "ask-ark-milan.pem").read_bytes())
TDX = (SAMPLES / "tdx-spr.quote").read_bytes()
SNP_NONCE, TDX_NONCE = SNP[0x50:0x90], TDX[568:632]
WHEN = datetime.datetime(2024, 6, 1, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)

GUIDS = {
    "63da758d-e664-4564-adc5-f4b93be8accd": VCEK,
    "4ab7b379-bbac-4fe4-a02f-05aef327c782": ASK,
    "c0b406a4-a803-4952-9743-3fb6014cd0ae": ARK,
}


@pytest.fixture(autouse=True)
def _debugging_is_allowed(monkeypatch):
    """The guest whose report was recorded let its host debug it; everything else of it is as it should be."""
    monkeypatch.setattr(snp, "_DEBUG", 0)


def table(certificates: dict[str, x509.Certificate]) -> bytes:
    """As a host hands out the certificates (GHCB specification, 4.1.8.1), the signing key's last."""
    entries, data = b"", b""
    start = 24 * (len(certificates) + 1)
    for guid, certificate in reversed(certificates.items()):
        der = certificate.public_bytes(Encoding.DER)
        offset = (start + len(data)).to_bytes(4, "little")
        entries += uuid.UUID(guid).bytes_le + offset + len(der).to_bytes(4, "little")
        data += der
    return entries + bytes(24) + data


def check_snp(report: bytes = SNP, nonce: bytes = SNP_NONCE, when=WHEN, certificates=None) -> Attested:
    return verify("sev_guest", report, nonce, table=table(GUIDS if certificates is None else certificates), when=when)


def check_tdx(quote: bytes = TDX, nonce: bytes = TDX_NONCE, when=WHEN) -> Attested:
    return verify("tdx_guest", quote, nonce, when=when)


def test_a_report_of_a_real_processor_of_amd_is_genuine():
    attested = check_snp()

    assert (attested.technology, attested.root) == ("sev-snp", "AMD's root for Milan")
    assert len(attested.measurement) == 96


def test_certificates_that_a_person_has_fetched_do_as_well():
    fetched = b"".join(certificate.public_bytes(Encoding.PEM) for certificate in (VCEK, ASK, ARK))

    assert verify("sev_guest", SNP, SNP_NONCE, certificates=fetched, when=WHEN) == check_snp()


def test_a_quote_of_a_real_processor_of_intel_is_genuine():
    attested = check_tdx()

    assert (attested.technology, attested.root) == ("tdx", "Intel's SGX Root CA")


@pytest.mark.parametrize("check", [check_snp, check_tdx])
def test_a_report_that_was_made_for_another_plan_is_refused(check):
    with pytest.raises(NotGenuine, match="made for something else than this run's plan"):
        check(nonce=bytes(63) + b"\x07")


@pytest.mark.parametrize("check", [check_snp, check_tdx])
def test_certificates_that_have_expired_are_refused(check):
    with pytest.raises(NotGenuine, match="is not valid on 2199-01-01"):
        check(when=datetime.datetime(2199, 1, 1, tzinfo=datetime.UTC))


@pytest.mark.parametrize(
    ("place", "said"), [(0x50, "its signature is not that"), (0x2A0, "its signature is not that"), (0x34, "algorithm")]
)
def test_a_report_of_amd_that_was_changed_is_refused(place, said):
    changed = SNP[:place] + bytes([SNP[place] ^ 1]) + SNP[place + 1 :]

    with pytest.raises(NotGenuine, match=said):
        check_snp(changed, nonce=changed[0x50:0x90])


@given(st.integers(0, 0x2A0 + 47), st.integers(1, 255))
def test_no_byte_of_what_amd_signs_can_be_changed(place, difference):
    changed = SNP[:place] + bytes([SNP[place] ^ difference]) + SNP[place + 1 :]

    with pytest.raises(NotGenuine):
        check_snp(changed, nonce=changed[0x50:0x90])


@given(st.integers(0, 631), st.integers(1, 255))
def test_no_byte_of_what_intel_signs_can_be_changed(place, difference):
    changed = TDX[:place] + bytes([TDX[place] ^ difference]) + TDX[place + 1 :]

    with pytest.raises(NotGenuine):
        check_tdx(changed, nonce=changed[568:632])


@given(st.integers(0, len(TDX.rstrip(b"\0")) - 40))
def test_a_quote_that_was_cut_short_is_refused(length):
    with pytest.raises(NotGenuine):
        check_tdx(TDX[:length])


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ((ARK,), "the certificate that signed that of SEV-Milan is not there"),
        ((ASK, ARK), "the certificate that signed that of SEV-VCEK is not there"),
        ((VCEK, ASK, ARK), "its certificates are not there"),
    ],
)
def test_a_chain_that_is_not_whole_is_refused(lacking, said):
    with pytest.raises(NotGenuine, match=said):
        check_snp(certificates={guid: item for guid, item in GUIDS.items() if item not in lacking})


def test_a_root_of_somebody_elses_is_refused(monkeypatch):
    monkeypatch.setattr("sectax.experiments.confidential.attestation.chain.ROOTS", {})

    with pytest.raises(NotGenuine, match="ARK-Milan is not the root of a vendor"):
        check_snp()


def test_the_key_of_another_chip_is_refused(monkeypatch):
    monkeypatch.setattr(snp, "_CHIP", snp._CHIP + 1)  # as if the report named another one

    with pytest.raises(NotGenuine, match="that of another chip"):
        check_snp()


def test_a_guest_that_its_host_may_debug_is_refused(monkeypatch):
    monkeypatch.undo()  # the recorded guest is such a one

    with pytest.raises(NotGenuine, match="lets the host debug the guest"):
        check_snp()


@pytest.mark.parametrize("cut", [30, 200, 3000])
def test_a_table_of_certificates_that_is_cut_short_is_refused(cut):
    with pytest.raises(NotGenuine):
        verify("sev_guest", SNP, SNP_NONCE, table=table(GUIDS)[:cut], when=WHEN)


def test_reports_of_other_technologies_are_said_to_be_unknown():
    with pytest.raises(NotGenuine, match="reports of arm_cca_guest cannot be checked here"):
        verify("arm_cca_guest", b"x", bytes(64), when=WHEN)


@given(st.binary(max_size=2000))
def test_nonsense_is_refused(data):
    for provider in ("sev_guest", "tdx_guest"):
        with pytest.raises(NotGenuine):
            verify(provider, data, bytes(64), table=data, when=WHEN)
