"""Attestation reports of confidential guests: what they say, and whether a processor's vendor vouches for it."""

from sectax.formats.attestation.chain import NotGenuine, read_lists
from sectax.formats.attestation.nonce import nonce_of
from sectax.formats.attestation.report import PROVIDERS, Attested, verify

__all__ = ["PROVIDERS", "Attested", "NotGenuine", "nonce_of", "read_lists", "verify"]
