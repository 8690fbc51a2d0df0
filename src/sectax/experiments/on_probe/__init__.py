"""Probes as subjects: programs in any language that time themselves and speak the probe protocol."""
