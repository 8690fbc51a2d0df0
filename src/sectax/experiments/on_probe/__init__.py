"""Probes as subjects: programs in any language that measure themselves and speak the probe protocol."""
