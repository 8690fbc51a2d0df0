"""One attestation report, of whichever technology."""

from __future__ import annotations

import datetime
import hmac
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography import x509

from sectax.experiments.confidential.attestation import snp, tdx
from sectax.experiments.confidential.attestation.chain import NotGenuine, read_certificates

# What the kernel calls its providers (configfs-tsm) -> the technology.
PROVIDERS = {"sev_guest": "sev-snp", "tdx_guest": "tdx"}


@dataclass(frozen=True)
class Attested:
    """What a genuine report says.

    Attributes:
        root: whose root vouches for it.
        measurement: of the guest, in hex.
        lists_of: whose revocation lists were asked.
    """

    technology: str
    root: str
    measurement: str
    lists_of: tuple[str, ...] = ()


def verify(
    provider: str,
    report: bytes,
    nonce: bytes,
    *,
    table: bytes = b"",
    certificates: bytes = b"",
    lists: Sequence[x509.CertificateRevocationList] = (),
    when: datetime.datetime,
) -> Attested:
    """Check that a report is genuine and was made for this nonce.

    Args:
        provider: as the kernel names it. nonce: 64 bytes.
        table: the certificates that the host gave with the report of SEV-SNP.
        certificates: those that a person has fetched instead, as PEM, that of the signing key first.
        lists: revocation lists that a person has fetched; one must be of an issuer of its certificates.
        when: certificates and lists must be valid then.
    Raises:
        NotGenuine: as the message says.
    """
    technology = PROVIDERS.get(provider)
    if technology == "sev-snp":
        chain = read_certificates(certificates) if certificates else snp.certificates(table)
        by, asked, measurement = snp.verify(report, chain, when, lists)
    elif technology == "tdx":
        by, asked, measurement = tdx.verify(report, when, lists)
    else:
        raise NotGenuine(f"reports of {provider} cannot be checked here")
    if not hmac.compare_digest(asked, nonce):
        raise NotGenuine("it was made for something else than this run's plan")
    return Attested(technology, by.root, measurement.hex(), by.lists_of)
