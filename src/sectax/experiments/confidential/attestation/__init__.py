"""Attestation reports of confidential guests: what they say, and whether a processor's vendor vouches for it."""

from sectax.experiments.confidential.attestation.chain import NotGenuine, read_lists
from sectax.experiments.confidential.attestation.nonce import nonce_of
from sectax.experiments.confidential.attestation.report import PROVIDERS, Attested, verify

__all__ = ["PROVIDERS", "Attested", "NotGenuine", "nonce_of", "read_lists", "verify"]
