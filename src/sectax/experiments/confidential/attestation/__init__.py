"""Attestation reports of confidential guests: what they say, and whether a processor's vendor vouches for it."""
