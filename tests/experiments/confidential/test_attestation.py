"""Attestation reports that real processors have signed, and everything that is none. No such guest was seen here."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given
from hypothesis import strategies as st

from sectax.experiments.confidential.attestation import snp
from sectax.experiments.confidential.attestation.chain import NotGenuine, read_certificates
from sectax.experiments.confidential.attestation.report import Attested, verify
from tests.golden import part_as_agreed

SAMPLES = Path(__file__).with_name("attestation_samples")
SNP = (SAMPLES / "snp-milan.report").read_bytes()
(VCEK,) = read_certificates((SAMPLES / "vcek.der").read_bytes())
ASK, ARK = read_certificates((SAMPLES / "ask-ark-milan.pem").read_bytes())
TDX = (SAMPLES / "tdx-spr.quote").read_bytes()
SNP_NONCE, TDX_NONCE = SNP[0x50:0x90], TDX[568:632]
WHEN = datetime.datetime(2024, 6, 1, tzinfo=datetime.UTC)
CODE = "sectax.experiments.confidential.attestation"
REFUSALS = Path(__file__).with_name("attestation_refusals.txt")

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


def changed(place: int, difference: int = 1) -> bytes:
    return SNP[:place] + bytes([SNP[place] ^ difference]) + SNP[place + 1 :]


def without(*names: str) -> dict[str, x509.Certificate]:
    lacking = [{"VCEK": VCEK, "ASK": ASK, "ARK": ARK}[name] for name in names]
    return {guid: item for guid, item in GUIDS.items() if item not in lacking}


LATE = datetime.datetime(2199, 1, 1, tzinfo=datetime.UTC)
OTHER = bytes(63) + b"\x07"
REFUSED: dict[str, Callable[[], Attested]] = {
    "AMD, of another plan": lambda: check_snp(nonce=OTHER),
    "Intel, of another plan": lambda: check_tdx(nonce=OTHER),
    "AMD, expired": lambda: check_snp(when=LATE),
    "Intel, expired": lambda: check_tdx(when=LATE),
    "AMD, its data changed": lambda: check_snp(changed(0x50), nonce=changed(0x50)[0x50:0x90]),
    "AMD, its signature changed": lambda: check_snp(changed(0x2A0)),
    "AMD, its algorithm changed": lambda: check_snp(changed(0x34)),
    "AMD, without a root": lambda: check_snp(certificates=without("ARK")),
    "AMD, without a chain": lambda: check_snp(certificates=without("ASK", "ARK")),
    "AMD, without certificates": lambda: check_snp(certificates={}),
    "of another technology": lambda: verify("arm_cca_guest", b"x", bytes(64), when=WHEN),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_a_genuine_report_for_this_plan_is_refused(case):
    with pytest.raises(NotGenuine) as refused:
        REFUSED[case]()

    part_as_agreed(REFUSALS, case, f"{refused.value}\n")


@pytest.mark.parametrize(
    ("case", "name", "value"),
    [
        ("the root of somebody else", f"{CODE}.chain.ROOTS", {}),
        ("the key of another chip", f"{CODE}.snp._CHIP", snp._CHIP + 1),  # as if the report named another one
        ("a guest that its host may debug", f"{CODE}.snp._DEBUG", snp._DEBUG),  # the recorded guest is such a one
    ],
)
def test_a_genuine_report_that_proves_too_little_is_refused(monkeypatch, case, name, value):
    monkeypatch.setattr(name, value)

    with pytest.raises(NotGenuine) as refused:
        check_snp()
    part_as_agreed(REFUSALS, case, f"{refused.value}\n")


@given(st.integers(0, 0x2A0 + 47), st.integers(1, 255))
def test_no_byte_of_what_amd_signs_can_be_changed(place, difference):
    report = changed(place, difference)

    with pytest.raises(NotGenuine):
        check_snp(report, nonce=report[0x50:0x90])


@given(st.integers(0, 631), st.integers(1, 255))
def test_no_byte_of_what_intel_signs_can_be_changed(place, difference):
    quote = TDX[:place] + bytes([TDX[place] ^ difference]) + TDX[place + 1 :]

    with pytest.raises(NotGenuine):
        check_tdx(quote, nonce=quote[568:632])


@given(st.integers(0, len(TDX.rstrip(b"\0")) - 40))
def test_a_quote_that_was_cut_short_is_refused(length):
    with pytest.raises(NotGenuine):
        check_tdx(TDX[:length])


@pytest.mark.parametrize("cut", [30, 200, 3000])
def test_a_table_of_certificates_that_is_cut_short_is_refused(cut):
    with pytest.raises(NotGenuine):
        verify("sev_guest", SNP, SNP_NONCE, table=table(GUIDS)[:cut], when=WHEN)


@given(st.binary(max_size=2000))
def test_nonsense_is_refused(data):
    for provider in ("sev_guest", "tdx_guest"):
        with pytest.raises(NotGenuine):
            verify(provider, data, bytes(64), table=data, when=WHEN)
