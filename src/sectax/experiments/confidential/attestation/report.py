"""One attestation report, of whichever technology."""

from __future__ import annotations

import datetime
import hmac
from dataclasses import dataclass

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
    """

    technology: str
    root: str
    measurement: str


def verify(
    provider: str,
    report: bytes,
    nonce: bytes,
    *,
    table: bytes = b"",
    certificates: bytes = b"",
    when: datetime.datetime,
) -> Attested:
    """Check that a report is genuine and was made for this nonce.

    Args:
        provider: as the kernel names it. nonce: 64 bytes.
        table: the certificates that the host gave with the report of SEV-SNP.
        certificates: those that a person has fetched instead, as PEM, that of the signing key first.
        when: the certificates must be valid then.
    Raises:
        NotGenuine: as the message says.
    """
    technology = PROVIDERS.get(provider)
    if technology == "sev-snp":
        chain = read_certificates(certificates) if certificates else snp.certificates(table)
        root, bound, measurement = snp.verify(report, chain, when)
    elif technology == "tdx":
        root, bound, measurement = tdx.verify(report, when)
    else:
        raise NotGenuine(f"reports of {provider} cannot be checked here")
    if not hmac.compare_digest(bound, nonce):
        raise NotGenuine("it was made for something else than this run's plan")
    return Attested(technology, root, measurement.hex())
